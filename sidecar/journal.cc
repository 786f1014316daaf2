// The journal's tables and statements.
#include "sidecar/journal.h"

#include <iterator>
#include <utility>

namespace sidecar {
namespace {

using base::Json;
using base::Result;
using base::Status;

constexpr size_t kNamesOfAnInjection = 300;  // and its digest and time, as JSON

// The first column of the first row, when there is one.
Result<std::optional<std::string>> OneText(sqlite::Statement& query) {
  ASSIGN_OR_RETURN(const bool found, query.Step());
  if (!found) return std::optional<std::string>();
  return std::optional<std::string>(query.Text(0));
}

InjectionRecord ReadInjection(const sqlite::Statement& row) {
  InjectionRecord record;
  record.conversation = row.Text(0);
  record.turn = row.Int(1);
  record.event = row.Text(2);
  record.tool_name = row.Text(3);
  record.tool_use_id = row.Text(4);
  record.text = row.Text(5);
  record.query = row.Text(6);
  record.outcome = row.Text(7);
  record.items = base::ParseJson(row.Text(8)).value_or(Json::array());
  record.policy_digest = row.Text(9);
  record.created_ms = row.Int(10);
  return record;
}

}  // namespace

const char* const kJournalSchema = R"sql(
CREATE TABLE handled_events(
  conversation TEXT NOT NULL,
  event TEXT NOT NULL,
  answer TEXT NOT NULL,
  PRIMARY KEY(conversation, event)
) STRICT, WITHOUT ROWID;
CREATE TABLE injections(
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation TEXT NOT NULL,
  turn INTEGER NOT NULL,
  event TEXT NOT NULL,
  tool_name TEXT NOT NULL,
  tool_use_id TEXT NOT NULL,
  text TEXT NOT NULL,
  query TEXT NOT NULL,
  outcome TEXT NOT NULL,
  items TEXT NOT NULL,
  policy_digest TEXT NOT NULL,
  created_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX injections_by_turn ON injections(conversation, turn);
CREATE TABLE seen_items(
  conversation TEXT NOT NULL,
  key TEXT NOT NULL,
  PRIMARY KEY(conversation, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE memory_sessions(
  id TEXT PRIMARY KEY NOT NULL,
  conversation TEXT NOT NULL,
  predecessor TEXT NOT NULL DEFAULT '',
  after_sequence INTEGER NOT NULL DEFAULT 0,
  summarized_sequence INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE audit_log(
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation TEXT NOT NULL,
  event TEXT NOT NULL,
  tool TEXT NOT NULL,
  details TEXT NOT NULL,
  created_ms INTEGER NOT NULL
) STRICT;
CREATE TRIGGER audit_log_no_update BEFORE UPDATE ON audit_log
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TABLE kept_policy(
  only_one INTEGER PRIMARY KEY CHECK(only_one = 1),
  file TEXT NOT NULL,
  loaded_ms INTEGER NOT NULL
) STRICT;
)sql";

const char* const kJournalAgeStep = R"sql(
ALTER TABLE handled_events ADD COLUMN created_ms INTEGER NOT NULL DEFAULT 0;
UPDATE handled_events SET created_ms = CAST(strftime('%s', 'now') AS INTEGER) * 1000;
CREATE INDEX handled_by_age ON handled_events(created_ms);
CREATE INDEX outbox_by_lane ON outbox(lane);
CREATE INDEX sessions_by_conversation ON memory_sessions(conversation);
CREATE TABLE aged(only_one INTEGER PRIMARY KEY CHECK(only_one = 1), now_ms INTEGER NOT NULL) STRICT;
)sql";

Result<std::optional<std::string>> AnswerGiven(sqlite::Database& db,
                                               const std::string& conversation,
                                               const std::string& event_key) {
  ASSIGN_OR_RETURN(
      auto query,
      db.Prepare("SELECT answer FROM handled_events WHERE conversation = ? AND event = ?"));
  query.Bind(conversation).Bind(event_key);
  return OneText(query);
}

Status RecordAnswer(sqlite::Database& db, const std::string& conversation,
                    const std::string& event_key, const std::string& answer, int64_t now_ms) {
  ASSIGN_OR_RETURN(auto insert, db.Prepare("INSERT INTO handled_events(conversation, event, answer,"
                                           " created_ms) VALUES(?,?,?,?)"));
  return insert.Bind(conversation).Bind(event_key).Bind(answer).Bind(now_ms).Run();
}

Status RecordInjection(sqlite::Database& db, const InjectionRecord& record) {
  ASSIGN_OR_RETURN(
      auto insert,
      db.Prepare(
          "INSERT INTO injections(conversation, turn, event, tool_name, tool_use_id, text,"
          " query, outcome, items, policy_digest, created_ms) VALUES(?,?,?,?,?,?,?,?,?,?,?)"));
  insert.Bind(record.conversation).Bind(record.turn).Bind(record.event).Bind(record.tool_name);
  insert.Bind(record.tool_use_id).Bind(record.text).Bind(record.query).Bind(record.outcome);
  insert.Bind(base::DumpJson(record.items)).Bind(record.policy_digest);
  return insert.Bind(record.created_ms).Run();
}

Result<InjectionPage> Injections(sqlite::Database& db, const std::string& conversation,
                                 int64_t turn, const InjectionPlace& place) {
  ASSIGN_OR_RETURN(
      auto query,
      db.Prepare("SELECT conversation, turn, event, tool_name, tool_use_id, text, query,"
                 " outcome, items, policy_digest, created_ms, number FROM injections"
                 " WHERE conversation = ? AND turn = ? AND number >= ? ORDER BY number"));
  query.Bind(conversation).Bind(turn).Bind(place.from);
  InjectionPage page;
  size_t bytes = 0;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, query.Step());
    if (!more) return page;
    // As JSON; `items` is that already.
    for (const int column : {2, 3, 4, 5, 6}) bytes += base::DumpJson(query.Text(column)).size();
    bytes += query.Text(8).size() + kNamesOfAnInjection;
    const bool fits = std::ssize(page.records) < place.limit && bytes <= place.bytes;
    if (!fits && !page.records.empty()) {
      page.more = query.Int(11);
      return page;
    }
    page.records.push_back(ReadInjection(query));
  }
}

Status AddMemorySession(sqlite::Database& db, const MemorySession& session) {
  ASSIGN_OR_RETURN(auto insert,
                   db.Prepare("INSERT INTO memory_sessions(id, conversation, predecessor,"
                              " after_sequence) VALUES(?,?,?,?)"));
  insert.Bind(session.id).Bind(session.conversation).Bind(session.predecessor);
  return insert.Bind(session.after_sequence).Run();
}

Result<std::optional<MemorySession>> FindMemorySession(sqlite::Database& db,
                                                       const std::string& id) {
  ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT id, conversation, predecessor, after_sequence"
                                          " FROM memory_sessions WHERE id = ?"));
  query.Bind(id);
  ASSIGN_OR_RETURN(const bool found, query.Step());
  if (!found) return std::optional<MemorySession>();
  return std::optional<MemorySession>({query.Text(0), query.Text(1), query.Text(2), query.Int(3)});
}

Result<int64_t> SummarizedSequence(sqlite::Database& db, const std::string& id) {
  ASSIGN_OR_RETURN(auto query,
                   db.Prepare("SELECT summarized_sequence FROM memory_sessions WHERE id = ?"));
  query.Bind(id);
  ASSIGN_OR_RETURN(const bool found, query.Step());
  return found ? query.Int(0) : int64_t{0};
}

Status SetSummarizedSequence(sqlite::Database& db, const std::string& id, int64_t sequence) {
  ASSIGN_OR_RETURN(auto update,
                   db.Prepare("UPDATE memory_sessions SET summarized_sequence = ? WHERE id = ?"));
  return update.Bind(sequence).Bind(id).Run();
}

Status KeepPolicy(sqlite::Database& db, const std::string& file, int64_t now_ms) {
  ASSIGN_OR_RETURN(auto insert, db.Prepare("INSERT OR REPLACE INTO kept_policy(only_one, file,"
                                           " loaded_ms) VALUES(1,?,?)"));
  return insert.Bind(file).Bind(now_ms).Run();
}

Result<std::optional<std::string>> KeptPolicy(sqlite::Database& db) {
  ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT file FROM kept_policy"));
  return OneText(query);
}

}  // namespace sidecar
