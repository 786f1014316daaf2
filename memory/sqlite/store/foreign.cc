// Opens an uploaded, untrusted database file: read-only, with a schema equal to this server's to
// the letter, so that no foreign trigger or view runs, and after a check of all pages. Its rows are
// validated like those of any import.
#include "memory/sqlite/agentos/brain.h"
#include "memory/sqlite/claude_mem/claude_mem.h"
#include "memory/sqlite/store/export.h"
#include "memory/sqlite/store/sqlite_store.h"
#include "memory/sqlite/tables/schema.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sqlite::Access;
using sqlite::Statement;

namespace {

constexpr int64_t kCheckMs = 10 * 60 * 1000;  // enough for the largest accepted file
constexpr size_t kMaxObjects = 200;           // tables, indexes and triggers of a schema

Error Refused(const std::string& why) {
  return Error{Code::kInvalid, "the SQLite file is not an export of this server: " + why};
}

Result<std::vector<std::string>> SchemaOf(sqlite::Database& database) {
  std::vector<std::string> objects;
  ASSIGN_OR_RETURN(Statement read,
                   database.Prepare("SELECT type || ' ' || name || ' ' || tbl_name || ' ' || "
                                    "coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE "
                                    "'sqlite_stat%' ORDER BY type, name"));
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) -> Status {
    if (objects.size() >= kMaxObjects) return Refused("it has too many tables");
    objects.push_back(row.Text(0));
    return {};
  }));
  return objects;
}

// `path`: of the file; a reference schema is created beside it temporarily.
Status CheckSchema(sqlite::Database& file, const std::string& path) {
  ASSIGN_OR_RETURN(Statement read, file.Prepare("PRAGMA user_version"));
  ASSIGN_OR_RETURN(bool row, read.Step());
  const int64_t version = row ? read.Int(0) : 0;
  const int64_t known = static_cast<int64_t>(SchemaSteps().size());
  if (version < 1) return Refused("it has no schema version");
  if (version > known)
    return Refused("its schema version is " + std::to_string(version) + ", this server knows " +
                   std::to_string(known));
  sqlite::Database::Options working;
  working.access = Access::kScratch;
  ASSIGN_OR_RETURN(Spool spool, Spool::Make(path));
  ASSIGN_OR_RETURN(sqlite::Database ours, sqlite::Database::Open(spool.path(), working));
  const auto last = SchemaSteps().begin() + static_cast<std::ptrdiff_t>(version);
  RETURN_IF_ERROR(sqlite::Migrate(ours, {SchemaSteps().begin(), last}));
  ASSIGN_OR_RETURN(std::vector<std::string> wanted, SchemaOf(ours));
  ASSIGN_OR_RETURN(std::vector<std::string> found, SchemaOf(file));
  return wanted == found ? Status() : Refused("its tables are others");
}

Status CheckFile(sqlite::Database& file, const std::string& path) {
  RETURN_IF_ERROR(CheckSchema(file, path));
  file.SetDeadline(kCheckMs);
  Status sound = file.CheckIntegrity({});
  file.SetDeadline(0);
  return sound ? Status() : Refused(sound.error().message);
}

Result<sqlite::Database> OpenSent(const std::string& path) {
  sqlite::Database::Options reading;
  reading.access = Access::kForeign;
  reading.cache_kib = 1024;
  Result<sqlite::Database> file = sqlite::Database::Open(path, reading);
  if (!file) return Refused(file.error().message);
  return file;
}

}  // namespace

Result<std::shared_ptr<BrainCursor>> Store::OpenBrain(const std::string& path) {
  ASSIGN_OR_RETURN(sqlite::Database file, OpenSent(path));
  if (IsClaudeMem(file)) return OpenClaudeMem(std::move(file));
  if (!IsBrain(file)) return std::shared_ptr<BrainCursor>();
  return OpenBrainIn(std::move(file));
}

Result<std::shared_ptr<ExportCursor>> OpenForeign(const std::string& path) {
  Result<sqlite::Database> file = OpenSent(path);
  if (!file) return file.error();
  if (Status checked = CheckFile(*file, path); !checked) {
    // SQLite's message about corruption is worded for the server's own files: this file is the
    // client's.
    const Error& error = checked.error();
    return error.code == Code::kInternal ? Refused(error.message) : error;
  }
  return MakeForeignCursor(std::make_unique<sqlite::Database>(std::move(*file)));
}

}  // namespace memory
