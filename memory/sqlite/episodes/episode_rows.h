// The table `episodes`, inside the caller's transaction or snapshot.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/sql/database.h"
#include "memory/store/episodes.h"

namespace memory {

class SqliteEpisodes final : public EpisodeRows {
 public:
  explicit SqliteEpisodes(sql::Database& database) : database_(database) {}
  base::Result<std::optional<int64_t>> FindProject(const std::string& name) override;
  base::Result<int64_t> FindOrAddProject(const std::string& name) override;
  base::Result<bool> IsElsewhere(const std::string& session, int64_t project) override;
  base::Result<std::optional<KnownEpisode>> Find(int64_t id) override;
  base::Result<bool> HasId(int64_t id) override;
  base::Result<std::optional<KnownEpisode>> FindSame(int64_t project,
                                                     const Episode& episode) override;
  base::Result<std::optional<int64_t>> FindObservation(int64_t project,
                                                       const Episode& episode) override;
  base::Result<std::vector<Episode>> OfConversation(int64_t project,
                                                    const std::string& conversation) override;
  base::Result<int64_t> Insert(int64_t project, int64_t observation, const Episode& episode,
                               int64_t id) override;

 private:
  sql::Database& database_;
};

// The episodes of an observation for this agent and user.
base::Result<std::vector<Episode>> EpisodesAt(sql::Database& database, int64_t slot,
                                              const EpisodeQuestion& question);
// The observations that have such episodes in the question's project, in ascending order.
base::Result<std::vector<int64_t>> SlotsOfEpisodes(sql::Database& database,
                                                   const EpisodeQuestion& question);

// Continues after id `after`, in order of ids, like ReadItems. `live_only`: skips episodes of
// expired observations (of a store; an import reads all of a foreign file).
base::Result<bool> ReadEpisodes(sql::Database& database, std::optional<int64_t> project,
                                bool live_only, int64_t after,
                                const std::function<bool(Episode&&)>& take);

}  // namespace memory
