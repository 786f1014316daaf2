// The log's table and statements.
#include "sidecar/tables/injection_log.h"

#include <iterator>
#include <utility>

#include "lib/base/json/stored.h"

namespace sidecar {
namespace {

using base::Json;
using base::Result;
using base::Status;

constexpr size_t kNamesOfAnInjection = 300;  // bytes of keys, digest and time as JSON

Result<InjectionRecord> ReadInjection(const sqlite::Statement& row) {
  InjectionRecord record;
  record.conversation = row.Text(0);
  record.turn = row.Int(1);
  record.event = row.Text(2);
  record.tool_name = row.Text(3);
  record.tool_use_id = row.Text(4);
  record.text = row.Text(5);
  record.query = row.Text(6);
  record.outcome = row.Text(7);
  ASSIGN_OR_RETURN(record.items, base::ParseStored(row.Text(8), Json::array()));
  record.policy_digest = row.Text(9);
  record.created_ms = row.Int(10);
  return record;
}

}  // namespace

const char* const kInjectionsSchema = R"sql(
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
)sql";

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
  RETURN_IF_ERROR(query.ForEachRow([&](const sqlite::Statement& row) -> Result<bool> {
    // Counts sizes as JSON; `items` is JSON already.
    for (const int column : {2, 3, 4, 5, 6}) bytes += base::DumpJson(row.Text(column)).size();
    bytes += row.Text(8).size() + kNamesOfAnInjection;
    const bool fits = std::ssize(page.records) < place.limit && bytes <= place.bytes;
    if (!fits && !page.records.empty()) {
      page.more = row.Int(11);
      return false;
    }
    ASSIGN_OR_RETURN(InjectionRecord record, ReadInjection(row));
    page.records.push_back(std::move(record));
    return true;
  }));
  return page;
}

}  // namespace sidecar
