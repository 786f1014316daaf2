// What saving and importing an episode does, for every engine. An episode is an observation of type
// `episode` with further fields, so that every search of observations finds it. In the caller's
// transaction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "memory/keeping/keys.h"
#include "memory/keeping/saving.h"
#include "memory/rows/episodes.h"

namespace memory {

// Prepared before the transaction, off the writer's thread.
struct EpisodeSaving {
  // An episode without a time is of now.
  EpisodeSaving(const Episode& given, const api::Source& source, const FactsOfRow& facts_of,
                const std::string& salt, int64_t dedup_window_ms, int64_t now_ms);
  Episode episode;
  Saving saving;  // of its observation
};
// Keys of episodes are others than those of observations.
KeyOfCaller KeyOfEpisode(const RequestKey& key, const Episode& given, const std::string& salt,
                         int64_t kept_ms);

// Saves the observation and the episode, unless there is the same. `making` may get the name of
// another session: the conversation's belongs to another project.
base::Result<EpisodeSaved> SaveEpisode(EpisodeRows& episodes, Observations& observations,
                                       Answers& answers, EpisodeSaving& making,
                                       const KeyOfCaller& key);

// Imports episodes after their observations. An id that is taken becomes another. → for each
// whether it was stored: existing ones and those without an observation are skipped.
base::Result<std::vector<bool>> ImportEpisodes(EpisodeRows& rows,
                                               const std::vector<Episode>& episodes);

}  // namespace memory
