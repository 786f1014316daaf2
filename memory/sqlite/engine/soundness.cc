// Messages about corrupt files.
#include "memory/sqlite/engine/soundness.h"

#include <algorithm>

#include "lib/base/process/log.h"

namespace memory {

using base::Code;
using base::Error;
using base::Status;

namespace {

constexpr const char* kWhatToDo =
    "; export what can still be read, stop the server, put a backup in the place of this file "
    "(without one: move it away), start again and import the export";

}  // namespace

void Soundness::ReportDamage(const std::string& file, const Error& error) {
  const bool first = damages_.With(
      [&](auto& damages) { return damages.try_emplace(file, Damage{error.message}).second; });
  if (first) base::LogError("a file is damaged", {{"file", file}, {"reason", error.message}});
}

void Soundness::SetDamaged(const std::string& file, const Error& error) {
  damages_.With([&](auto& damages) { damages[file] = {error.message, true}; });
  base::LogError("a check found damage", {{"file", file}, {"reason", error.message}});
}

void Soundness::SetSound(const std::string& file) {
  if (damages_.With([&](auto& damages) { return damages.erase(file); }) > 0)
    base::LogInfo("a check found a file sound again", {{"file", file}});
}

bool Soundness::Suspected(const std::string& file) const {
  return damages_.With([&](const auto& damages) {
    auto found = damages.find(file);
    return found != damages.end() && !found->second.checked;
  });
}

bool Soundness::AnySuspected() const {
  return damages_.With([](const auto& damages) {
    return std::any_of(damages.begin(), damages.end(),
                       [](const auto& damage) { return !damage.second.checked; });
  });
}

size_t Soundness::Damaged() const {
  return damages_.With([](const auto& damages) { return damages.size(); });
}

Status Soundness::Read() const {
  return damages_.With([](const auto& damages) -> Status {
    if (damages.empty()) return {};
    const auto& [file, damage] = *damages.begin();
    const std::string more =
        damages.size() > 1 ? " (and " + std::to_string(damages.size() - 1) + " more files)" : "";
    return Error{
        Code::kUnavailable,
        file + more + " is damaged: " + damage.reason +
            (damage.checked ? kWhatToDo
                            : "; it is checked, and its index mended, while it can be opened")};
  });
}

}  // namespace memory
