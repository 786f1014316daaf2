// The wire contract of the memory server: rows, limits, words. Both the server and the sidecar use
// it (docs/memory-api.md). Pure.
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

// Where an observation came from. `origin` is its trust class: user, agent, rule,
// tool-output, import.
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

// What POST /observations asks for.
struct NewObservation {
  std::string session_id, type, title, content, project, scope = "project", topic_key;
  std::vector<std::string> tags;
  Source source;
  bool replace_user = false;  // the writer is no user and may change what a user wrote
};

// The trust classes of Source::origin. The server keeps a known one and takes anything else for
// "user".
inline constexpr const char* kOriginUser = "user";
inline constexpr const char* kOriginAgent = "agent";
inline constexpr const char* kOriginRule = "rule";
inline constexpr const char* kOriginToolOutput = "tool-output";
inline constexpr const char* kOriginImport = "import";

// A request that carries this header was kept in an outbox for a while: it is paid from a budget of
// its own.
inline constexpr const char* kReplayHeader = "X-Memory-Replay";
// Whose memory a call of traces is about: the user and the Agent. The conversation is a parameter.
inline constexpr const char* kUserHeader = "X-Memory-User";
inline constexpr const char* kAgentHeader = "X-Memory-Agent";
// The code of a 422: an Idempotency-Key of the caller that came before with another body.
inline constexpr const char* kKeyReused = "idempotency_key_reused";
bool IsOrigin(std::string_view word);
// The one that is trusted less: user, agent, rule, import, tool-output. An unknown word is user.
std::string LowerOrigin(const std::string& left, const std::string& right);

// A required string of a body: kInvalid when missing, null, empty, white space only or over `limit`
// characters. An optional one: absent, null and empty are "".
base::Result<std::string> RequiredText(const base::Json& body, const char* field, size_t limit);
base::Result<std::string> OptionalText(const base::Json& body, const char* field, size_t limit);
// Absent, null: none. More than a write may have: of a row that is there, since merges unite tags.
inline constexpr size_t kMaxTagsKept = 100;
base::Result<std::vector<std::string>> DecodeTags(const base::Json& body, size_t most = kMaxTags);
base::Result<Source> DecodeSource(const base::Json& body);  // of the field `source`
base::Result<bool> OptionalFlag(const base::Json& body, const char* field);  // absent, null: false
base::Json EncodeSource(const Source& source);                               // only what is set

// Decode and check limits; kInvalid names field, limit and value.
base::Result<NewObservation> DecodeNewObservation(const base::Json& body);
base::Json EncodeNewObservation(const NewObservation& observation);
base::Json EncodeObservation(const Observation& observation);
base::Result<Observation> DecodeObservation(const base::Json& json);
base::Json EncodeSession(const Session& session);

// SHA-256 of the content, case-folded and white space collapsed (dedup tier 2).
std::string NormalizedHash(std::string_view content);
struct SummaryMessage {
  std::string role, content;
};

// Takes one message after the other: a transcript of any length in constant memory. The text is
// "Session with N messages. Started: "…" — Ended: "…"": counts user and assistant messages, first
// and last user message at 200 characters; one user message: no Ended part; none: "Session with N
// messages."
class SummaryBuilder {
 public:
  void Add(std::string_view role, std::string_view content);
  // So many user and assistant messages were said and are not told: they are only counted.
  void AddOmitted(int64_t messages) { counted_ += messages; }
  std::string Text() const;                               // "" when nothing was added
  int64_t counted() const { return counted_; }            // user and assistant
  int64_t tool_results() const { return tool_results_; }  // role "tool"; not in counted()

 private:
  int64_t counted_ = 0, tool_results_ = 0, users_ = 0, added_ = 0;
  std::string first_, last_;  // user messages, already cut
};

}  // namespace api
