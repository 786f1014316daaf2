// A RowId is a slot of the table of observations.
#include "memory/sqlite/writing/observation_rows.h"

#include "lib/base/json/json.h"
#include "memory/model/marks.h"
#include "memory/sqlite/tables/duplicates.h"
#include "memory/sqlite/tables/live.h"
#include "memory/sqlite/tables/retired.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/tables/vectors.h"
#include "memory/sqlite/tables/viewer.h"
#include "memory/sqlite/tables/waiting.h"

namespace memory {

using api::Observation;
using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

constexpr const char* kOfSession =
    "SELECT slot, origin, type, coalesce(topic_key, ''), title, content FROM ("
    "SELECT * FROM observations WHERE session = ?1 ORDER BY position DESC LIMIT ?4) o "
    "WHERE project = ?2 AND scope = ?3 AND length(content) <= ?5 AND " MEMORY_LIVE MEMORY_FOR_ALL
    "ORDER BY position DESC";

Status KeepRevision(Database& database, int64_t slot, int64_t now_ms) {
  ASSIGN_OR_RETURN(
      Statement keep,
      database.Prepare("INSERT INTO revisions SELECT id, revision_count, ?2, updated_ms, type, "
                       "title, tags, origin, content FROM observations WHERE slot = ?1"));
  return keep.Bind(slot).Bind(now_ms).Run();
}

}  // namespace

Result<Location> SqliteObservations::FindOrAddLocation(const std::string& session,
                                                       const std::string& project, int64_t now_ms) {
  return memory::FindOrAddLocation(database_, session, project, now_ms);
}

Result<std::optional<RowPlace>> SqliteObservations::Find(int64_t id) {
  ASSIGN_OR_RETURN(Statement read,
                   database_.Prepare("SELECT o.slot, o.project, o.session, o.deleted_ms IS NOT "
                                     "NULL, " MEMORY_LIVE "FROM observations o WHERE o.id = ?1"));
  return read.Bind(id).ReadFirst([](const Statement& row) {
    return RowPlace{row.Int(0), {row.Int(1), row.Int(2)}, row.Int(3) != 0, row.Int(4) != 0};
  });
}

Result<bool> SqliteObservations::WasRemoved(int64_t id) {
  ASSIGN_OR_RETURN(Statement read, database_.Prepare("SELECT 1 FROM tombstones WHERE id = ?1"));
  return read.Bind(id).Step();
}

Result<Observation> SqliteObservations::Read(RowId row) { return ReadRow(database_, row); }

Result<std::vector<Candidate>> SqliteObservations::FindCandidates(const Incoming& incoming,
                                                                  const Location& location,
                                                                  int64_t window_ms) {
  return memory::FindCandidates(database_, incoming, location.project, window_ms);
}

Status SqliteObservations::VisitSession(const Location& location, const std::string& scope,
                                        int64_t most, int64_t characters,
                                        const std::function<bool(const SessionRow&)>& visit) {
  ASSIGN_OR_RETURN(Statement read, database_.Prepare(kOfSession));
  read.Bind(location.session).Bind(location.project).Bind(std::string_view(scope));
  return read.Bind(most).Bind(characters).ForEachRow([&](const Statement& row) -> Result<bool> {
    return visit({row.Int(0), row.Text(1), row.Text(2), row.Text(3), row.Text(4), row.Text(5)});
  });
}

Status SqliteObservations::FreeTopic(const std::string& topic_key, const Location& location,
                                     const std::string& scope, int64_t now_ms) {
  return memory::FreeTopic(database_, topic_key, location.project, scope, now_ms);
}

Result<int64_t> SqliteObservations::Insert(const Observation& row, const TextFacts& facts,
                                           const Location& location) {
  return InsertRow(database_, row, facts, location);
}

Status SqliteObservations::Rewrite(RowId row, const Observation& text, const TextFacts& facts,
                                   int64_t now_ms) {
  RETURN_IF_ERROR(KeepRevision(database_, row, now_ms));
  RETURN_IF_ERROR(RemoveFromIndex(database_, row));
  ASSIGN_OR_RETURN(
      Statement write,
      database_.Prepare(
          "UPDATE observations SET type = ?2, title = ?3, content = ?4, tags = ?5, grams = ?6, "
          "hash = ?7, words = ?8, marks = ?9, rule = ?10, tool = ?11, tool_call_id = ?12, "
          "origin = ?13, content_ms = CASE WHEN content = ?4 THEN content_ms ELSE ?14 END, "
          "updated_ms = ?14, seen_ms = ?14, revision_count = revision_count + 1 "
          "WHERE slot = ?1"));
  write.Bind(row).Bind(std::string_view(text.type)).Bind(std::string_view(text.title));
  const std::string tags = base::DumpJson(text.tags);
  write.Bind(std::string_view(text.content)).Bind(std::string_view(tags));
  write.Bind(std::string_view(WithTags(facts.grams, tags)));
  write.Bind(std::string_view(api::NormalizedHash(text.content)));
  write.Bind(facts.words).Bind(facts.flags | MarksOf(tags));
  write.Bind(std::string_view(text.source.rule)).Bind(std::string_view(text.source.tool));
  write.Bind(std::string_view(text.source.tool_call_id))
      .Bind(std::string_view(text.source.origin))
      .Bind(now_ms);
  RETURN_IF_ERROR(write.Run());
  RETURN_IF_ERROR(PutVector(database_, row, facts));
  return AddToIndex(database_, row);
}

Result<bool> SqliteObservations::HasRevision(int64_t id, const std::string& content) {
  ASSIGN_OR_RETURN(Statement known,
                   database_.Prepare("SELECT 1 FROM revisions WHERE id = ?1 AND content = ?2"));
  return known.Bind(id).Bind(content).Step();
}

Status SqliteObservations::AddRevision(RowId row, const Observation& text, int64_t now_ms) {
  RETURN_IF_ERROR(KeepRevision(database_, row, now_ms));
  ASSIGN_OR_RETURN(Statement add,
                   database_.Prepare("INSERT INTO revisions(id, revision, replaced_ms, written_ms, "
                                     "type, title, tags, origin, content) SELECT id, "
                                     "revision_count + 1, ?2, ?2, ?3, ?4, ?5, ?6, ?7 "
                                     "FROM observations WHERE slot = ?1"));
  add.Bind(row).Bind(now_ms).Bind(text.type).Bind(text.title).Bind(base::DumpJson(text.tags));
  RETURN_IF_ERROR(add.Bind(text.source.origin).Bind(text.content).Run());
  ASSIGN_OR_RETURN(Statement count,
                   database_.Prepare("UPDATE observations SET revision_count = revision_count + 2 "
                                     "WHERE slot = ?1"));
  return count.Bind(row).Run();
}

Status SqliteObservations::CountDuplicate(RowId row, int64_t now_ms) {
  ASSIGN_OR_RETURN(
      Statement count,
      database_.Prepare("UPDATE observations SET duplicate_count = duplicate_count + 1, "
                        "seen_ms = ?2 WHERE slot = ?1"));
  return count.Bind(row).Bind(now_ms).Run();
}

Status SqliteObservations::SetTopic(RowId row, const std::string& topic_key) {
  ASSIGN_OR_RETURN(Statement name, database_.Prepare("UPDATE observations SET topic_key = ?2 "
                                                     "WHERE slot = ?1"));
  return name.Bind(row).Bind(topic_key).Run();
}

Result<std::optional<KnownRow>> SqliteObservations::FindImported(
    const Observation& row, const Location& location, const std::optional<Viewer>& viewer) {
  return memory::FindImported(database_, row, location.project, location.session, viewer);
}

Result<bool> SqliteObservations::IsSeenBy(const std::optional<Viewer>& viewer, RowId row) {
  return viewer ? memory::IsSeenBy(database_, *viewer, row) : Result<bool>(true);
}

Status SqliteObservations::ImportRevision(int64_t id, const Revision& revision) {
  ASSIGN_OR_RETURN(
      Statement add,
      database_.Prepare("INSERT INTO revisions(id, revision, replaced_ms, written_ms, "
                        "type, title, tags, origin, content) "
                        "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT DO NOTHING"));
  add.Bind(id).Bind(revision.revision).Bind(revision.replaced_ms).Bind(revision.written_ms);
  add.Bind(revision.type).Bind(revision.title).Bind(base::DumpJson(revision.tags));
  return add.Bind(revision.origin).Bind(revision.content).Run();
}

Status SqliteObservations::SetTags(RowId row, const std::vector<std::string>& tags) {
  RETURN_IF_ERROR(RemoveFromIndex(database_, row));
  ASSIGN_OR_RETURN(Statement write,
                   database_.Prepare("UPDATE observations SET tags = ?2, marks = (marks & 15) | ?3 "
                                     "WHERE slot = ?1"));
  const std::string list = base::DumpJson(tags);
  RETURN_IF_ERROR(write.Bind(row).Bind(list).Bind(MarksOf(list)).Run());
  return AddToIndex(database_, row);
}

Status SqliteObservations::SetOrigin(RowId row, const std::string& origin) {
  ASSIGN_OR_RETURN(Statement write,
                   database_.Prepare("UPDATE observations SET origin = ?2 WHERE slot = ?1"));
  return write.Bind(row).Bind(origin).Run();
}

Result<bool> SqliteObservations::FillSession(const Location& location, const api::Session& session,
                                             int64_t summarized_ms) {
  ASSIGN_OR_RETURN(
      Statement write,
      database_.Prepare("UPDATE sessions SET started_ms = ?2, ended_ms = ?3, summarized_ms = ?4, "
                        "summary = ?5, message_count = ?6, predecessor = ?7, implied = 0 "
                        "WHERE number = ?1 AND implied = 1"));
  write.Bind(location.session).Bind(session.started_ms).Bind(session.ended_ms);
  write.Bind(summarized_ms).Bind(session.summary).Bind(session.message_count);
  RETURN_IF_ERROR(write.Bind(session.predecessor).Run());
  return database_.Changes() != 0;
}

Status SqliteObservations::Hide(RowId row, int64_t now_ms) {
  RETURN_IF_ERROR(RemoveFromIndex(database_, row));
  ASSIGN_OR_RETURN(Statement keep_off, database_.Prepare("DELETE FROM retired WHERE slot = ?1"));
  RETURN_IF_ERROR(keep_off.Bind(row).Run());
  ASSIGN_OR_RETURN(Statement hide, database_.Prepare("UPDATE observations SET deleted_ms = ?2 "
                                                     "WHERE slot = ?1 AND deleted_ms IS NULL"));
  return hide.Bind(row).Bind(now_ms).Run();
}

Result<bool> SqliteObservations::Show(RowId row) { return Revive(database_, row); }

Result<bool> SqliteObservations::IsHiddenByClient(RowId row) {
  ASSIGN_OR_RETURN(Statement read, database_.Prepare("SELECT 1 FROM observations o WHERE "
                                                     "o.slot = ?1 AND " MEMORY_HIDDEN));
  return read.Bind(row).Step();
}

Status SqliteObservations::RefuseUndo(RowId row) {
  ASSIGN_OR_RETURN(Statement note,
                   database_.Prepare("UPDATE traces SET reason = ?2 WHERE slot = ?1 AND (reason = "
                                     "'' OR substr(reason, 1, 14) = 'pruned by run ')"));
  return note.Bind(row).Bind(kDeletedSince).Run();
}

}  // namespace memory
