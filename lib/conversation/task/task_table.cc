// The table and its statements.
#include "lib/conversation/task/task_table.h"

#include <optional>

#include "lib/base/json/stored.h"

namespace conversation {

const char* const kTaskStep = R"sql(
CREATE TABLE task_states(
  conversation TEXT PRIMARY KEY NOT NULL,
  state TEXT NOT NULL,
  updated_ms INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
)sql";

base::Result<TaskState> ReadTask(sqlite::Database& db, const std::string& conversation) {
  ASSIGN_OR_RETURN(auto query,
                   db.Prepare("SELECT state, row_is_sound('task_states', rowid, checksum,"
                              " conversation, state, updated_ms) FROM task_states"
                              " WHERE conversation = ?"));
  query.Bind(conversation);
  ASSIGN_OR_RETURN(const auto stored, query.ReadFirst([](const sqlite::Statement& row) {
    return row.Int(1) != 0 ? row.Text(0) : std::string();
  }));
  if (!stored) return TaskState();
  ASSIGN_OR_RETURN(const base::Json json, base::ParseStored(*stored, base::Json()));
  return DecodeTaskState(json).value_or(TaskState());
}

base::Status WriteTask(sqlite::Database& db, const std::string& conversation,
                       const TaskState& state, int64_t now_ms) {
  ASSIGN_OR_RETURN(
      auto write,
      db.Prepare("INSERT INTO task_states(conversation, state, updated_ms, checksum)"
                 " VALUES(?1, ?2, ?3, row_checksum(?1, ?2, ?3)) ON CONFLICT(conversation)"
                 " DO UPDATE SET state = excluded.state, updated_ms = excluded.updated_ms,"
                 " checksum = excluded.checksum"));
  write.Bind(conversation).Bind(base::DumpJson(EncodeTaskState(state))).Bind(now_ms);
  return write.Run();
}

base::Status RemoveTask(sqlite::Database& db, const std::string& conversation) {
  ASSIGN_OR_RETURN(auto remove, db.Prepare("DELETE FROM task_states WHERE conversation = ?"));
  return remove.Bind(conversation).Run();
}

}  // namespace conversation
