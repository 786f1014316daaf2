// The starter policy saves commits; docs/laptop.md has figures of a day.
#include "client/laptop/starter_policy.h"

#include "lib/api/policy.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"

namespace client {

using base::Json;

namespace {

// SHA-256 of what DumpJson makes of the starter policies before this one, oldest first
// (testdata/starter-policy-*.json).
constexpr std::string_view kEarlier[] = {
    "0f5e95b1f0ca078c7469fad159d6da7a1225207aeebbcbdecffcbdcd8ffc72b0",
    "3ff380426e8dd3b42dee4a8c947fc6e4f6c88513fdc10dc40213ab1d5a0e792b",
    "c74faf2677c7e959565b1557ab7c6e8b122690f5c1980ca70932ba3f8823e48c",
    "76aa87d87053d2e8e174cf2175d7c838a933a14ea707a5eed99aea90eef2ead9",
    "00739a06994ca3922aeaf06503c5f068a0683e18e7cc31dc45e355936655fdbf",
    "1a357781532c0f90c4150a314d42cad1f25d4e62574c64f1e3e627d7b3c96b04",
    "fd64050904a4bcc1ec05887bf960d57715dc1b16df97dfd0b114167b9cdf5160"};

}  // namespace

std::string StarterPolicy() {
  return R"({
  "version": 1,
  "memory": {
    "budgetTokens": 800,
    "contextLimit": 5,
    "rememberPrompts": true,
    "rememberEverywhere": true,
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

bool IsEarlierStarter(std::string_view policy) {
  const auto json = base::ParseJson(policy);
  return json && base::IsOneOf(base::Sha256Hex(base::DumpJson(*json)), kEarlier);
}

std::vector<std::string> AbsentDefaults(std::string_view policy) {
  std::vector<std::string> absent;
  const auto json = base::ParseJson(policy), starter = base::ParseJson(StarterPolicy());
  if (!json || !json->is_object()) return absent;
  const Json memory = json->value("memory", Json());
  for (const auto& [field, value] : starter->at("memory").items())
    if (!memory.contains(field)) absent.push_back(field);
  return absent;
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
