// Statements are made of the names of our own schema, as the file has it, so that a new table or
// column is moved without a word here.
#include "memory/sqlite/moving/moved_tables.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "lib/base/text/digest.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

constexpr int64_t kRowsAtOnce = 500;        // without a wait for the other side
constexpr size_t kHashedAtOnce = 64 << 10;  // bytes

// Rows that others name come first.
const std::vector<std::string> kFirst = {"projects", "sessions", "conversations", "blocks",
                                         "consolidation_log"};
const std::set<std::string> kReplaced = {"checkpoint_totals",
                                         "conversation_bytes",
                                         "counters",
                                         "item_counts",
                                         "ranges",
                                         "salt",
                                         "shared_owners",
                                         "working_memory_clock",
                                         "working_memory_totals"};
// How far rounds over the file have got (memory/sqlite/removal, tables/uncut.h), and the version of
// its indexes.
constexpr const char* kOfBoth =
    " WHERE name NOT IN ('version', 'clean_pages', 'erase_asked', 'erase_done', 'cut_rows', "
    "'cut_items')";

struct Column {
  std::string name;
  int64_t key = 0;  // its place in the primary key, from 1; 0: none
};

bool IsChecksum(const std::string& column) {
  return column == "checksum" || column == "fields_checksum";
}

std::string Quoted(const std::string& name) { return '"' + name + '"'; }

void Append(std::string& list, const std::string& item) {
  list += (list.empty() ? "" : ", ") + item;
}

MovedTable TableOf(const std::string& name, std::vector<Column> columns) {
  std::string read, written, values, order;
  for (const Column& column : columns) {
    Append(written, Quoted(column.name));
    if (IsChecksum(column.name)) {
      Append(values, "0");
      continue;
    }
    Append(read, Quoted(column.name));
    Append(values, "?");
  }
  std::ranges::stable_sort(columns, {}, &Column::key);
  for (const Column& column : columns)
    if (column.key > 0) Append(order, Quoted(column.name));
  if (order.empty()) order = read;
  const std::string of = Quoted(name), some = name == "counters" ? kOfBoth : "";
  MovedTable table;
  table.name = name;
  table.replaced = kReplaced.contains(name);
  table.in_file = {"SELECT " + read + " FROM " + of + some + " ORDER BY " + order,
                   "INSERT INTO " + of + "(" + written + ") VALUES(" + values + ")",
                   "DELETE FROM " + of + some, "SELECT 1 FROM " + of + " LIMIT 1"};
  table.in_database = table.in_file;
  return table;
}

// The last numbers of tables that use none twice.
MovedTable Numbers() {
  return {
      "numbers",
      true,
      {"SELECT name, seq FROM sqlite_sequence ORDER BY name",
       "INSERT INTO sqlite_sequence(name, seq) VALUES(?, ?)", "DELETE FROM sqlite_sequence", ""},
      {"SELECT name, last FROM numbers ORDER BY name",
       "INSERT INTO numbers(name, last) VALUES(?, ?)", "DELETE FROM numbers", ""}};
}

const TableStatements& On(const MovedTable& table, Side side) {
  return side == Side::kFile ? table.in_file : table.in_database;
}
Side Other(Side side) { return side == Side::kFile ? Side::kDatabase : Side::kFile; }

// Takes the values of rows like a statement that they are bound to. Hashes in pieces, each with the
// sum of those before it.
class RowSum final : public sql::Cursor {
 public:
  void Add(const Statement& row) {
    bytes_ += '(';
    Statement(*this, nullptr).BindRow(row, 0);
    if (bytes_.size() >= kHashedAtOnce) Fold();
  }
  std::string End() {
    Fold();
    return sum_;
  }

  void BindInt(int, int64_t value) override { Append('i', static_cast<uint64_t>(value)); }
  void BindReal(int, double value) override {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    Append('r', bits);
  }
  void BindText(int, std::string_view text) override {
    Append('t', text.size());
    bytes_ += text;
  }
  void BindBlob(int, std::string_view bytes) override {
    Append('b', bytes.size());
    bytes_ += bytes;
  }
  void BindNull(int) override { bytes_ += 'n'; }
  Result<bool> Step() override { return false; }
  int Columns() const override { return 0; }
  bool IsNull(int) const override { return true; }
  bool IsBlob(int) const override { return false; }
  bool IsReal(int) const override { return false; }
  bool IsInt(int) const override { return false; }
  int64_t Int(int) const override { return 0; }
  double Real(int) const override { return 0; }
  std::string_view Text(int) const override { return {}; }
  void GiveBack() override {}

 private:
  void Append(char type, uint64_t number) {
    bytes_ += type;
    for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(number >> shift);
  }
  void Fold() {
    sum_ = base::Sha256Hex(sum_ + bytes_);
    bytes_.clear();
  }
  std::string sum_, bytes_;
};

// Counts rows for `on_rows`.
class Tally {
 public:
  explicit Tally(const OnRows& on_rows) : on_rows_(on_rows) {}
  bool Full() const { return rows_ >= kRowsAtOnce; }
  void Count() { ++rows_; }
  Status Tell() { return on_rows_ ? on_rows_(std::exchange(rows_, 0)) : Status(); }

 private:
  const OnRows& on_rows_;
  int64_t rows_ = 0;
};

// Errors of statements that were sent without a wait surface here.
Status Settle(Database& database) {
  ASSIGN_OR_RETURN(Statement wait, database.Prepare("SELECT 1"));
  return wait.Run();
}

Status CopyTable(Database& from, const std::string& read, Database& to, const std::string& write,
                 Tally& tally) {
  ASSIGN_OR_RETURN(Statement rows, from.Prepare(read));
  RETURN_IF_ERROR(rows.ForEachRow([&](const Statement& row) -> Status {
    ASSIGN_OR_RETURN(Statement put, to.Prepare(write));
    RETURN_IF_ERROR(put.BindRow(row, 0).Run());
    tally.Count();
    if (!tally.Full()) return {};
    RETURN_IF_ERROR(Settle(to));
    return tally.Tell();
  }));
  RETURN_IF_ERROR(Settle(to));
  return tally.Tell();
}

Status Named(const MovedTable& table, Status status) {
  return status ? status : base::Wrap("table " + table.name, status.error());
}

}  // namespace

Result<std::vector<MovedTable>> MovedTables(Database& file) {
  std::vector<std::string> names;
  {
    ASSIGN_OR_RETURN(
        Statement list,
        file.Prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' "
                     "AND substr(name, 1, 7) <> 'sqlite_' AND name <> 'waiting' ORDER BY name"));
    ASSIGN_OR_RETURN(names, list.ReadAll([](const Statement& row) { return row.Text(0); }));
  }
  const auto place = [](const std::string& name) {
    const auto first = std::ranges::find(kFirst, name);
    return first == kFirst.end() && kReplaced.contains(name) ? kFirst.end() - kFirst.begin() + 1
                                                             : first - kFirst.begin();
  };
  std::ranges::stable_sort(names, {}, place);
  std::vector<MovedTable> tables;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(Statement list,
                     file.Prepare("SELECT name, pk FROM pragma_table_info(?1) ORDER BY cid"));
    ASSIGN_OR_RETURN(std::vector<Column> columns, list.Bind(name).ReadAll([](const Statement& row) {
      return Column{row.Text(0), row.Int(1)};
    }));
    tables.push_back(TableOf(name, std::move(columns)));
  }
  tables.push_back(Numbers());
  return tables;
}

Result<TableSums> SumRows(Database& database, Side side, const std::vector<MovedTable>& tables,
                          const OnRows& on_rows) {
  TableSums sums;
  Tally tally(on_rows);
  for (const MovedTable& table : tables) {
    TableSum& sum = sums.emplace_back(TableSum{table.name, 0, {}});
    RowSum rows;
    const auto read = [&]() -> Status {
      ASSIGN_OR_RETURN(Statement all, database.Prepare(On(table, side).read));
      return all.ForEachRow([&](const Statement& row) -> Status {
        rows.Add(row);
        ++sum.rows;
        tally.Count();
        return tally.Full() ? tally.Tell() : Status();
      });
    };
    RETURN_IF_ERROR(Named(table, read()));
    sum.sha256 = rows.End();
  }
  RETURN_IF_ERROR(tally.Tell());
  return sums;
}

std::string DigestOf(const TableSums& sums) {
  std::string all;
  for (const TableSum& sum : sums)
    all += sum.table + " " + std::to_string(sum.rows) + " " + sum.sha256 + "\n";
  return base::Sha256Hex(all);
}

int64_t RowsOf(const TableSums& sums) {
  int64_t rows = 0;
  for (const TableSum& sum : sums) rows += sum.rows;
  return rows;
}

Status Compare(const TableSums& wanted, const TableSums& found) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (i < found.size() && wanted[i] == found[i]) continue;
    const TableSum there = i < found.size() ? found[i] : TableSum();
    return Error{Code::kConflict, "the rows of table " + wanted[i].table + " differ: " +
                                      std::to_string(wanted[i].rows) + " with SHA-256 " +
                                      wanted[i].sha256 + " here, " + std::to_string(there.rows) +
                                      " with " + there.sha256 + " there"};
  }
  return {};
}

Result<bool> AnyRows(Database& database, Side side, const std::vector<MovedTable>& tables) {
  for (const MovedTable& table : tables) {
    if (table.replaced) continue;
    ASSIGN_OR_RETURN(Statement any, database.Prepare(On(table, side).any));
    ASSIGN_OR_RETURN(const bool some, any.Step());
    if (some) return true;
  }
  return false;
}

Status CopyRows(Database& from, Side side, Database& to, const std::vector<MovedTable>& tables,
                const OnRows& on_rows) {
  Tally tally(on_rows);
  for (const MovedTable& table : tables) {
    const auto copy = [&]() -> Status {
      if (table.replaced) {
        ASSIGN_OR_RETURN(Statement clear, to.Prepare(On(table, Other(side)).clear));
        RETURN_IF_ERROR(clear.Run());
      }
      return CopyTable(from, On(table, side).read, to, On(table, Other(side)).write, tally);
    };
    RETURN_IF_ERROR(Named(table, copy()));
  }
  return {};
}

}  // namespace memory
