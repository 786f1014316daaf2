// Three kinds of tables: rewritten rows get a new checksum in the same transaction; rows that must
// not change (the audit log, checkpoints with the agent's own digest) are only searched, so that
// the person learns what remains; answers to events are deleted (ADR 72).
#include "sidecar/tables/erasure.h"

#include <utility>

namespace sidecar {
namespace {

using base::Json;
using base::Quotes;
using base::Result;
using base::Status;

constexpr size_t kPieceBytes = 1 << 20;

#define AFTER " AND rowid > ?1 ORDER BY rowid"
// A row that fails its checksum is skipped: a new checksum would hide the damage.
#define SOUND(sum) "(checksum IS NULL OR checksum = " sum ")"
#define MESSAGE_SUM \
  "row_checksum(conversation, sequence, role, content, tool_calls, tool_call_id, created_ms)"
#define BLOCK_SUM                                                                           \
  "row_checksum(conversation, block, first, last, query, outcome, summary, tokens, tools, " \
  "digested)"
#define FORM_SUM                                                                          \
  "row_checksum((SELECT conversation FROM blocks b WHERE b.number = block_forms.number)," \
  " (SELECT block FROM blocks b WHERE b.number = block_forms.number), parts)"
#define TASK_SUM "row_checksum(conversation, state, updated_ms)"
#define FIELDS_SUM "row_checksum(conversation, fields)"
#define STATE_SUM "row_checksum(id, fields)"
#define CHECKPOINT_SUM \
  "row_checksum(conversation, generation, step, saved_ms, expires_ms, sha256, document)"

// A row's texts without the quotes, and whether it had any.
struct Rewritten {
  std::vector<std::optional<std::string>> texts;  // nullopt: NULL
  bool quotes = false;
  size_t bytes = 0;
};

Rewritten Rewrite(const QuotedTable& table, const Quotes& quotes, const sqlite::Statement& row) {
  Rewritten made;
  for (int column = 1; column <= table.texts; ++column) {
    if (row.IsNull(column)) {
      made.texts.emplace_back();
      continue;
    }
    std::string text = row.Text(column);
    made.bytes += text.size();
    if (auto without = WithoutQuotes(quotes, text)) {
      made.quotes = true;
      text = std::move(*without);
    }
    made.texts.emplace_back(std::move(text));
  }
  return made;
}

// True if a string was changed.
bool EraseStrings(const Quotes& quotes, Json& json) {
  if (json.is_string()) {
    auto without = WithoutQuotes(quotes, json.get_ref<const std::string&>());
    if (without) json = std::move(*without);
    return without.has_value();
  }
  bool changed = false;
  if (json.is_structured())
    for (auto& inner : json) changed = EraseStrings(quotes, inner) || changed;
  return changed;
}

}  // namespace

const std::vector<QuotedTable>& QuotedTables() {
  static const std::vector<QuotedTable> kTables = {
      {"messages", 2,
       "SELECT rowid, content, tool_calls FROM messages WHERE " SOUND(MESSAGE_SUM) AFTER,
       "UPDATE messages SET content = ?2, tool_calls = ?3 WHERE rowid = ?1",
       "UPDATE messages SET checksum = " MESSAGE_SUM " WHERE rowid = ?1"},
      {"blocks", 3,
       "SELECT rowid, query, outcome, summary FROM blocks WHERE " SOUND(BLOCK_SUM) AFTER,
       "UPDATE blocks SET query = ?2, outcome = ?3, summary = ?4 WHERE rowid = ?1",
       "UPDATE blocks SET checksum = " BLOCK_SUM " WHERE rowid = ?1"},
      {"block forms", 1, "SELECT rowid, parts FROM block_forms WHERE " SOUND(FORM_SUM) AFTER,
       "UPDATE block_forms SET parts = ?2 WHERE rowid = ?1",
       "UPDATE block_forms SET checksum = " FORM_SUM " WHERE rowid = ?1"},
      {"injections", 3, "SELECT rowid, text, query, items FROM injections WHERE true" AFTER,
       "UPDATE injections SET text = ?2, query = ?3, items = ?4 WHERE rowid = ?1"},
      {"tasks", 1, "SELECT rowid, state FROM task_states WHERE " SOUND(TASK_SUM) AFTER,
       "UPDATE task_states SET state = ?2 WHERE rowid = ?1",
       "UPDATE task_states SET checksum = " TASK_SUM " WHERE rowid = ?1"},
      {"working memory", 1,
       "SELECT rowid, fields FROM working_memory WHERE " SOUND(FIELDS_SUM) AFTER,
       "UPDATE working_memory SET fields = ?2 WHERE rowid = ?1",
       "UPDATE working_memory SET checksum = " FIELDS_SUM " WHERE rowid = ?1"},
      {"conversations", 1,
       "SELECT rowid, fields FROM conversations WHERE (fields_checksum IS NULL OR fields_checksum "
       "= " STATE_SUM ")" AFTER,
       "UPDATE conversations SET fields = ?2 WHERE rowid = ?1",
       "UPDATE conversations SET fields_checksum = " STATE_SUM " WHERE rowid = ?1"},
      {"checkpoints", 1,
       "SELECT rowid, document FROM checkpoints WHERE " SOUND(CHECKPOINT_SUM) AFTER, nullptr,
       nullptr, "a checkpoint is the agent's own, with the digest that it gave",
       "it expires; the agent's next checkpoints replace it"},
      {"audit log", 1, "SELECT rowid, details FROM audit_log WHERE true" AFTER, nullptr, nullptr,
       "the audit log is append-only",
       "mark its rows as read (POST /v1/audit/read): read rows are deleted by age"},
  };
  return kTables;
}

std::optional<std::string> WithoutQuotes(const Quotes& quotes, const std::string& text) {
  // JSON is erased string by string: a quote that reaches beyond a string would break the JSON.
  if (text.starts_with('{') || text.starts_with('[')) {
    auto json = base::ParseJson(text);
    if (json && !EraseStrings(quotes, *json)) return std::nullopt;
    if (json) return base::DumpJson(*json);
  }
  return quotes.EraseFrom(text);
}

Result<QuotedPiece> FindQuotes(sqlite::Database& db, const QuotedTable& table, const Quotes& quotes,
                               int64_t after) {
  ASSIGN_OR_RETURN(auto read, db.Prepare(table.find));
  QuotedPiece piece{{}, after, true};
  size_t bytes = 0;
  RETURN_IF_ERROR(read.Bind(after).ForEachRow([&](const sqlite::Statement& row) -> Result<bool> {
    const Rewritten made = Rewrite(table, quotes, row);
    piece.last = row.Int(0);
    if (made.quotes) piece.rows.push_back(piece.last);
    bytes += made.bytes + 100;
    piece.end = bytes < kPieceBytes;
    return piece.end;
  }));
  return piece;
}

Status EraseFromRow(sqlite::Database& db, const QuotedTable& table, const Quotes& quotes,
                    int64_t row) {
  Rewritten made;
  {
    ASSIGN_OR_RETURN(auto read, db.Prepare(table.find));
    ASSIGN_OR_RETURN(const bool there, read.Bind(row - 1).Step());
    if (!there || read.Int(0) != row) return {};
    made = Rewrite(table, quotes, read);
  }
  if (!made.quotes) return {};
  ASSIGN_OR_RETURN(auto write, db.Prepare(table.write));
  write.Bind(row);
  for (const std::optional<std::string>& text : made.texts) write.Bind(text);
  RETURN_IF_ERROR(write.Run());
  if (table.sum == nullptr) return {};
  ASSIGN_OR_RETURN(auto sum, db.Prepare(table.sum));
  return sum.Bind(row).Run();
}

Result<int64_t> EraseAnswers(sqlite::Database& db, const Quotes& quotes) {
  std::vector<std::pair<std::string, std::string>> quoting;
  ASSIGN_OR_RETURN(auto read, db.Prepare("SELECT conversation, event, answer FROM handled_events"));
  RETURN_IF_ERROR(read.ForEachRow([&](const sqlite::Statement& row) {
    if (WithoutQuotes(quotes, row.Text(2))) quoting.emplace_back(row.Text(0), row.Text(1));
  }));
  for (const auto& [conversation, event] : quoting) {
    ASSIGN_OR_RETURN(auto remove, db.Prepare("DELETE FROM handled_events WHERE conversation = ? "
                                             "AND event = ?"));
    RETURN_IF_ERROR(remove.Bind(conversation).Bind(event).Run());
  }
  return static_cast<int64_t>(quoting.size());
}

}  // namespace sidecar
