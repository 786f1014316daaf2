// Accepts any schema of plain tables and indexes, and reads the rows of four tables, one row at a
// time. It skips rows larger than the largest that an import accepts.
#include "memory/sqlite/agentos/brain.h"

#include <span>
#include <string>
#include <string_view>

#include "memory/sqlite/agentos/brain_schema.h"

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
constexpr int64_t kMostRowBytes = 1 << 20;  // a content has at most 200,000

#define BRAIN_BYTES(column) "coalesce(length(CAST(" column " AS BLOB)), 0)"
#define BRAIN_VALUE(column) column ", typeof(" column ")"

constexpr const char* kTraceSizes =
    "SELECT rowid, " BRAIN_BYTES("id") "+" BRAIN_BYTES("type") "+" BRAIN_BYTES("scope")
    "+" BRAIN_BYTES("content") "+" BRAIN_BYTES("tags") "+" BRAIN_BYTES("emotions")
    "+" BRAIN_BYTES("metadata") " FROM memory_traces ORDER BY rowid";
constexpr const char* kTrace =
    "SELECT " BRAIN_VALUE("id") "," BRAIN_VALUE("type") "," BRAIN_VALUE("scope")
    "," BRAIN_VALUE("content") "," BRAIN_VALUE("strength") "," BRAIN_VALUE("created_at")
    "," BRAIN_VALUE("last_accessed") "," BRAIN_VALUE("retrieval_count") "," BRAIN_VALUE("tags")
    "," BRAIN_VALUE("emotions") "," BRAIN_VALUE("metadata") "," BRAIN_VALUE("deleted")
    " FROM memory_traces WHERE rowid = ?1";
constexpr const char* kTraceColumns[] = {
    "id",       "type",       "scope",         "content",
    "strength", "created_at", "last_accessed", "retrieval_count",
    "tags",     "emotions",   "metadata",      "deleted"};

constexpr const char* kEdgeSizes = "SELECT rowid, " BRAIN_BYTES("source_id") "+" BRAIN_BYTES(
    "target_id") "+" BRAIN_BYTES("type") " FROM knowledge_edges ORDER BY rowid";
constexpr const char* kEdge =
    "SELECT " BRAIN_VALUE("source_id") "," BRAIN_VALUE("target_id") "," BRAIN_VALUE(
        "type") "," BRAIN_VALUE("weight") " FROM knowledge_edges WHERE rowid = ?1";
constexpr const char* kEdgeColumns[] = {"source_id", "target_id", "type", "weight"};

constexpr const char* kConversationSizes = "SELECT rowid, " BRAIN_BYTES("id") "+" BRAIN_BYTES(
    "title") "+" BRAIN_BYTES("metadata") " FROM conversations ORDER BY rowid";
constexpr const char* kConversation =
    "SELECT " BRAIN_VALUE("id") "," BRAIN_VALUE("title") "," BRAIN_VALUE("created_at")
    "," BRAIN_VALUE("updated_at") "," BRAIN_VALUE("metadata")
    " FROM conversations WHERE rowid = ?1";
constexpr const char* kConversationColumns[] = {"id", "title", "created_at", "updated_at",
                                                "metadata"};

constexpr const char* kMessageSizes =
    "SELECT rowid, " BRAIN_BYTES("conversation_id") "+" BRAIN_BYTES("role") "+" BRAIN_BYTES(
        "content") " FROM messages ORDER BY rowid";
constexpr const char* kMessage =
    "SELECT " BRAIN_VALUE("conversation_id") "," BRAIN_VALUE("role") "," BRAIN_VALUE(
        "content") "," BRAIN_VALUE("created_at") " FROM messages WHERE rowid = ?1";
constexpr const char* kMessageColumns[] = {"conversation_id", "role", "content", "created_at"};

// `sizes` lists the rows in order with their bytes; `row` reads one, each column with its type.
struct Source {
  const char* table;
  const char* array;  // of AgentOS' JSON
  bool needed;
  const char *sizes, *row;
  std::span<const char* const> columns;
};
constexpr Source kSources[] = {
    {"memory_traces", "traces", true, kTraceSizes, kTrace, kTraceColumns},
    {"knowledge_edges", "edges", false, kEdgeSizes, kEdge, kEdgeColumns},
    {"conversations", "conversations", false, kConversationSizes, kConversation,
     kConversationColumns},
    {"messages", "messages", false, kMessageSizes, kMessage, kMessageColumns},
};

bool HasColumn(Database& file, const char* table, const char* column) {
  Result<Statement> read =
      file.Prepare("SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2 COLLATE NOCASE");
  return read && read->Bind(table).Bind(column).Step().value_or(false);
}

Status CheckBrain(Database& file) {
  RETURN_IF_ERROR(CheckBrainSchema(file));
  for (const Source& source : kSources) {
    if (!source.needed && !HasColumn(file, source.table, source.columns.front())) continue;
    ASSIGN_OR_RETURN(const bool plain, IsPlainTable(file, source.table));
    if (!plain) return NoBrain(std::string(source.table) + " is no plain table");
    for (const char* column : source.columns) {
      if (!HasColumn(file, source.table, column))
        return NoBrain(std::string(source.table) + " has no column " + column);
    }
    // `row` finds a row by it in one step.
    if (!file.Prepare(source.sizes))
      return NoBrain(std::string(source.table) + " is a table without rowids");
    if (HasColumn(file, source.table, "rowid"))
      return NoBrain(std::string(source.table) + " has a column named rowid");
  }
  // No CHECK was found; if one hides, the check of the pages does not run it.
  RETURN_IF_ERROR(file.Execute("PRAGMA ignore_check_constraints = ON"));
  return file.CheckIntegrity({});
}

// SQLite's message about corruption is worded for the server's own files: this file is the
// client's.
Status ForClient(const Status& status) {
  if (status || status.error().code != Code::kInternal) return status;
  return NoBrain(status.error().message);
}

// Keeps invalid UTF-8: the validation of every import refuses it.
Json ValueAt(const Statement& row, int column) {
  const std::string type = row.Text(column + 1);
  if (type == "null") return nullptr;
  if (type == "integer") return row.Int(column);
  if (type == "real") return row.Real(column);
  return row.Text(column);
}

class SqliteBrain : public BrainCursor {
 public:
  explicit SqliteBrain(Database file) : file_(std::move(file)) {}

  Status Walk(const OnBrainRow& on_row) override {
    for (const Source& source : kSources) {
      if (!HasColumn(file_, source.table, source.columns.front())) continue;
      RETURN_IF_ERROR(WalkTable(source, on_row));
    }
    return {};
  }

 private:
  Status WalkTable(const Source& source, const OnBrainRow& on_row) {
    ASSIGN_OR_RETURN(Statement sizes, file_.Prepare(source.sizes));
    Status taken;  // of the rows, whose errors are not those of the file
    const Status read_all = sizes.ForEachRow([&](const Statement& at) -> Status {
      if (at.Int(1) > kMostRowBytes) {
        return taken = on_row(source.array,
                              Error{Code::kTooLarge, "the row has " + std::to_string(at.Int(1)) +
                                                         " bytes, the limit is " +
                                                         std::to_string(kMostRowBytes)});
      }
      ASSIGN_OR_RETURN(Statement read, file_.Prepare(source.row));
      ASSIGN_OR_RETURN(const bool there, read.Bind(at.Int(0)).Step());
      if (!there) return {};
      Json row = Json::object();
      int column = 0;
      for (const char* name : source.columns) {
        Json value = ValueAt(read, column);
        column += 2;
        if (!value.is_null()) row[name] = std::move(value);
      }
      return taken = on_row(source.array, std::move(row));
    });
    return taken ? ForClient(read_all) : taken;
  }

  Database file_;
};

}  // namespace

bool IsBrain(Database& file) {
  Result<Statement> read =
      file.Prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'memory_traces'");
  return read && read->Step().value_or(false);
}

Result<std::shared_ptr<BrainCursor>> OpenBrainIn(Database file) {
  file.SetDeadline(kMostCheckMs);
  RETURN_IF_ERROR(ForClient(CheckBrain(file)));
  file.SetDeadline(0);
  return std::shared_ptr<BrainCursor>(std::make_shared<SqliteBrain>(std::move(file)));
}

}  // namespace memory
