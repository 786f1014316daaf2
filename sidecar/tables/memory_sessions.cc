// The table's statements.
#include "sidecar/tables/memory_sessions.h"

namespace sidecar {
namespace {

using base::Result;
using base::Status;

}  // namespace

const char* const kMemorySessionsSchema = R"sql(
CREATE TABLE memory_sessions(
  id TEXT PRIMARY KEY NOT NULL,
  conversation TEXT NOT NULL,
  predecessor TEXT NOT NULL DEFAULT '',
  after_sequence INTEGER NOT NULL DEFAULT 0,
  summarized_sequence INTEGER NOT NULL DEFAULT 0
) STRICT;
)sql";

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
  return query.ReadFirst([](const sqlite::Statement& row) {
    return MemorySession{row.Text(0), row.Text(1), row.Text(2), row.Int(3)};
  });
}

Result<std::set<std::string>> SessionsOf(sqlite::Database& db, const std::string& conversation,
                                         const std::set<std::string>& ids) {
  std::set<std::string> own;
  for (const std::string& id : ids) {
    ASSIGN_OR_RETURN(const auto session, FindMemorySession(db, id));
    if (session && session->conversation == conversation) own.insert(id);
  }
  return own;
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

}  // namespace sidecar
