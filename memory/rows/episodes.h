// The rows of episodes beside their observations: the seam between what saving and importing an
// episode does (memory/keeping) and an engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

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

struct KnownEpisode {
  int64_t id = 0, created_ms = 0;
};

// Bound to one transaction, like Observations, and to the same. An episode is live while its
// observation is. Projects are opaque numbers, those of Location.
class EpisodeRows {
 public:
  virtual ~EpisodeRows() = default;

  virtual base::Result<std::optional<int64_t>> FindProject(const std::string& name) = 0;
  virtual base::Result<int64_t> FindOrAddProject(const std::string& name) = 0;
  // Whether the session is known, in another project.
  virtual base::Result<bool> IsElsewhere(const std::string& session, int64_t project) = 0;

  virtual base::Result<std::optional<KnownEpisode>> Find(int64_t id) = 0;  // a live one
  virtual base::Result<bool> HasId(int64_t id) = 0;                        // live or not
  // The first live episode of this conversation, agent and user that came with this summary.
  virtual base::Result<std::optional<KnownEpisode>> FindSame(int64_t project,
                                                             const Episode& episode) = 0;
  // The live observation with this text and type that has the newest content: of the scope
  // project, and no trace of one user, Agent or conversation. → its id.
  virtual base::Result<std::optional<int64_t>> FindObservation(int64_t project,
                                                               const Episode& episode) = 0;
  // Live ones, the oldest first, up to the limits of an answer. Their summary is the present
  // content of the observation.
  virtual base::Result<std::vector<Episode>> OfConversation(int64_t project,
                                                            const std::string& conversation) = 0;
  // Inserts with the id `id`, or (0) the next one. → its id.
  virtual base::Result<int64_t> Insert(int64_t project, int64_t observation, const Episode& episode,
                                       int64_t id) = 0;
};

}  // namespace memory
