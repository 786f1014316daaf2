// What the hooks would have made of a session: its captures, its summary and its digest, with the
// times of the transcript. Reads and writes nothing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "sidecar/policy/active_policy.h"
#include "sidecar/replay/transcript_events.h"
#include "sidecar/session/transcript.h"

namespace sidecar {

class SessionReplay {
 public:
  // `session`: the agent's id of it.
  static base::Result<SessionReplay> Begin(const std::string& session,
                                           std::shared_ptr<const ActivePolicy> policy);

  // Handles an event, in the order of time; returns the observations that it gives, in the form of
  // an import.
  std::vector<base::Json> Handle(PastEvent event);

  struct End {
    base::Json session;                // a session of an import
    std::optional<base::Json> digest;  // an observation of an import
    base::Json said;                   // the body of POST /sessions/{id}/end
  };
  // Behind the last event; nullopt: there was none.
  std::optional<End> Finish() const;

  const std::string& session() const { return account_.session(); }  // on the server
  int64_t prompts() const { return prompts_; }
  int64_t first_ms() const { return first_ms_; }
  int64_t last_ms() const { return last_ms_; }

 private:
  SessionReplay(SessionAccount account, std::shared_ptr<const ActivePolicy> policy)
      : account_(std::move(account)), policy_(std::move(policy)) {}
  bool IsRepeated(const base::Json& row, int64_t at_ms);

  SessionAccount account_;
  std::shared_ptr<const ActivePolicy> policy_;
  int64_t messages_ = 0, prompts_ = 0, first_ms_ = 0, last_ms_ = 0;
  std::string commit_topic_;                    // of the last commit, for amendments
  std::map<std::string, int64_t> captured_ms_;  // by what the server takes for the same
};

}  // namespace sidecar
