// names.json maps each file to its tenant.
#include "memory/sqlite/engine/tenants.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/process/file.h"
#include "lib/base/process/log.h"
#include "lib/base/text/digest.h"
#include "memory/ranking/resident_budget.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

Result<Json> Tenants::ReadNames() {
  const std::string table = directory_ + "/names.json";
  Result<std::string> text = base::ReadFile(table);
  if (!text && text.error().code == Code::kNotFound) return Json::object();
  if (!text) return text.error();
  ASSIGN_OR_RETURN(Json names, base::ParseJson(*text, {64, 1'000'000}));
  if (!names.is_object()) return Error{Code::kInternal, table + " is not an object of names"};
  return names;
}

std::vector<std::string> Tenants::Unclosed() {
  const std::lock_guard lock(names_mutex_);
  std::vector<std::string> found;
  Result<Json> names = ReadNames();
  if (!names) return found;  // opening a tenant reports it
  for (const auto& [file, name] : names->items()) {
    std::error_code ignored;
    const bool log = std::filesystem::exists(directory_ + "/" + file + "-wal", ignored);
    if (log && name.is_string()) found.push_back(name.get<std::string>());
  }
  return found;
}

// hex(sha256(name)). names.json has the name durably before the file is created.
Result<std::string> Tenants::FileOf(const std::string& name) {
  const std::lock_guard lock(names_mutex_);
  const std::string file = base::Sha256Hex(name);
  ASSIGN_OR_RETURN(Json names, ReadNames());
  if (!names.contains(file)) {
    names[file] = name;
    RETURN_IF_ERROR(Replace(directory_ + "/names.json", base::DumpJson(names) + "\n"));
  }
  return directory_ + "/" + file;
}

// An error other than ENOSPC or EACCES may leave unsynced content visible, so it is final like a
// failed sync of a database.
Status Tenants::Replace(const std::string& file, const std::string& content) {
  Status replaced = base::ReplaceFile(file, content);
  if (!replaced && replaced.error().code == Code::kInternal) {
    base::LogError("commit failed", {{"reason", replaced.error().message}});
    options_.on_sync_failure(replaced.error());
  }
  return replaced;
}

Tenants::Tenants(std::string directory, StoreOptions options, size_t most_open)
    : directory_(std::move(directory)),
      options_([&] {
        options.on_sync_failure = [this, tell = options.on_sync_failure](const Error& error) {
          if (failed_.exchange(true)) return;
          (void)stores_.Refuse("a sync to the disk failed; the process ends");
          if (tell) tell(error);
        };
        if (!options.index_budget)
          options.index_budget = std::make_shared<ResidentBudget>(options.index_bytes);
        if (!options.spools) options.spools = SpoolBudget::OfVolume(directory_);
        return options;
      }()),
      stores_(
          [this](const std::string& name) -> Result<std::unique_ptr<SqlStore>> {
            ASSIGN_OR_RETURN(std::string file, FileOf(name));
            ASSIGN_OR_RETURN(std::unique_ptr<SqlStore> store, SqliteStore::Open(file, options_));
            return store;
          },
          most_open) {}

Result<std::shared_ptr<SqliteStore>> Tenants::Acquire(const std::string& name) {
  ASSIGN_OR_RETURN(std::shared_ptr<SqlStore> store, stores_.Acquire(name));
  return std::static_pointer_cast<SqliteStore>(store);
}

std::shared_ptr<SqliteStore> Tenants::IfOpen(const std::string& name) {
  return std::static_pointer_cast<SqliteStore>(stores_.IfOpen(name));
}

std::shared_ptr<SqliteStore> Tenants::NextOpen(std::string& name) {
  return std::static_pointer_cast<SqliteStore>(stores_.NextOpen(name));
}

// All stores share one disk: the most recently used one is probed for all.
Status Tenants::ProbeWrite() {
  if (const std::shared_ptr<SqlStore> latest = stores_.Latest()) return latest->ProbeWrite();
  return Replace(directory_ + "/probe", "a write is possible\n");
}

bool Tenants::Failed() const { return failed_; }
size_t Tenants::IndexBytes() const { return options_.index_budget->bytes(); }
int64_t Tenants::SpoolBytes() const { return options_.spools->bytes(); }

}  // namespace memory
