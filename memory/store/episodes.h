// Episodes: summaries of conversations with their decisions, entities and tools. An episode is an
// observation of type `episode` with further fields, so that every search of observations finds it.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "lib/base/json/json.h"

namespace memory {

inline constexpr const char* kEpisodeType = "episode";
inline constexpr size_t kMaxEpisodesAnswered = 1000;  // of one conversation

struct Episode {
  int64_t id = 0;  // > 0, never reused in a tenant
  std::string project, conversation, agent;
  std::optional<std::string> user;
  std::string summary;
  base::Json key_decisions = base::Json::array();  // strings or objects
  base::Json entities = base::Json::array();       // strings or objects
  base::Json tools_used = base::Json::array();     // strings
  base::Json metadata = base::Json::object();
  int64_t created_ms = 0;
};

// The outcome of a POST.
struct EpisodeSaved {
  int64_t id = 0, created_ms = 0;
  bool repeated = false;    // the conversation has this summary already, or the key is known
  bool key_reused = false;  // the key is known with another body, that of `id`; nothing was done
};

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
