// Reads and writes policy.json. Reading is strict: an unknown key, a wrong type or a value out of
// its limits is refused with the key's path, so that a policy is either understood whole or not in
// force.
#include "lib/api/policy.h"

#include <initializer_list>
#include <set>

#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"

namespace api {
namespace {

using base::Json;

constexpr int kVersionInForce = 1;
constexpr size_t kMaxRules = 32;  // of a list

// Reads the fields of one object. The first error wins and ends in `error`; nulls equal absent.
class Fields {
 public:
  Fields(const Json& object, std::string path, std::optional<base::Error>& error)
      : object_(object), path_(std::move(path)), error_(error) {
    if (!object_.is_object()) Refuse("", "must be an object");
  }

  const Json* Find(const char* key) {
    known_.insert(key);
    if (error_ || !object_.is_object()) return nullptr;
    auto found = object_.find(key);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }
  void Text(const char* key, std::string& into, std::initializer_list<const char*> words = {}) {
    const Json* value = Find(key);
    if (!value) return;
    if (!value->is_string()) return Refuse(key, "must be a string");
    into = value->get<std::string>();
    if (words.size() == 0) return;
    std::vector<std::string> all(words.begin(), words.end());
    if (std::find(all.begin(), all.end(), into) == all.end())
      Refuse(key, "must be one of " + base::Join(all, ", "));
  }
  void Number(const char* key, int& into, int lowest, int highest) {
    const Json* value = Find(key);
    if (!value) return;
    bool fits = value->is_number_integer() && *value >= lowest && *value <= highest;
    if (!fits)
      return Refuse(key, "must be a whole number from " + std::to_string(lowest) + " to " +
                             std::to_string(highest));
    into = value->get<int>();
  }
  void Count(const char* key, int64_t& into) {
    const Json* value = Find(key);
    if (!value) return;
    if (!value->is_number_integer() || *value < 0 || *value > INT64_MAX)
      return Refuse(key, "must be a whole number of 0 or more");
    into = value->get<int64_t>();
  }
  void Flag(const char* key, bool& into) {
    const Json* value = Find(key);
    if (!value) return;
    if (!value->is_boolean()) return Refuse(key, "must be true or false");
    into = value->get<bool>();
  }
  void Texts(const char* key, std::vector<std::string>& into) {
    const Json* value = Find(key);
    if (!value) return;
    if (!value->is_array()) return Refuse(key, "must be a list of strings");
    into.clear();
    for (const Json& item : *value) {
      if (!item.is_string()) return Refuse(key, "must be a list of strings");
      into.push_back(item.get<std::string>());
    }
  }
  void TextMap(const char* key, std::map<std::string, std::string>& into) {
    const Json* value = Find(key);
    if (!value) return;
    if (!value->is_object()) return Refuse(key, "must be an object of strings");
    into.clear();
    for (const auto& [name, item] : value->items()) {
      if (!item.is_string()) return Refuse(key, "must be an object of strings");
      into[name] = item.get<std::string>();
    }
  }
  // Calls `read` with the Fields of the object `key`, when it is there.
  template <class Read>
  void Object(const char* key, Read read) {
    const Json* value = Find(key);
    if (!value) return;
    Fields inner(*value, PathOf(key), error_);
    read(inner);
    inner.RefuseUnknown();
  }
  template <class Read>
  void List(const char* key, size_t most, Read read) {
    const Json* value = Find(key);
    if (!value) return;
    if (!value->is_array() || value->size() > most)
      return Refuse(key, "must be a list of at most " + std::to_string(most));
    for (size_t i = 0; i < value->size() && !error_; ++i) {
      Fields inner((*value)[i], PathOf(key) + "[" + std::to_string(i) + "]", error_);
      read(inner);
      inner.RefuseUnknown();
    }
  }
  void Require(const char* key, const std::string& value) {
    if (value.empty()) Refuse(key, "is required");
  }
  void RefuseUnknown() {
    if (error_ || !object_.is_object()) return;
    for (const auto& item : object_.items())
      if (!known_.contains(item.key())) return Refuse(item.key().c_str(), "is not a known field");
  }
  void Refuse(const char* key, const std::string& why) {
    if (!error_) error_ = base::Error{base::Code::kInvalid, "policy: " + PathOf(key) + " " + why};
  }

 private:
  std::string PathOf(const std::string& key) const {
    if (key.empty()) return path_.empty() ? "the document" : path_;
    return path_.empty() ? key : path_ + "." + key;
  }
  const Json& object_;
  std::string path_;
  std::optional<base::Error>& error_;
  std::set<std::string> known_;
};

void ReadRetention(Fields& in, RetentionRule& rule) {
  in.Text("type", rule.type);
  in.Text("scope", rule.scope, {"project", "global"});
  in.Text("ttl", rule.ttl);
  in.Count("maxRows", rule.max_rows);
}

void ReadMemory(Fields& in, Policy& policy) {
  in.Text("url", policy.server_url);
  in.Text("audience", policy.audience);
  in.Text("project", policy.project);
  in.Number("contextLimit", policy.context_limit, 0, 50);
  in.Flag("autoSummarize", policy.auto_summarize);
  in.Flag("sessionDigest", policy.session_digest);
  in.Flag("rememberPrompts", policy.remember_prompts);
  in.Flag("autoSave", policy.auto_save);
  in.Flag("autoSearch", policy.auto_search);
  in.Flag("allowGlobal", policy.allow_global);
  in.Flag("allowAdmin", policy.allow_admin);
  in.Flag("injectUntrusted", policy.inject_untrusted);
  in.Text("reinject", policy.reinject, {"changed", "everyTurn"});
  in.Number("budgetTokens", policy.budget_tokens, 0, INT32_MAX);
  in.Object("redaction", [&](Fields& redaction) {
    redaction.Flag("enabled", policy.redaction.enabled);
    redaction.Flag("workingMemory", policy.redaction.working_memory);
    redaction.Texts("extraPatterns", policy.redaction.extra_patterns);
  });
  in.List("retention", kMaxRules,
          [&](Fields& rule) { ReadRetention(rule, policy.retention.emplace_back()); });
}

void ReadRule(Fields& in, SaveRule& rule) {
  in.Text("name", rule.name);
  in.Text("tool", rule.tool);
  in.Require("tool", rule.tool);
  in.Text("matchOutput", rule.match_output);
  in.TextMap("matchArgs", rule.match_args);
  in.Text("type", rule.type);
  in.Text("scope", rule.scope, {"project", "global"});
  in.Text("title", rule.title);
  in.Texts("tags", rule.tags);
  in.Text("trust", rule.trust, {"rule", "tool-output"});
}

void ReadInjectTool(Fields& in, InjectTool& tool) {
  tool.query = kFromToolArgs;
  in.Text("tool", tool.tool);
  in.Require("tool", tool.tool);
  in.Text("query", tool.query);
  in.Number("limit", tool.limit, 1, 10);
  in.Flag("inject", tool.inject);
}

void ReadToolHooks(Fields& in, Policy& policy) {
  in.List("memorySaveRules", kMaxRules,
          [&](Fields& rule) { ReadRule(rule, policy.save_rules.emplace_back()); });
  in.List("contextInjectTools", kMaxRules,
          [&](Fields& tool) { ReadInjectTool(tool, policy.inject_tools.emplace_back()); });
  in.Texts("blockedCommands", policy.blocked_commands);
  in.Texts("allowedPaths", policy.allowed_paths);
  in.Texts("auditTools", policy.audit_tools);
  in.Flag("strictCommands", policy.strict_commands);
  in.Texts("untrustedTools", policy.untrusted_tools);
}

Json WriteRule(const SaveRule& rule) {
  Json out = {{"tool", rule.tool}, {"type", rule.type}, {"scope", rule.scope}};
  if (!rule.name.empty()) out["name"] = rule.name;
  if (!rule.match_output.empty()) out["matchOutput"] = rule.match_output;
  if (!rule.match_args.empty()) out["matchArgs"] = rule.match_args;
  if (!rule.title.empty()) out["title"] = rule.title;
  if (!rule.tags.empty()) out["tags"] = rule.tags;
  if (!rule.trust.empty()) out["trust"] = rule.trust;
  return out;
}

Json WriteMemory(const Policy& policy) {
  Json memory = {{"url", policy.server_url},
                 {"audience", policy.audience},
                 {"project", policy.project},
                 {"contextLimit", policy.context_limit},
                 {"autoSummarize", policy.auto_summarize},
                 {"autoSave", policy.auto_save},
                 {"autoSearch", policy.auto_search},
                 {"allowGlobal", policy.allow_global},
                 {"allowAdmin", policy.allow_admin},
                 {"injectUntrusted", policy.inject_untrusted},
                 {"reinject", policy.reinject},
                 {"budgetTokens", policy.budget_tokens},
                 {"redaction",
                  {{"enabled", policy.redaction.enabled},
                   {"workingMemory", policy.redaction.working_memory},
                   {"extraPatterns", policy.redaction.extra_patterns}}}};
  // Only where there is any: a sidecar from before these fields refuses what it does not know.
  if (policy.session_digest) memory["sessionDigest"] = true;
  if (policy.remember_prompts) memory["rememberPrompts"] = true;
  if (!policy.retention.empty()) memory["retention"] = EncodeRetention(policy.retention);
  return memory;
}

}  // namespace

Json EncodeRetention(const std::vector<RetentionRule>& rules) {
  Json list = Json::array();
  for (const RetentionRule& rule : rules)
    list.push_back({{"type", rule.type},
                    {"scope", rule.scope},
                    {"ttl", rule.ttl},
                    {"maxRows", rule.max_rows}});
  return list;
}

base::Result<Policy> DecodePolicy(const base::Json& json) {
  std::optional<base::Error> error;
  Policy policy;
  int version = 0;
  Fields in(json, "", error);
  in.Number("version", version, 0, INT32_MAX);
  if (!error && version != kVersionInForce)
    in.Refuse("version", "must be 1: another is not understood");
  in.Text("agent", policy.agent);
  in.Text("namespace", policy.agent_namespace);
  in.Text("mode", policy.mode, {"daemon", "task"});
  in.Object("memory", [&](Fields& memory) { ReadMemory(memory, policy); });
  in.Object("toolHooks", [&](Fields& hooks) { ReadToolHooks(hooks, policy); });
  in.RefuseUnknown();
  if (policy.project.empty()) policy.project = policy.agent;
  if (error) return *error;
  return policy;
}

base::Json EncodePolicy(const Policy& policy) {
  Json rules = Json::array(), tools = Json::array();
  for (const SaveRule& rule : policy.save_rules) rules.push_back(WriteRule(rule));
  for (const InjectTool& tool : policy.inject_tools)
    tools.push_back({{"tool", tool.tool},
                     {"query", tool.query},
                     {"limit", tool.limit},
                     {"inject", tool.inject}});
  Json out = {{"version", kVersionInForce},
              {"agent", policy.agent},
              {"namespace", policy.agent_namespace},
              {"memory", WriteMemory(policy)},
              {"toolHooks",
               {{"memorySaveRules", rules},
                {"contextInjectTools", tools},
                {"blockedCommands", policy.blocked_commands},
                {"allowedPaths", policy.allowed_paths},
                {"auditTools", policy.audit_tools}}}};
  // As sessionDigest: a sidecar from before these fields refuses what it does not know.
  Json& hooks = out["toolHooks"];
  if (policy.strict_commands) hooks["strictCommands"] = true;
  if (!policy.untrusted_tools.empty()) hooks["untrustedTools"] = policy.untrusted_tools;
  if (policy.mode != "daemon") out["mode"] = policy.mode;
  return out;
}

std::string PolicyDigest(std::string_view policy_file) {
  return "sha256:" + base::Sha256Hex(policy_file);
}

}  // namespace api
