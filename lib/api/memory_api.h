// The wire format of the memory API (docs/memory-api.md), for the server and its clients: rows,
// limits, names. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace api {

// Lengths count Unicode characters.
inline constexpr size_t kMaxTitle = 500, kMaxContent = 50'000, kMaxTopicKey = 200, kMaxScope = 50,
                        kMaxType = 50, kMaxTag = 100, kMaxTags = 20, kMaxProject = 200,
                        kMaxSessionId = 200, kMaxRows = 1000, kMaxSource = 500, kMaxKey = 200;
inline constexpr size_t kContextCharacters = 300, kSummaryCharacters = 200, kQueryCharacters = 500;

// The provenance of an observation. `origin` is its trust class: user, agent, rule, tool-output,
// import.
struct Source {
  std::string tool, tool_call_id, rule, origin;
};

struct Observation {
  int64_t id = 0;
  std::string session_id, type, title, content, project;
  std::vector<std::string> tags;
  std::string scope = "project";
  std::string topic_key;  // empty: none
  std::string normalized_hash;
  int64_t revision_count = 1, duplicate_count = 0;
  int64_t last_seen_ms = 0, created_ms = 0, updated_ms = 0;
  Source source;
};

struct Session {
  std::string id, project, summary, predecessor;
  int64_t started_ms = 0, ended_ms = 0;  // ended 0: open
  int64_t message_count = 0;
};

// The body of POST /observations.
struct NewObservation {
  std::string session_id, type, title, content, project, scope = "project", topic_key;
  std::vector<std::string> tags;
  Source source;
  bool replace_user = false;  // a writer that is no user may change rows of origin user
};

// The trust classes of Source::origin. The server stores an unknown one as "user".
inline constexpr const char* kOriginUser = "user";
inline constexpr const char* kOriginAgent = "agent";
inline constexpr const char* kOriginRule = "rule";
inline constexpr const char* kOriginToolOutput = "tool-output";
inline constexpr const char* kOriginImport = "import";

// Marks requests that an outbox kept during an outage: they have a separate rate limit.
inline constexpr const char* kReplayHeader = "X-Memory-Replay";
// The user and the Agent of a call for traces. The conversation is a parameter.
inline constexpr const char* kUserHeader = "X-Memory-User";
inline constexpr const char* kAgentHeader = "X-Memory-Agent";
// The error code of a 422: the caller used the Idempotency-Key before with another body.
inline constexpr const char* kKeyReused = "idempotency_key_reused";
bool IsOrigin(std::string_view word);
// The less trusted origin: user, agent, rule, import, tool-output. An unknown word counts as user.
std::string LowerOrigin(const std::string& left, const std::string& right);

// A string of a body. RequiredText: kInvalid if missing, null, empty or blank; OptionalText: "" if
// missing, null or empty. Both: kInvalid above `limit` characters.
base::Result<std::string> RequiredText(const base::Json& body, const char* field, size_t limit);
base::Result<std::string> OptionalText(const base::Json& body, const char* field, size_t limit);
// Missing, null: no tags. `most` is kMaxTagsKept for stored rows, since merges unite tags.
inline constexpr size_t kMaxTagsKept = 100;
base::Result<std::vector<std::string>> DecodeTags(const base::Json& body, size_t most = kMaxTags);
base::Result<Source> DecodeSource(const base::Json& body);                   // the field `source`
base::Result<bool> OptionalFlag(const base::Json& body, const char* field);  // missing, null: false
base::Json EncodeSource(const Source& source);                               // without empty fields

// Decodes and checks limits; kInvalid names field, limit and value.
base::Result<NewObservation> DecodeNewObservation(const base::Json& body);
base::Json EncodeNewObservation(const NewObservation& observation);
base::Json EncodeObservation(const Observation& observation);
base::Result<Observation> DecodeObservation(const base::Json& json);
base::Json EncodeSession(const Session& session);

// SHA-256 of the content with case folded and white space collapsed (dedup tier 2).
std::string NormalizedHash(std::string_view content);
struct SummaryMessage {
  std::string role, content;
};

// Summarizes a transcript of any length in constant memory: "Session with N messages. Started: "…"
// — Ended: "…"". N counts user and assistant messages; the quotes are the first and last user
// message, cut at 200 characters. One user message: no Ended part; none: "Session with N messages."
class SummaryBuilder {
 public:
  void Add(std::string_view role, std::string_view content);
  // Counts user and assistant messages that Add does not receive.
  void AddOmitted(int64_t messages) { counted_ += messages; }
  std::string Text() const;                               // "" without any Add
  int64_t counted() const { return counted_; }            // user and assistant
  int64_t tool_results() const { return tool_results_; }  // role "tool"; not in counted()

 private:
  int64_t counted_ = 0, tool_results_ = 0, users_ = 0, added_ = 0;
  std::string first_, last_;  // user messages, cut
};

}  // namespace api
