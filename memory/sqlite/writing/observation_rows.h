// The rows of observations in a file, inside the caller's transaction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/sql/database.h"
#include "memory/keeping/hiding.h"
#include "memory/keeping/saving.h"
#include "memory/sqlite/removal/deletions.h"

namespace memory {

class SqliteObservations final : public Observations {
 public:
  explicit SqliteObservations(sql::Database& database)
      : database_(database), deletions_(database) {}
  base::Result<Location> FindOrAddLocation(const std::string& session, const std::string& project,
                                           int64_t now_ms) override;
  base::Result<std::optional<RowPlace>> Find(int64_t id) override;
  base::Result<bool> WasRemoved(int64_t id) override;
  base::Result<api::Observation> Read(RowId row) override;
  base::Result<std::vector<Candidate>> FindCandidates(const Incoming& incoming,
                                                      const Location& location,
                                                      int64_t window_ms) override;
  base::Status VisitSession(const Location& location, const std::string& scope, int64_t most,
                            int64_t characters,
                            const std::function<bool(const SessionRow&)>& visit) override;
  base::Status FreeTopic(const std::string& topic_key, const Location& location,
                         const std::string& scope, int64_t now_ms) override;
  base::Result<int64_t> Insert(const api::Observation& row, const TextFacts& facts,
                               const Location& location) override;
  base::Status Rewrite(RowId row, const api::Observation& text, const TextFacts& facts,
                       int64_t now_ms) override;
  base::Result<bool> HasRevision(int64_t id, const std::string& content) override;
  base::Status AddRevision(RowId row, const api::Observation& text, int64_t now_ms) override;
  base::Status CountDuplicate(RowId row, int64_t now_ms) override;
  base::Status SetTopic(RowId row, const std::string& topic_key) override;
  base::Result<std::optional<KnownRow>> FindImported(const api::Observation& row,
                                                     const Location& location,
                                                     const std::optional<Viewer>& viewer) override;
  base::Result<bool> IsSeenBy(const std::optional<Viewer>& viewer, RowId row) override;
  base::Status ImportRevision(int64_t id, const Revision& revision) override;
  base::Status SetTags(RowId row, const std::vector<std::string>& tags) override;
  base::Status SetOrigin(RowId row, const std::string& origin) override;
  base::Result<bool> FillSession(const Location& location, const api::Session& session,
                                 int64_t summarized_ms) override;
  base::Status Hide(RowId row, int64_t now_ms) override;
  base::Result<bool> Show(RowId row) override;
  base::Result<bool> IsHiddenByClient(RowId row) override;
  base::Status RefuseUndo(RowId row) override;
  Deletions& deletions() override { return deletions_; }

 private:
  sql::Database& database_;
  SqliteDeletions deletions_;
};

// The reason of a trace that a client deleted as an observation.
inline constexpr const char* kDeletedSince = "deleted";

// The functions of memory/keeping on a file.
inline base::Result<Saved> SaveInside(sql::Database& database, const Saving& saving) {
  SqliteObservations rows(database);
  return SaveObservation(rows, saving);
}
inline base::Result<api::Observation> ChangeInside(sql::Database& database, int64_t id,
                                                   const Patch& patch, const FactsOfRow& facts_of,
                                                   int64_t now_ms) {
  SqliteObservations rows(database);
  return ChangeObservation(rows, id, patch, facts_of, now_ms);
}
inline base::Status HideInside(sql::Database& database, const std::string& salt, int64_t slot,
                               int64_t now_ms) {
  SqliteObservations rows(database);
  return HideRow(rows, slot, salt, now_ms);
}
inline base::Result<bool> ShowInside(sql::Database& database, const std::string& salt,
                                     int64_t slot) {
  SqliteObservations rows(database);
  return ShowRow(rows, slot, salt);
}

}  // namespace memory
