// What a replay reads and where its rows go, as the caller's file says it. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "sidecar/policy/active_policy.h"

namespace sidecar {

struct ReplayPlan {
  struct Project {
    std::shared_ptr<const ActivePolicy> policy;
    std::string state;  // state.db of its sidecar; may be missing
  };
  struct Session {
    size_t project = 0;
    std::string id, format;                // the agent's id; claude-code or codex
    std::vector<std::string> files;        // its transcript, and those of its sub-agents
    std::vector<std::string> copied_from;  // transcripts whose lines it may begin with
    bool grown = false;                    // an earlier replay took a shorter one
  };
  std::string server;    // empty: only counts
  int64_t since_ms = 0;  // older sessions are left out; 0: none
  std::vector<Project> projects;
  std::vector<Session> sessions;  // by project
};

// {"server", "since", "projects": [{"policy", "state"}], "sessions": [{"project", "id", "format",
// "files", "copied_from", "grown"}]}. kInvalid names the field.
base::Result<ReplayPlan> DecodeReplayPlan(const std::string& text);

}  // namespace sidecar
