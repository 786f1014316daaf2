// Takes the word of SQLite for what a table is, and never the text of the schema.
#include "memory/sqlite/claude_mem/claude_mem.h"

#include <string>
#include <vector>

#include "lib/base/text/text.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

constexpr int64_t kMostCheckMs = 10 * 60 * 1000;
constexpr size_t kMostColumns = 100, kMostRowBytes = 1 << 20;

// Statements are literals of this program; a column is found by its place.
struct Source {
  const char *table, *rows;
};
constexpr Source kSources[] = {
    {"sdk_sessions", "SELECT * FROM sdk_sessions ORDER BY rowid"},
    {"observations", "SELECT * FROM observations ORDER BY rowid"},
    {"session_summaries", "SELECT * FROM session_summaries ORDER BY rowid"},
    {"user_prompts", "SELECT * FROM user_prompts ORDER BY rowid"},
};

Error NotClaudeMem(const std::string& why) {
  return Error{Code::kInvalid,
               "the SQLite file is no database of claude-mem that can be taken: " + why};
}

// "table", "view", "virtual", "shadow"; empty: there is none.
Result<std::string> KindOf(Database& file, const char* table) {
  ASSIGN_OR_RETURN(Statement read,
                   file.Prepare("SELECT type FROM pragma_table_list WHERE schema = 'main' AND name "
                                "= ?1 COLLATE NOCASE"));
  ASSIGN_OR_RETURN(const bool there, read.Bind(table).Step());
  return there ? read.Text(0) : std::string();
}

struct Column {
  std::string name;
  bool number = false;
};

Result<std::vector<Column>> ColumnsOf(Database& file, const char* table) {
  ASSIGN_OR_RETURN(Statement read, file.Prepare("SELECT name, type, hidden FROM "
                                                "pragma_table_xinfo(?1) ORDER BY cid"));
  std::vector<Column> columns;
  RETURN_IF_ERROR(read.Bind(table).ForEachRow([&](const Statement& row) -> Status {
    if (row.Int(2) != 0) return NotClaudeMem(std::string(table) + " computes a column");
    if (columns.size() == kMostColumns)
      return NotClaudeMem(std::string(table) + " has more than 100 columns");
    columns.push_back({row.Text(0), base::FoldCase(row.Text(1)).find("int") != std::string::npos});
    return {};
  }));
  return columns;
}

class ClaudeMemCursor : public BrainCursor {
 public:
  explicit ClaudeMemCursor(Database file) : file_(std::move(file)) {}

  bool of_claude_mem() const override { return true; }

  Status Walk(const OnBrainRow& on_row) override {
    for (const Source& source : kSources) {
      ASSIGN_OR_RETURN(const std::string kind, KindOf(file_, source.table));
      if (!kind.empty()) RETURN_IF_ERROR(WalkTable(source, on_row));
    }
    return {};
  }

 private:
  Status WalkTable(const Source& source, const OnBrainRow& on_row) {
    ASSIGN_OR_RETURN(const std::vector<Column> columns, ColumnsOf(file_, source.table));
    ASSIGN_OR_RETURN(Statement read, file_.Prepare(source.rows));
    return read.ForEachRow([&](const Statement& at) -> Status {
      Json row = Json::object();
      size_t bytes = 0;
      for (size_t i = 0; i < columns.size(); ++i) {
        const int place = static_cast<int>(i);
        if (at.IsNull(place)) continue;
        if (columns[i].number) {
          row[columns[i].name] = at.Int(place);
          continue;
        }
        std::string text = at.Text(place);
        bytes += text.size();
        if (bytes <= kMostRowBytes) row[columns[i].name] = std::move(text);
      }
      if (bytes > kMostRowBytes)
        return on_row(source.table, Error{Code::kTooLarge, "the row has " + std::to_string(bytes) +
                                                               " bytes, the limit is " +
                                                               std::to_string(kMostRowBytes)});
      return on_row(source.table, std::move(row));
    });
  }

  Database file_;
};

Status CheckClaudeMem(Database& file) {
  for (const Source& source : kSources) {
    ASSIGN_OR_RETURN(const std::string kind, KindOf(file, source.table));
    if (kind.empty()) continue;
    if (kind != "table")
      return NotClaudeMem(std::string(source.table) + " is no table of rows but a " + kind +
                          (kind == "virtual" ? " table" : ""));
    ASSIGN_OR_RETURN([[maybe_unused]] const auto columns, ColumnsOf(file, source.table));
    if (!file.Prepare(source.rows))
      return NotClaudeMem(std::string(source.table) + " is a table without rowids");
  }
  file.SetDeadline(kMostCheckMs);
  Status sound = file.CheckIntegrity({});
  file.SetDeadline(0);
  return sound ? Status() : NotClaudeMem(sound.error().message);
}

}  // namespace

bool IsClaudeMem(Database& file) {
  Result<Statement> read = file.Prepare(
      "SELECT count(*) FROM sqlite_schema WHERE name IN ('sdk_sessions', 'session_summaries', "
      "'user_prompts') AND type IN ('table', 'view')");
  return read && read->Step().value_or(false) && read->Int(0) >= 2;
}

Result<std::shared_ptr<BrainCursor>> OpenClaudeMem(Database file) {
  if (const Status checked = CheckClaudeMem(file); !checked) {
    const Error& error = checked.error();
    return error.code == Code::kInternal ? NotClaudeMem(error.message) : error;
  }
  return std::shared_ptr<BrainCursor>(std::make_shared<ClaudeMemCursor>(std::move(file)));
}

}  // namespace memory
