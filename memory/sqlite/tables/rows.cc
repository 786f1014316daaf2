// Statements over observations and sessions.
#include "memory/sqlite/tables/rows.h"

#include <algorithm>

#include "lib/base/check.h"
#include "lib/base/json/json.h"
#include "lib/base/limits/answer_charge.h"
#include "lib/base/text/text.h"
#include "memory/model/marks.h"
#include "memory/model/session_names.h"
#include "memory/model/slots.h"
#include "memory/sqlite/tables/live.h"
#include "memory/sqlite/tables/vectors.h"
#include "memory/sqlite/tables/waiting.h"
#include "memory/store/answer_limit.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

Result<int64_t> OneNumber(Statement read) {
  ASSIGN_OR_RETURN(bool row, read.Step());
  if (!row) return Error{Code::kInternal, "a counter is missing in the database"};
  int64_t value = read.Int(0);
  ASSIGN_OR_RETURN(bool more,
                   read.Step());  // RETURNING applies its change at the last step
  if (more) return Error{Code::kInternal, "a counter occurs twice in the database"};
  return value;
}

// What a new row takes.
struct Numbers {
  int64_t of_range = 0, id = 0, position = 0;
};

// Reads and increments three counters; records whether positions follow the order of time. Two
// statements are cheaper than UPDATE … RETURNING (measured in SQLite: half the time).
Result<Numbers> TakeNumbers(Database& database, int64_t range, int64_t session,
                            const api::Observation& row) {
  Numbers taken;
  {
    ASSIGN_OR_RETURN(Statement slot, database.Prepare("SELECT next FROM ranges WHERE number = ?1"));
    ASSIGN_OR_RETURN(
        Statement id,
        database.Prepare("SELECT max(value, ?1) FROM counters WHERE name = 'next_id'"));
    ASSIGN_OR_RETURN(Statement position,
                     database.Prepare("SELECT next_position FROM sessions WHERE number = ?1"));
    slot.Bind(range).Send();
    id.Bind(row.id).Send();
    position.Bind(session).Send();
    ASSIGN_OR_RETURN(taken.of_range, OneNumber(std::move(slot)));
    ASSIGN_OR_RETURN(taken.id, OneNumber(std::move(id)));
    ASSIGN_OR_RETURN(taken.position, OneNumber(std::move(position)));
  }
  if (row.id != 0) taken.id = row.id;
  ASSIGN_OR_RETURN(Statement slot,
                   database.Prepare("UPDATE ranges SET next = next + 1 WHERE number = ?1"));
  RETURN_IF_ERROR(slot.Bind(range).Run());
  ASSIGN_OR_RETURN(
      Statement id,
      database.Prepare("UPDATE counters SET value = max(value + CASE WHEN CAST(?1 AS "
                       "BIGINT) = 0 THEN 1 ELSE 0 END, ?1 + 1) WHERE name = 'next_id'"));
  RETURN_IF_ERROR(id.Bind(row.id).Run());
  ASSIGN_OR_RETURN(
      Statement position,
      database.Prepare("UPDATE sessions SET next_position = next_position + 1, last_ms = ?2, "
                       "last_id = ?3, mixed = CASE WHEN mixed <> 0 OR (?2, ?3) < (last_ms, "
                       "last_id) THEN 1 ELSE 0 END "
                       "WHERE number = ?1"));
  RETURN_IF_ERROR(position.Bind(session).Bind(row.created_ms).Bind(taken.id).Run());
  return taken;
}

}  // namespace

bool HasTable(Database& database, const char* name) {
  Result<Statement> read =
      database.Prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1");
  return read && read->Bind(name).Step().value_or(false);
}

int64_t IntAt(const Statement& row) { return row.Int(0); }

std::string ListOf(std::span<const int64_t> numbers) {
  std::string list = "[";
  for (const int64_t number : numbers) {
    if (list.size() > 1) list += ',';
    list += std::to_string(number);
  }
  return list + "]";
}

Statement& BindList(Statement& statement, std::span<const int64_t> numbers) {
  return statement.Bind(ListOf(numbers)).Bind(static_cast<int64_t>(numbers.size()));
}

std::vector<std::string> TagsOf(const std::string& stored) {
  std::vector<std::string> tags;
  Result<base::Json> json = base::ParseJson(stored);
  if (!json || !json->is_array()) return tags;
  for (const base::Json& tag : *json) tags.push_back(tag.is_string() ? tag.get<std::string>() : "");
  return tags;
}

api::Observation ObservationAt(const Statement& row) {
  using Of = ObservationColumns;
  api::Observation read;
  read.id = row.Int(Of::kId);
  read.session_id = row.Text(Of::kSession);
  read.type = row.Text(Of::kType);
  read.title = row.Text(Of::kTitle);
  read.content = row.Text(Of::kContent);
  read.project = row.Text(Of::kProject);
  read.tags = TagsOf(row.Text(Of::kTags));
  read.scope = row.Text(Of::kScope);
  read.topic_key = row.Text(Of::kTopicKey);
  read.normalized_hash = row.Text(Of::kHash);
  read.revision_count = row.Int(Of::kRevisionCount);
  read.duplicate_count = row.Int(Of::kDuplicateCount);
  read.last_seen_ms = row.Int(Of::kSeenMs);
  read.created_ms = row.Int(Of::kCreatedMs);
  read.updated_ms = row.Int(Of::kUpdatedMs);
  read.source = {row.Text(Of::kTool), row.Text(Of::kToolCallId), row.Text(Of::kRule),
                 row.Text(Of::kOrigin)};
  return read;
}

api::Session SessionAt(const Statement& row) {
  using Of = SessionColumns;
  return {row.Text(Of::kId),          row.Text(Of::kProject),  row.Text(Of::kSummary),
          row.Text(Of::kPredecessor), row.Int(Of::kStartedMs), row.Int(Of::kEndedMs),
          row.Int(Of::kMessageCount)};
}

namespace {

// `row_at` of each row, up to the one that exceeds `most` bytes of an answer.
template <class RowAt>
auto ReadAnswer(Statement read, size_t most, RowAt row_at)
    -> Result<std::vector<decltype(row_at(read))>> {
  std::vector<decltype(row_at(read))> rows;
  base::AnswerCharge charge;
  size_t bytes = 0;
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) -> Result<bool> {
    rows.push_back(row_at(row));
    const size_t row_bytes = AnswerBytes(rows.back());
    RETURN_IF_ERROR(charge.Add(row_bytes));
    bytes += row_bytes;
    return bytes <= most;
  }));
  return rows;
}

}  // namespace

Result<std::vector<api::Observation>> AllObservations(Statement read, size_t bytes) {
  return ReadAnswer(std::move(read), bytes, ObservationAt);
}

Result<std::vector<api::Session>> AllSessions(Statement read) {
  return ReadAnswer(std::move(read), kAnswerBytes, SessionAt);
}

Result<std::optional<int64_t>> FindProject(Database& database, const std::string& name) {
  ASSIGN_OR_RETURN(Statement read,
                   database.Prepare("SELECT number FROM projects WHERE folded = ?1"));
  return read.Bind(base::FoldCase(name)).ReadFirst(IntAt);
}

Result<int64_t> FindOrAddProject(Database& database, const std::string& name) {
  ASSIGN_OR_RETURN(std::optional<int64_t> known, FindProject(database, name));
  if (known) return *known;
  ASSIGN_OR_RETURN(
      Statement add,
      database.Prepare("INSERT INTO projects(name, folded) VALUES(?1, ?2) RETURNING number"));
  add.Bind(name).Bind(base::FoldCase(name));
  ASSIGN_OR_RETURN(int64_t number, OneNumber(std::move(add)));
  ASSIGN_OR_RETURN(Statement range, database.Prepare("INSERT INTO ranges(number) VALUES(?1)"));
  RETURN_IF_ERROR(range.Bind(number).Run());
  return number;
}

Result<Location> FindOrAddLocation(Database& database, const std::string& session,
                                   const std::string& project, int64_t now_ms) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare("SELECT s.project, s.number, p.folded FROM sessions s JOIN projects p "
                       "ON p.number = s.project WHERE s.id = ?1"));
  read.Bind(session);
  ASSIGN_OR_RETURN(bool row, read.Step());
  if (row) {
    if (read.Text(2) == base::FoldCase(project)) return Location{read.Int(0), read.Int(1)};
    return Error{Code::kConflict,
                 "session_id " + session + " belongs to another project than \"" + project + "\""};
  }
  ASSIGN_OR_RETURN(int64_t number, FindOrAddProject(database, project));
  ASSIGN_OR_RETURN(Statement add,
                   database.Prepare("INSERT INTO sessions(id, project, started_ms, implied) "
                                    "VALUES(?1, ?2, ?3, 1) RETURNING number"));
  add.Bind(session).Bind(number).Bind(now_ms);
  ASSIGN_OR_RETURN(const int64_t added, OneNumber(std::move(add)));
  return Location{number, added};
}

Result<std::string> SessionIdIn(Database& database, const std::string& wanted,
                                const std::string& project, const char* prefix) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare("SELECT p.folded FROM sessions s JOIN projects p ON p.number = s.project "
                       "WHERE s.id = ?1"));
  ASSIGN_OR_RETURN(const bool known, read.Bind(wanted).Step());
  const bool own = !known || read.Text(0) == base::FoldCase(project);
  if (own) return wanted;
  return OtherSessionName(prefix, project, wanted);
}

Result<std::optional<Place>> FindRow(Database& database, int64_t id) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare("SELECT o.slot, " MEMORY_LIVE
                                                    " FROM observations o WHERE o.id = ?1"));
  return read.Bind(id).ReadFirst([](const Statement& row) {
    return Place{row.Int(0), row.Int(1) != 0};
  });
}

Result<std::optional<api::Observation>> FindObservation(Database& database, int64_t slot) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare(MEMORY_SELECT_OBSERVATION "WHERE o.slot = ?1"));
  return read.Bind(slot).ReadFirst(ObservationAt);
}

Result<std::optional<api::Observation>> ObservationsInTurn::Next() {
  CHECK(next_ < slots_.size());
  if (next_ == read_) RETURN_IF_ERROR(Read());
  auto row = rows_.extract(slots_[next_++]);
  return row ? std::optional(std::move(row.mapped())) : std::nullopt;
}

Status ObservationsInTurn::Read() {
  const auto some = std::span(slots_).subspan(read_, std::min(kAtOnce, slots_.size() - read_));
  read_ += some.size();
  ASSIGN_OR_RETURN(Statement read,
                   database_.Prepare("SELECT " MEMORY_OBSERVATION ", o.slot FROM " MEMORY_LISTED
                                     "CROSS JOIN observations o " MEMORY_OF_OBSERVATION
                                     "WHERE o.slot = j.slot"));
  return BindList(read, some).ForEachRow([&](const Statement& row) {
    rows_.emplace(row.Int(ObservationColumns::kSlot), ObservationAt(row));
  });
}

Result<api::Observation> ReadRow(Database& database, int64_t slot) {
  ASSIGN_OR_RETURN(std::optional<api::Observation> row, FindObservation(database, slot));
  if (row) return *std::move(row);
  return Error{Code::kInternal, "a row vanished inside its snapshot or transaction"};
}

Result<int64_t> InsertRow(Database& database, const api::Observation& row, const TextFacts& facts,
                          const Location& location) {
  const int64_t range = row.scope == "global" ? kGlobalRange : location.project;
  ASSIGN_OR_RETURN(const Numbers taken, TakeNumbers(database, range, location.session, row));
  const int64_t slot = range << kRangeBits | taken.of_range;

  ASSIGN_OR_RETURN(
      Statement add,
      database.Prepare(
          "INSERT INTO observations(slot, id, range, project, session, position, words, "
          "marks, created_ms, updated_ms, seen_ms, content_ms, revision_count, "
          "duplicate_count, type, scope, topic_key, hash, rule, tool, tool_call_id, origin, "
          "tags, title, grams, content) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, "
          "?10, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25)"));
  add.Bind(slot).Bind(taken.id).Bind(range).Bind(location.project).Bind(location.session);
  add.Bind(taken.position);
  const std::string tags = base::DumpJson(row.tags);
  add.Bind(facts.words).Bind(facts.flags | MarksOf(tags));
  add.Bind(row.created_ms).Bind(row.updated_ms).Bind(row.last_seen_ms);
  add.Bind(row.revision_count).Bind(row.duplicate_count).Bind(row.type).Bind(row.scope);
  add.Bind(row.topic_key.empty() ? std::nullopt : std::optional(row.topic_key));
  add.Bind(row.normalized_hash)
      .Bind(row.source.rule)
      .Bind(row.source.tool)
      .Bind(row.source.tool_call_id);
  add.Bind(row.source.origin).Bind(tags).Bind(row.title);
  add.Bind(WithTags(facts.grams, tags)).Bind(row.content);
  RETURN_IF_ERROR(add.Run());
  const auto characters = static_cast<int64_t>(base::CountCharacters(row.content));
  RETURN_IF_ERROR(AddNewToIndex(database, slot, characters));
  RETURN_IF_ERROR(PutVector(database, slot, facts));
  return taken.id;
}

Result<bool> Revive(Database& database, int64_t slot) {
  // Asks, since the error of a constraint ends a transaction of PostgreSQL.
  ASSIGN_OR_RETURN(
      Statement show,
      database.Prepare("UPDATE observations SET deleted_ms = NULL WHERE slot = ?1 AND NOT EXISTS("
                       "SELECT 1 FROM observations t WHERE t.topic_key = observations.topic_key "
                       "AND t.project = observations.project AND t.scope = observations.scope "
                       "AND t.deleted_ms IS NULL AND t.slot <> ?1) RETURNING slot"));
  ASSIGN_OR_RETURN(const bool shown, show.Bind(slot).Step());
  if (!shown) return false;
  RETURN_IF_ERROR(show.Run());
  RETURN_IF_ERROR(AddToIndex(database, slot));
  return true;
}

}  // namespace memory
