// The starter policy saves commits; docs/laptop.md has figures of a day.
#include "client/laptop/starter_policy.h"

#include "lib/api/policy.h"

namespace client {

using base::Json;

std::string StarterPolicy() {
  return R"({
  "version": 1,
  "memory": {
    "budgetTokens": 800,
    "contextLimit": 5,
    "rememberPrompts": true,
    "saveCommits": true,
    "saveStatements": true,
    "askToSave": true,
    "sessionDigest": true
  },
  "toolHooks": {
    "memorySaveRules": [],
    "blockedCommands": [],
    "allowedPaths": []
  }
}
)";
}

base::Result<std::string> PolicyFor(std::string_view policy, const std::string& server,
                                    const std::string& project) {
  ASSIGN_OR_RETURN(Json json, base::ParseJson(policy));
  RETURN_IF_ERROR(api::DecodePolicy(json));
  json["agent"] = "laptop";
  json["namespace"] = "laptop";
  json["memory"]["url"] = server;
  json["memory"]["project"] = project;
  return json.dump(2) + "\n";
}

bool Denies(std::string_view policy) {
  const auto json = base::ParseJson(policy);
  if (!json) return true;
  const auto read = api::DecodePolicy(*json);
  return !read || !read->blocked_commands.empty() || !read->allowed_paths.empty();
}

}  // namespace client
