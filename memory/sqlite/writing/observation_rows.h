// The rows of observations in a file, inside the caller's transaction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/sqlite/database.h"
#include "memory/keeping/saving.h"

namespace memory {

class SqliteObservations final : public Observations {
 public:
  explicit SqliteObservations(sqlite::Database& database) : database_(database) {}
  base::Result<Location> FindOrAddLocation(const std::string& session, const std::string& project,
                                           int64_t now_ms) override;
  base::Result<std::optional<RowId>> FindLive(int64_t id) override;
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
  base::Status NoteWriting(int64_t text_digest, const std::optional<int64_t>& owner) override;

 private:
  sqlite::Database& database_;
};

// SaveObservation and ChangeObservation on a file.
inline base::Result<Saved> SaveInside(sqlite::Database& database, const Saving& saving) {
  SqliteObservations rows(database);
  return SaveObservation(rows, saving);
}
inline base::Result<api::Observation> ChangeInside(sqlite::Database& database, int64_t id,
                                                   const Patch& patch, const FactsOfRow& facts_of,
                                                   int64_t now_ms) {
  SqliteObservations rows(database);
  return ChangeObservation(rows, id, patch, facts_of, now_ms);
}
// Soft-deletes the row of `slot`, live or not.
base::Status HideInside(sqlite::Database& database, const std::string& salt, int64_t slot,
                        int64_t now_ms);
// Undoes a soft delete. False: another row has its topic now.
base::Result<bool> ShowInside(sqlite::Database& database, const std::string& salt, int64_t slot);

}  // namespace memory
