// The policy, which the operator renders from an Agent (policy.json in its ConfigMap) and the
// sidecar obeys: their common definition. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lib/api/trace_policy.h"
#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace api {

// One entry of toolHooks.memorySaveRules. Every matching rule fires.
struct SaveRule {
  std::string name;          // may be empty; unique when not
  std::string tool;          // a name or a glob; MCP names match with and without mcp__server__
  std::string match_output;  // RE2; empty: any output
  std::map<std::string, std::string> match_args;  // argument name → RE2; all must match
  std::string type = "discovery";
  std::string scope = "project";  // project | global
  std::string title;              // empty: composed of tool, argument and match
  std::vector<std::string> tags;
  std::string trust;  // rule | tool-output; empty: by the tool (Policy::untrusted_tools)
};

struct InjectTool {
  std::string tool;   // a name or a glob
  std::string query;  // "from_tool_args" or a fixed query
  int limit = 3;      // 1..10
  bool inject = false;
};

struct Redaction {
  bool enabled = true;
  bool working_memory = true;
  std::vector<std::string> extra_patterns;  // RE2
};

// How long and how many memories of a type and scope the server keeps; the server interprets it.
struct RetentionRule {
  std::string type = "*";         // *: every type without a rule
  std::string scope = "project";  // project | global
  std::string ttl = "0s";         // a Go duration; 0s: no end
  int64_t max_rows = 0;           // 0: no limit
  bool operator==(const RetentionRule&) const = default;
};

// Selects exchanges of the agent to keep as items; the server interprets it.
struct StoreRule {
  std::string match;   // RE2
  int min_length = 0;  // of the answer, in characters
};

// The arguments of a tool that name files it read or modified, as JSON pointers (RFC 6901) to a
// string or a list of strings; empty: none.
struct TaskTool {
  std::string tool;  // a name or a glob
  std::string reads, modifies;
  std::string action;  // the argument to show among the last actions; empty: the default one
  bool operator==(const TaskTool&) const = default;
};

// The working-memory section of prompts: the state of the conversation's task.
struct WorkingSection {
  std::string inject = "afterLoss";  // afterLoss | everyTurn | never (ADR 57)
  int max_chars = 6000;
  int window_tokens = 0;        // the model's context; 0: hooks do not warn
  std::vector<TaskTool> tools;  // before the built-in tools; the first match decides
  bool operator==(const WorkingSection&) const = default;
};

// Characters of memory.saveAdvice, which each session costs.
inline constexpr size_t kMostSaveAdvice = 2000;

struct Policy {
  std::string agent, agent_namespace;
  std::string mode = "daemon";  // daemon | task: the effect of a stop on open sessions
  // memory
  std::string server_url;  // http://name.namespace.svc.cluster.local:7437; empty: not resolved yet
  std::string audience;    // of the projected token
  std::string project;
  std::string user;  // the subject of traces of scope user; empty: the server's default
  int context_limit = 5;
  bool session_digest = false;       // saves the work of a session as a memory, beside its summary
  bool save_commits = false;         // saves the commits that the agent makes, by their messages
  bool save_statements = false;      // saves what a prompt states that lasts, of class user
  bool ask_to_save = false;          // tells the model when to save, and what was saved by itself
  std::string save_advice;           // in place of the sidecar's words for askToSave; empty: those
  bool remember_prompts = false;     // "Remember: …" in a prompt is a memory of class user
  bool remember_everywhere = false;  // "Remember everywhere: …" has scope global
  bool auto_summarize = true, auto_save = true, auto_search = true;
  bool allow_global = false, allow_admin = false, inject_untrusted = false;
  std::string reinject = "changed";  // changed | everyTurn
  int budget_tokens = 2000;
  Redaction redaction;
  std::vector<RetentionRule> retention;
  std::string tools;  // an additional tool set for models: chapter, agentos; empty: none
  AgentOsTools agentos;
  AutoIngest auto_ingest;
  Personality personality;
  std::vector<StoreRule> store_rules;  // empty: the server's patterns
  WorkingSection working_section;
  // toolHooks
  std::vector<SaveRule> save_rules;
  std::vector<InjectTool> inject_tools;
  std::vector<std::string> blocked_commands, allowed_paths, audit_tools;
  bool strict_commands = false;              // also denies constructs that hide a command
  std::vector<std::string> untrusted_tools;  // names or globs: tools that bring in texts of others
};

inline constexpr const char* kFromToolArgs = "from_tool_args";

// policy.json: {"version": 1, "agent", "namespace", "mode", "memory": {…the Agent's fields, url,
// audience…}, "toolHooks": {…the Agent's fields…}}. kInvalid: an unknown key or another version;
// the error names the key.
base::Result<Policy> DecodePolicy(const base::Json& json);
base::Json EncodePolicy(const Policy& policy);
// The form in policy.json and in the server's PUT /retention.
base::Json EncodeRetention(const std::vector<RetentionRule>& rules);
// The form in policy.json and in POST /items/consider.
base::Json EncodeStoreRules(const std::vector<StoreRule>& rules);
// "sha256:" + 64 hex digits of the file's bytes, for /v1/policy and the Agent's status.
std::string PolicyDigest(std::string_view policy_file);

}  // namespace api
