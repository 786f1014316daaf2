// Episodes as JSON and back. Pure. Every error names the field, its limit and the value.
#pragma once

#include <string>

#include "lib/base/json/stored.h"
#include "memory/store/episodes.h"

namespace memory {

base::Json EncodeEpisode(const Episode& episode);  // without its project
// Decodes the body of a POST, without id and project; the time is 0 unless given. kTooLarge: the
// fields other than the summary. `levels`: those that each of them may nest.
base::Result<Episode> DecodeEpisode(const base::Json& body, size_t levels = base::kMaxStoredLevels);
base::Result<EpisodeQuestion> DecodeEpisodeQuestion(const base::Json& body);  // without project
base::Status CheckConversation(const std::string& id);
// Decodes an episode of an export, with id, project and time.
base::Json EncodeExportedEpisode(const Episode& episode);
base::Result<Episode> DecodeExportedEpisode(const base::Json& json);

}  // namespace memory
