// The table `episodes`. Everything runs in the caller's transaction.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "lib/api/memory_api.h"
#include "lib/sqlite/database.h"
#include "memory/store/episodes.h"

namespace memory {

// The observation of an episode, without its source. Tags are tools and names of entities.
api::NewObservation ObservationOf(const Episode& episode);

// The live episode of this conversation with this summary.
base::Result<std::optional<Episode>> FindDuplicateEpisode(sqlite::Database& database,
                                                          int64_t project, const Episode& episode);
// Only live ones; `summary` is the present content of the observation.
base::Result<std::optional<Episode>> FindEpisodeById(sqlite::Database& database, int64_t id);
// The episodes of an observation for this agent and user.
base::Result<std::vector<Episode>> EpisodesAt(sqlite::Database& database, int64_t slot,
                                              const EpisodeQuestion& question);
// The observations that have such episodes in the question's project, in ascending order.
base::Result<std::vector<int64_t>> SlotsOfEpisodes(sqlite::Database& database,
                                                   const EpisodeQuestion& question);
// Oldest first, up to the limits of an answer.
base::Result<std::vector<Episode>> EpisodesOfConversation(sqlite::Database& database,
                                                          int64_t project,
                                                          const std::string& conversation);
// Inserts with `episode.id` if that is > 0 and free, else with the next id. → its id.
base::Result<int64_t> InsertEpisode(sqlite::Database& database, int64_t project, int64_t slot,
                                    const Episode& episode);
// The newest live observation that could be this episode's; nullopt: there is none.
base::Result<std::optional<int64_t>> SlotForEpisode(sqlite::Database& database, int64_t project,
                                                    const Episode& episode);

// Continues after id `after`, in order of ids, like ReadItems. `live_only`: skips episodes of
// expired observations (of a store; an import reads all of a foreign file).
base::Result<bool> ReadEpisodes(sqlite::Database& database, std::optional<int64_t> project,
                                bool live_only, int64_t after,
                                const std::function<bool(Episode&&)>& take);

}  // namespace memory
