// Episodes and their observations.
#include "memory/sqlite/episodes/episode_rows.h"

#include "lib/base/json/stored.h"
#include "lib/base/limits/answer_charge.h"
#include "lib/base/text/digest.h"
#include "memory/sqlite/tables/live.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/tables/viewer.h"
#include "memory/store/answer_limit.h"

namespace memory {

using base::Json;
using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

#define MEMORY_SELECT_EPISODE                                                                     \
  "SELECT e.id, p.name, e.conversation, e.agent, e.user, o.content, e.fields, e.created_ms FROM " \
  "episodes e JOIN observations o ON o.slot = e.slot JOIN projects p ON p.number = e.project "

// The fields of an episode other than its summary, as JSON in one column.
Json FieldsOf(const Episode& episode) {
  return {{"key_decisions", episode.key_decisions},
          {"entities", episode.entities},
          {"tools_used", episode.tools_used},
          {"metadata", episode.metadata}};
}

Result<Episode> EpisodeAt(const Statement& row) {
  Episode read;
  read.id = row.Int(0);
  read.project = row.Text(1);
  read.conversation = row.Text(2);
  read.agent = row.Text(3);
  read.user = row.OptionalText(4);
  read.summary = row.Text(5);
  ASSIGN_OR_RETURN(Json fields, base::ParseJson(row.Text(6)));
  read.key_decisions = fields.value("key_decisions", Json::array());
  read.entities = fields.value("entities", Json::array());
  read.tools_used = fields.value("tools_used", Json::array());
  read.metadata = fields.value("metadata", Json::object());
  read.created_ms = row.Int(7);
  return read;
}

KnownEpisode KnownAt(const Statement& row) { return {row.Int(0), row.Int(1)}; }

// Up to the row that exceeds the limit of an answer.
Result<std::vector<Episode>> AllEpisodes(Statement read) {
  std::vector<Episode> episodes;
  size_t bytes = 0;
  base::AnswerCharge charge;
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) -> Result<bool> {
    ASSIGN_OR_RETURN(Episode one, EpisodeAt(row));
    const size_t row_bytes = JsonBytes(one.summary) + base::WeightOfText(row.Text(6)) + 600;
    RETURN_IF_ERROR(charge.Add(row_bytes));
    bytes += row_bytes;
    episodes.push_back(std::move(one));
    return bytes <= kAnswerBytes;
  }));
  return episodes;
}

std::string DigestOf(const Episode& episode) { return base::Sha256Hex(episode.summary); }

}  // namespace

Result<std::optional<int64_t>> SqliteEpisodes::FindProject(const std::string& name) {
  return memory::FindProject(database_, name);
}

Result<int64_t> SqliteEpisodes::FindOrAddProject(const std::string& name) {
  return memory::FindOrAddProject(database_, name);
}

Result<bool> SqliteEpisodes::IsElsewhere(const std::string& session, int64_t project) {
  ASSIGN_OR_RETURN(Statement read, database_.Prepare("SELECT 1 FROM sessions WHERE id = ?1 AND "
                                                     "project <> ?2"));
  return read.Bind(session).Bind(project).Step();
}

Result<std::optional<KnownEpisode>> SqliteEpisodes::Find(int64_t id) {
  ASSIGN_OR_RETURN(Statement read,
                   database_.Prepare("SELECT e.id, e.created_ms FROM episodes e JOIN observations "
                                     "o ON o.slot = e.slot WHERE e.id = ?1 AND " MEMORY_LIVE));
  return read.Bind(id).ReadFirst(KnownAt);
}

Result<bool> SqliteEpisodes::HasId(int64_t id) {
  ASSIGN_OR_RETURN(Statement read, database_.Prepare("SELECT 1 FROM episodes WHERE id = ?1"));
  return read.Bind(id).Step();
}

Result<std::optional<KnownEpisode>> SqliteEpisodes::FindSame(int64_t project,
                                                             const Episode& episode) {
  ASSIGN_OR_RETURN(
      Statement read,
      database_.Prepare("SELECT e.id, e.created_ms FROM episodes e JOIN observations o ON o.slot = "
                        "e.slot WHERE e.project = ?1 AND e.conversation = ?2 AND e.digest = ?3 "
                        "AND e.agent = ?4 AND e.user IS NOT DISTINCT FROM ?5 AND " MEMORY_LIVE
                        "ORDER BY e.id LIMIT 1"));
  read.Bind(project).Bind(episode.conversation).Bind(DigestOf(episode));
  return read.Bind(episode.agent).Bind(episode.user).ReadFirst(KnownAt);
}

Result<std::optional<int64_t>> SqliteEpisodes::FindObservation(int64_t project,
                                                               const Episode& episode) {
  ASSIGN_OR_RETURN(
      Statement read,
      database_.Prepare(
          "SELECT o.id FROM observations o WHERE o.hash = ?1 AND o.project = ?2 AND "
          "o.scope = 'project' AND o.type = ?3 AND o.content = ?4 AND " MEMORY_LIVE MEMORY_FOR_ALL
          "ORDER BY o.content_ms DESC, o.slot LIMIT 1"));
  read.Bind(api::NormalizedHash(episode.summary)).Bind(project).Bind(kEpisodeType);
  return read.Bind(episode.summary).ReadFirst(IntAt);
}

Result<std::vector<Episode>> SqliteEpisodes::OfConversation(int64_t project,
                                                            const std::string& conversation) {
  ASSIGN_OR_RETURN(Statement read,
                   database_.Prepare(MEMORY_SELECT_EPISODE
                                     "WHERE e.project = ?1 AND e.conversation = ?2 AND " MEMORY_LIVE
                                     "ORDER BY e.created_ms, e.id LIMIT ?3"));
  read.Bind(project).Bind(conversation).Bind(static_cast<int64_t>(kMaxEpisodesAnswered));
  return AllEpisodes(std::move(read));
}

Result<int64_t> SqliteEpisodes::Insert(int64_t project, int64_t observation, const Episode& episode,
                                       int64_t id) {
  ASSIGN_OR_RETURN(const std::optional<Place> place, FindRow(database_, observation));
  if (!place)
    return base::Error{base::Code::kInternal, "an observation vanished inside its transaction"};
  ASSIGN_OR_RETURN(
      Statement insert,
      database_.Prepare(
          "INSERT INTO episodes(id, slot, project, conversation, digest, agent, "
          "\"user\", created_ms, fields) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) RETURNING id"));
  insert.Bind(id == 0 ? std::nullopt : std::optional(id)).Bind(place->slot).Bind(project);
  insert.Bind(episode.conversation).Bind(DigestOf(episode)).Bind(episode.agent);
  insert.Bind(episode.user).Bind(episode.created_ms);
  insert.Bind(base::DumpJson(FieldsOf(episode)));
  ASSIGN_OR_RETURN(const auto made, insert.ReadFirst(IntAt));
  RETURN_IF_ERROR(insert.Run());
  return made.value_or(0);
}

Result<std::vector<Episode>> EpisodesAt(Database& database, int64_t slot,
                                        const EpisodeQuestion& question) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare(MEMORY_SELECT_EPISODE
                       "WHERE e.slot = ?1 AND e.agent = ?2 AND (CAST(?3 AS TEXT) IS NULL OR "
                       "e.user = ?3) AND " MEMORY_LIVE "ORDER BY e.id LIMIT ?4"));
  read.Bind(slot).Bind(question.agent).Bind(question.user);
  read.Bind(static_cast<int64_t>(question.limit));
  return AllEpisodes(std::move(read));
}

Result<std::vector<int64_t>> SlotsOfEpisodes(Database& database, const EpisodeQuestion& question) {
  std::vector<int64_t> slots;
  ASSIGN_OR_RETURN(const std::optional<int64_t> project, FindProject(database, question.project));
  if (!project) return slots;
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare(
          "SELECT DISTINCT e.slot FROM episodes e JOIN observations o ON "
          "o.slot = e.slot WHERE e.project = ?1 AND e.agent = ?2 AND (CAST(?3 AS TEXT) "
          "IS NULL OR e.user = ?3) AND " MEMORY_LIVE "ORDER BY e.slot"));
  read.Bind(*project).Bind(question.agent).Bind(question.user);
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) { slots.push_back(row.Int(0)); }));
  return slots;
}

Result<bool> ReadEpisodes(Database& database, std::optional<int64_t> project, bool live_only,
                          int64_t after, const std::function<bool(Episode&&)>& take) {
#define MEMORY_BEHIND \
  "AND (CAST(?2 AS BIGINT) IS NULL OR e.project = ?2) AND e.id > ?1 ORDER BY e.id"
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare(live_only ? MEMORY_SELECT_EPISODE "WHERE " MEMORY_LIVE MEMORY_BEHIND
                                 : MEMORY_SELECT_EPISODE
                           "WHERE o.deleted_ms IS NULL " MEMORY_BEHIND));
  read.Bind(after).Bind(project);
  for (;;) {
    ASSIGN_OR_RETURN(const bool more, read.Step());
    if (!more) return true;
    ASSIGN_OR_RETURN(Episode episode, EpisodeAt(read));
    if (!take(std::move(episode))) return false;
  }
}

}  // namespace memory
