// Reads the row and its answer.
#include "sidecar/outbox/saved_ids.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "lib/api/memory_api.h"
#include "lib/base/json/json.h"

namespace sidecar {
namespace {

constexpr const char* kCommitType = "change";  // of a memory that a commit became

// The digest of a session is the agent's, too, but it has a type and a tool of its own.
bool MayBeSavedAgain(const base::Json& body) {
  const std::string origin = base::StringAt(body, {"source", "origin"});
  const std::string type = base::StringAt(body, {"type"});
  if (origin == api::kOriginAgent) return type != "session";
  return origin == api::kOriginUser || type == kCommitType;
}

}  // namespace

void SavedIds::Add(const OutboxRow& row, const std::string& answer) {
  if (row.kind != "observation") return;
  const base::Json body = base::ParseJson(row.body).value_or(base::Json());
  const base::Json said = base::ParseJson(answer).value_or(base::Json());
  const base::Json* id = base::At(said, {"id"});
  if (id == nullptr || !id->is_number_integer() || !MayBeSavedAgain(body)) return;
  Entry entry{row.lane, {id->get<int64_t>(), base::StringAt(body, {"title"})}};
  entries_.With([&](std::deque<Entry>& entries) {
    std::erase_if(entries, [&](const Entry& other) {
      return other.session == entry.session && other.saved.id == entry.saved.id;
    });
    if (entries.size() == kMost) entries.pop_front();
    entries.push_back(std::move(entry));
  });
}

std::vector<SavedId> SavedIds::Drain(const std::string& session) {
  std::vector<SavedId> taken;
  entries_.With([&](std::deque<Entry>& entries) {
    std::erase_if(entries, [&](Entry& entry) {
      if (entry.session != session) return false;
      taken.push_back(std::move(entry.saved));
      return true;
    });
  });
  if (taken.size() > kMostOfAPrompt)
    taken.erase(taken.begin(), taken.end() - static_cast<std::ptrdiff_t>(kMostOfAPrompt));
  return taken;
}

}  // namespace sidecar
