// The table's statements.
#include "sidecar/tables/answered_events.h"

namespace sidecar {
namespace {

using base::Result;
using base::Status;

}  // namespace

const char* const kAnsweredEventsSchema = R"sql(
CREATE TABLE handled_events(
  conversation TEXT NOT NULL,
  event TEXT NOT NULL,
  answer TEXT NOT NULL,
  PRIMARY KEY(conversation, event)
) STRICT, WITHOUT ROWID;
)sql";

Result<std::optional<std::string>> FindAnswer(sqlite::Database& db, const std::string& conversation,
                                              const std::string& event_key) {
  ASSIGN_OR_RETURN(
      auto query,
      db.Prepare("SELECT answer FROM handled_events WHERE conversation = ? AND event = ?"));
  query.Bind(conversation).Bind(event_key);
  return query.ReadFirst([](const sqlite::Statement& row) { return row.Text(0); });
}

Status SaveAnswer(sqlite::Database& db, const std::string& conversation,
                  const std::string& event_key, const std::string& answer, int64_t now_ms) {
  ASSIGN_OR_RETURN(auto insert, db.Prepare("INSERT INTO handled_events(conversation, event, answer,"
                                           " created_ms) VALUES(?,?,?,?)"));
  return insert.Bind(conversation).Bind(event_key).Bind(answer).Bind(now_ms).Run();
}

}  // namespace sidecar
