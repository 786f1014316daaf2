// Episodes: summaries of conversations with their decisions, entities and tools. An episode is an
// observation of type `episode` with further fields, so that every search of observations finds it.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "memory/rows/episodes.h"

namespace memory {

struct EpisodeQuestion {
  std::string project, text, agent;
  std::optional<std::string> user;  // nullopt: of any user or none
  size_t limit = 5;
  double min_similarity = 0;
  std::stop_token stop;
};

struct FoundEpisode {
  Episode episode;
  double similarity = 0;           // 0…1
  const char* method = "lexical";  // embedding, fused
};

}  // namespace memory
