// A mark in the database says which rows of a file it got: the sum of all tables. A file gets its
// name when it is whole.
#include "memory/sqlite/moving/moves.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "memory/sqlite/moving/moved_tables.h"
#include "memory/sqlite/moving/tenant_files.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sql::Database;

namespace {

// Both ways.
class Steps {
 public:
  explicit Steps(const MoveOptions& options) : options_(options) {}
  Status At(const char* step) const { return options_.at ? options_.at(step) : Status(); }
  void Expect(int64_t rows) { total_ += rows; }
  OnRows Counting() {
    return [this](int64_t rows) -> Status {
      done_ += rows;
      return options_.on_rows ? options_.on_rows(done_, total_) : Status();
    };
  }

 private:
  const MoveOptions& options_;
  int64_t done_ = 0, total_ = 0;
};

Error Refused(const std::string& why) { return {Code::kConflict, why + "; nothing was changed"}; }

bool Exists(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}

Status Copied(Database& from, Side side, Database& to, const std::vector<MovedTable>& tables,
              const TableSums& sums, Steps& steps) {
  RETURN_IF_ERROR(steps.At("copy"));
  RETURN_IF_ERROR(CopyRows(from, side, to, tables, steps.Counting()));
  RETURN_IF_ERROR(steps.At("compare"));
  const Side other = side == Side::kFile ? Side::kDatabase : Side::kFile;
  ASSIGN_OR_RETURN(const TableSums copied, SumRows(to, other, tables, steps.Counting()));
  return Compare(sums, copied);
}

}  // namespace

Result<MovedTenant> MoveToDatabase(SharedDatabase& database, const std::string& tenant,
                                   const MoveOptions& options) {
  Steps steps(options);
  const std::string path = FileOfTenant(options.directory, tenant);
  if (!Exists(path))
    return Error{Code::kNotFound, options.directory + " has no memories of this namespace"};
  RETURN_IF_ERROR(steps.At("finish"));
  RETURN_IF_ERROR(FinishFile(path, *options.clock));
  ASSIGN_OR_RETURN(sqlite::Database file, OpenFinished(path));
  RETURN_IF_ERROR(file.BeginReading());
  ASSIGN_OR_RETURN(const std::vector<MovedTable> tables, MovedTables(file));
  ASSIGN_OR_RETURN(const TableSums sums, SumRows(file, Side::kFile, tables, steps.Counting()));
  MovedTenant moved{false, RowsOf(sums), DigestOf(sums)};
  steps.Expect(3 * moved.rows);
  RETURN_IF_ERROR(steps.At("fill"));
  const auto fill = [&](Database& to,
                        const std::string& mark) -> Result<std::optional<std::string>> {
    if (mark == moved.sha256) {
      moved.already = true;
      return std::optional<std::string>();
    }
    if (!mark.empty())
      return Refused(
          "the database got this namespace from a file with other rows: the file changed since, "
          "or it is another one");
    ASSIGN_OR_RETURN(const bool some, AnyRows(to, Side::kDatabase, tables));
    if (some)
      return Refused("the database has memories of this namespace that did not come from its file");
    RETURN_IF_ERROR(Copied(file, Side::kFile, to, tables, sums, steps));
    RETURN_IF_ERROR(steps.At("commit"));
    return std::optional(moved.sha256);
  };
  RETURN_IF_ERROR(database.Fill(tenant, fill));
  RETURN_IF_ERROR(steps.At("note"));
  RETURN_IF_ERROR(file.EndReading());
  RETURN_IF_ERROR(NoteMoved(options.directory, tenant));
  return moved;
}

namespace {

// The tenant's file is there: with the same rows it is moved already.
Status CompareFile(const std::string& path, HeldTenant& held, const MoveOptions& options,
                   MovedTenant& moved, Steps& steps) {
  RETURN_IF_ERROR(FinishFile(path, *options.clock));
  ASSIGN_OR_RETURN(sqlite::Database file, OpenFinished(path));
  RETURN_IF_ERROR(file.BeginReading());
  ASSIGN_OR_RETURN(const std::vector<MovedTable> tables, MovedTables(file));
  ASSIGN_OR_RETURN(const TableSums here, SumRows(file, Side::kFile, tables, steps.Counting()));
  moved = {true, RowsOf(here), DigestOf(here)};
  steps.Expect(2 * moved.rows);
  return held.Read([&](Database& from) -> Status {
    ASSIGN_OR_RETURN(const TableSums there,
                     SumRows(from, Side::kDatabase, tables, steps.Counting()));
    if (Compare(there, here)) return {};
    return Refused(options.directory +
                   " has other memories of this namespace than the database: use another data-dir, "
                   "or put " +
                   path + " elsewhere");
  });
}

Status FillFile(const std::string& path, HeldTenant& held, MovedTenant& moved, Steps& steps) {
  ASSIGN_OR_RETURN(sqlite::Database file, MakeBeside(path));
  ASSIGN_OR_RETURN(const std::vector<MovedTable> tables, MovedTables(file));
  {
    ASSIGN_OR_RETURN(sql::Transaction filling, sql::Transaction::Begin(file));
    RETURN_IF_ERROR(file.Execute("PRAGMA defer_foreign_keys = ON"));
    RETURN_IF_ERROR(held.Read([&](Database& from) -> Status {
      ASSIGN_OR_RETURN(const TableSums sums,
                       SumRows(from, Side::kDatabase, tables, steps.Counting()));
      moved = {false, RowsOf(sums), DigestOf(sums)};
      steps.Expect(3 * moved.rows);
      return Copied(from, Side::kDatabase, file, tables, sums, steps);
    }));
    RETURN_IF_ERROR(steps.At("index"));
    RETURN_IF_ERROR(CompleteRows(file));
    RETURN_IF_ERROR(steps.At("commit"));
    RETURN_IF_ERROR(filling.Commit());
  }
  RETURN_IF_ERROR(steps.At("close"));
  return CloseBeside(std::move(file), path);
}

}  // namespace

Result<MovedTenant> MoveToFile(SharedDatabase& database, const std::string& tenant,
                               const MoveOptions& options) {
  Steps steps(options);
  MovedTenant moved;
  const std::string path = FileOfTenant(options.directory, tenant);
  RETURN_IF_ERROR(steps.At("hold"));
  ASSIGN_OR_RETURN(const std::unique_ptr<HeldTenant> held, database.Hold(tenant));
  if (Exists(path)) {
    RETURN_IF_ERROR(CompareFile(path, *held, options, moved, steps));
    return moved;
  }
  RETURN_IF_ERROR(steps.At("name"));
  RETURN_IF_ERROR(NameTenant(options.directory, tenant));
  RETURN_IF_ERROR(steps.At("fill"));
  RETURN_IF_ERROR(FillFile(path, *held, moved, steps));
  RETURN_IF_ERROR(steps.At("rename"));
  RETURN_IF_ERROR(held->StillHeld());
  RETURN_IF_ERROR(PutInPlace(path));
  RETURN_IF_ERROR(steps.At("release"));
  return moved;
}

}  // namespace memory
