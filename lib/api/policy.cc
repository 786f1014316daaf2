// Decodes and encodes policy.json. Decoding refuses unknown keys, wrong types and values out of
// their limits, with the key's path, so that no policy is in force that the sidecar understands
// only in part.
#include "lib/api/policy.h"

#include <algorithm>

#include "lib/api/fields.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"

namespace api {
namespace {

using base::Json;

constexpr int kVersionInForce = 1;
constexpr size_t kMaxRules = 32;  // per list
constexpr size_t kMostUserBytes = 200;

void ReadRetention(Fields& in, RetentionRule& rule) {
  in.Text("type", rule.type);
  in.Text("scope", rule.scope, {"project", "global"});
  in.Text("ttl", rule.ttl);
  in.Count("maxRows", rule.max_rows);
}

bool IsJsonPointer(const std::string& text) {
  for (size_t at = text.find('~'); at != std::string::npos; at = text.find('~', at + 1))
    if (at + 1 == text.size() || (text[at + 1] != '0' && text[at + 1] != '1')) return false;
  return text.empty() || text.front() == '/';
}

void ReadTaskTool(Fields& in, TaskTool& tool) {
  in.Text("tool", tool.tool);
  in.Require("tool", tool.tool);
  for (auto [key, pointer] :
       {std::pair{"reads", &tool.reads}, std::pair{"modifies", &tool.modifies},
        std::pair{"action", &tool.action}}) {
    in.Text(key, *pointer);
    if (!IsJsonPointer(*pointer)) in.Refuse(key, "must be a JSON pointer, as /file_path");
  }
}

void ReadWorkingSection(Fields& in, WorkingSection& section) {
  in.Text("inject", section.inject, {"afterLoss", "everyTurn", "never"});
  in.Number("maxChars", section.max_chars, 200, 9'000);
  in.Number("windowTokens", section.window_tokens, 0, INT32_MAX);
  in.List("tools", kMaxRules,
          [&](Fields& tool) { ReadTaskTool(tool, section.tools.emplace_back()); });
}

Json WriteWorkingSection(const WorkingSection& section) {
  Json tools = Json::array();
  for (const TaskTool& tool : section.tools) {
    Json out = {{"tool", tool.tool}};
    if (!tool.reads.empty()) out["reads"] = tool.reads;
    if (!tool.modifies.empty()) out["modifies"] = tool.modifies;
    if (!tool.action.empty()) out["action"] = tool.action;
    tools.push_back(std::move(out));
  }
  return {{"inject", section.inject},
          {"maxChars", section.max_chars},
          {"windowTokens", section.window_tokens},
          {"tools", std::move(tools)}};
}

// The user's name is the value of an HTTP header.
bool IsHeaderWord(const std::string& text) {
  return text.size() <= kMostUserBytes &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

void ReadMemory(Fields& in, Policy& policy) {
  in.Text("url", policy.server_url);
  in.Text("audience", policy.audience);
  in.Text("project", policy.project);
  in.Text("user", policy.user);
  if (!IsHeaderWord(policy.user))
    in.Refuse("user", "must be at most 200 printable ASCII characters without blanks");
  in.Number("contextLimit", policy.context_limit, 0, 50);
  in.Flag("autoSummarize", policy.auto_summarize);
  in.Flag("sessionDigest", policy.session_digest);
  in.Flag("rememberPrompts", policy.remember_prompts);
  in.Flag("saveCommits", policy.save_commits);
  in.Flag("saveStatements", policy.save_statements);
  in.Flag("askToSave", policy.ask_to_save);
  in.Text("saveAdvice", policy.save_advice);
  if (const size_t length = base::CountCharacters(policy.save_advice); length > kMostSaveAdvice)
    in.Refuse("saveAdvice", "has " + std::to_string(length) + " characters, must have at most " +
                                std::to_string(kMostSaveAdvice));
  in.Flag("rememberEverywhere", policy.remember_everywhere);
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
  in.Object("workingSection",
            [&](Fields& section) { ReadWorkingSection(section, policy.working_section); });
  in.List("retention", kMaxRules,
          [&](Fields& rule) { ReadRetention(rule, policy.retention.emplace_back()); });
  in.Text("tools", policy.tools, {"", "default", "chapter", "agentos"});
  if (policy.tools == "default") policy.tools.clear();
  in.Object("agentos", [&](Fields& tools) { ReadAgentOsTools(tools, policy.agentos); });
  in.Object("autoIngest", [&](Fields& ingest) { ReadAutoIngest(ingest, policy.auto_ingest); });
  in.Object("personality", [&](Fields& traits) { ReadPersonality(traits, policy.personality); });
  in.List("storeRules", kMaxRules, [&](Fields& rule) {
    StoreRule& into = policy.store_rules.emplace_back();
    rule.Text("match", into.match);
    rule.Number("minLength", into.min_length, 0, INT32_MAX);
  });
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
  // Writes these fields only if set: an older sidecar refuses unknown fields.
  if (policy.session_digest) memory["sessionDigest"] = true;
  if (policy.remember_prompts) memory["rememberPrompts"] = true;
  if (policy.save_commits) memory["saveCommits"] = true;
  if (policy.save_statements) memory["saveStatements"] = true;
  if (policy.ask_to_save) memory["askToSave"] = true;
  if (!policy.save_advice.empty()) memory["saveAdvice"] = policy.save_advice;
  if (policy.remember_everywhere) memory["rememberEverywhere"] = true;
  if (policy.working_section != WorkingSection())
    memory["workingSection"] = WriteWorkingSection(policy.working_section);
  if (!policy.retention.empty()) memory["retention"] = EncodeRetention(policy.retention);
  if (!policy.user.empty()) memory["user"] = policy.user;
  if (!policy.tools.empty()) memory["tools"] = policy.tools;
  if (policy.agentos != AgentOsTools()) memory["agentos"] = EncodeAgentOsTools(policy.agentos);
  if (policy.auto_ingest != AutoIngest())
    memory["autoIngest"] = EncodeAutoIngest(policy.auto_ingest);
  if (!policy.personality.empty()) memory["personality"] = policy.personality;
  if (!policy.store_rules.empty()) memory["storeRules"] = EncodeStoreRules(policy.store_rules);
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

Json EncodeStoreRules(const std::vector<StoreRule>& rules) {
  Json list = Json::array();
  for (const StoreRule& rule : rules)
    list.push_back({{"match", rule.match}, {"minLength", rule.min_length}});
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
  // Only if set, like sessionDigest: an older sidecar refuses unknown fields.
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
