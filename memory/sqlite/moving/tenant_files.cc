// A file that is under way is "<path>.moving".
#include "memory/sqlite/moving/tenant_files.h"

#include <algorithm>
#include <filesystem>

#include "lib/base/json/json.h"
#include "lib/base/process/file.h"
#include "lib/base/text/digest.h"
#include "memory/sqlite/items/item_rows.h"
#include "memory/sqlite/store/sqlite_store.h"
#include "memory/sqlite/tables/schema.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr const char* kNames = "/names.json";
constexpr const char* kMoved = "/moved.json";

// PostgreSQL keeps none: it has checksums of its own.
constexpr const char* kChecksums =
    "UPDATE conversations SET fields_checksum = row_checksum(id, fields);"
    "UPDATE messages SET checksum = row_checksum(conversation, sequence, role, content, tool_calls,"
    " tool_call_id, created_ms);"
    "UPDATE blocks SET checksum = row_checksum(conversation, block, first, last, query, outcome,"
    " summary, tokens, tools, digested);"
    "UPDATE block_forms SET checksum = (SELECT row_checksum(b.conversation, b.block, parts)"
    " FROM blocks b WHERE b.number = block_forms.number);"
    "UPDATE working_memory SET checksum = row_checksum(conversation, fields);"
    "UPDATE checkpoints SET checksum = row_checksum(conversation, generation, step, saved_ms,"
    " expires_ms, sha256, document);"
    "UPDATE task_states SET checksum = row_checksum(conversation, state, updated_ms);";

std::string Beside(const std::string& path) { return path + ".moving"; }

// A table of a directory's tenants: file → name.
Result<Json> ReadTable(const std::string& path) {
  Result<std::string> text = base::ReadFile(path);
  if (!text && text.error().code == Code::kNotFound) return Json::object();
  if (!text) return text.error();
  ASSIGN_OR_RETURN(Json table, base::ParseJson(*text, {64, 1'000'000}));
  if (!table.is_object()) return Error{Code::kInternal, path + " is not an object of names"};
  return table;
}

Status AddTo(const std::string& path, const std::string& tenant) {
  ASSIGN_OR_RETURN(Json table, ReadTable(path));
  const std::string file = base::Sha256Hex(tenant);
  if (table.contains(file)) return {};
  table[file] = tenant;
  return base::ReplaceFile(path, base::DumpJson(table) + "\n");
}

bool IsThere(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}

}  // namespace

std::string FileOfTenant(const std::string& directory, const std::string& tenant) {
  return directory + "/" + base::Sha256Hex(tenant);
}

Result<std::vector<std::string>> TenantsOfFiles(const std::string& directory) {
  ASSIGN_OR_RETURN(const Json table, ReadTable(directory + kNames));
  std::vector<std::string> names;
  for (const auto& [file, name] : table.items())
    if (name.is_string() && IsThere(directory + "/" + file))
      names.push_back(name.get<std::string>());
  std::ranges::sort(names);
  return names;
}

Status NameTenant(const std::string& directory, const std::string& tenant) {
  return AddTo(directory + kNames, tenant);
}

Status NoteMoved(const std::string& directory, const std::string& tenant) {
  return AddTo(directory + kMoved, tenant);
}

bool AnyUnmoved(const std::string& directory) {
  const auto names = ReadTable(directory + kNames), moved = ReadTable(directory + kMoved);
  if (!names || !moved) return true;
  for (const auto& [file, name] : names->items())
    if (!moved->contains(file) && IsThere(directory + "/" + file)) return true;
  return false;
}

Status FinishFile(const std::string& path, const base::Clock& clock) {
  StoreOptions options;
  options.clock = &clock;
  ASSIGN_OR_RETURN(const auto store, SqliteStore::Open(path, options));
  for (bool more = true; more;) {
    ASSIGN_OR_RETURN(more, store->CutWords());
  }
  store->Close();
  return {};
}

Result<sqlite::Database> OpenFinished(const std::string& path) {
  sqlite::Database::Options reading;
  reading.access = sqlite::Access::kReader;
  return sqlite::Database::Open(path, reading);
}

Result<sqlite::Database> MakeBeside(const std::string& path) {
  std::error_code ignored;
  for (const char* end : {"", "-wal", "-shm", "-journal"})
    std::filesystem::remove(Beside(path) + end, ignored);
  ASSIGN_OR_RETURN(sqlite::Database database, sqlite::Database::Open(Beside(path), {}));
  RETURN_IF_ERROR(sqlite::Migrate(database, SchemaSteps()));
  return database;
}

Status CompleteRows(sqlite::Database& database) {
  RETURN_IF_ERROR(database.Execute(kChecksums));
  RETURN_IF_ERROR(IndexAllItems(database));
  return database.Execute("INSERT INTO words(words) VALUES('rebuild')");
}

Status CloseBeside(sqlite::Database database, const std::string& path) {
  RETURN_IF_ERROR(database.CheckIntegrity({"words"}));
  RETURN_IF_ERROR(database.Checkpoint(sqlite::Database::Log::kEmpty));
  { const sqlite::Database closed = std::move(database); }
  if (IsThere(Beside(path) + "-wal"))
    return Error{Code::kInternal, Beside(path) + " has a log after it was closed"};
  return {};
}

Status PutInPlace(const std::string& path) {
  std::error_code error;
  std::filesystem::rename(Beside(path), path, error);
  if (error) return Error{Code::kInternal, "rename " + Beside(path) + ": " + error.message()};
  return base::SyncDirectory(std::filesystem::path(path).parent_path().string());
}

}  // namespace memory
