// Decides like the sidecar. The options of RE2 must be those of sidecar/rules/capture.cc: 1 MiB for
// a compiled pattern of at most 512 characters. Names match like ToolMatches in
// sidecar/text/tool_text.cc: globs, ignoring case.
#include "operator/agent/policy_faults.h"

#include <re2/re2.h>

#include <algorithm>
#include <optional>

#include "lib/base/text/text.h"

namespace controller {
namespace {

using base::Json;

constexpr int64_t kPatternBytes = 1 << 20;
constexpr size_t kPatternCharacters = 512;

// The fault of a pattern; empty: none.
std::string PatternFault(const std::string& pattern) {
  if (base::CountCharacters(pattern) > kPatternCharacters) return "has more than 512 characters";
  RE2::Options options;
  options.set_max_mem(kPatternBytes);
  options.set_log_errors(false);
  RE2 compiled(pattern, options);
  return compiled.ok() ? "" : "does not compile: " + compiled.error();
}

std::string RuleFault(const api::SaveRule& rule) {
  if (std::string fault = PatternFault(rule.match_output); !fault.empty())
    return "matchOutput " + fault;
  for (const auto& [argument, pattern] : rule.match_args)
    if (std::string fault = PatternFault(pattern); !fault.empty())
      return "matchArgs." + argument + " " + fault;
  return "";
}

using NameList = std::vector<std::string>;

// All tools of the agent except the memory tools; nullopt: there may be undeclared ones.
std::optional<NameList> Declared(const Json& spec) {
  const Json* builtin = base::At(spec, {"builtinTools"});
  const Json* bound = base::At(spec, {"tools"});
  if (!builtin || !builtin->is_array() || builtin->empty()) return std::nullopt;
  if (bound && !bound->empty()) return std::nullopt;  // bound tools may have any name
  for (const char* more : {"enableQuestionTool", "delegation", "integrations"})
    if (const Json* field = base::At(spec, {more}); field && *field != false) return std::nullopt;
  NameList names;
  for (const Json& name : *builtin) {
    if (!name.is_string()) return std::nullopt;
    names.push_back(base::FoldCase(name.get<std::string>()));
  }
  return names;
}

bool IsMemoryTool(const std::string& folded) {
  return folded.starts_with("mem_") || folded == "recall";
}

// Why no call can match this name; empty: a call may.
std::string ToolFault(const std::string& tool, const std::optional<NameList>& declared) {
  const std::string folded = base::FoldCase(tool);
  if (!declared || IsMemoryTool(folded) || folded.starts_with("mcp_")) return "";
  const bool known = std::any_of(declared->begin(), declared->end(), [&](const std::string& name) {
    return base::MatchesGlob(folded, name);
  });
  // A glob may match memory tools.
  if (known || base::MatchesGlob(folded, "mem_save")) return "";
  return "no tool of spec.builtinTools is called " + tool;
}

}  // namespace

std::vector<std::string> RemoveInvalidRules(api::Policy& policy) {
  std::vector<std::string> faults;
  std::vector<api::SaveRule> good;
  for (size_t i = 0; i < policy.save_rules.size(); ++i) {
    const api::SaveRule& rule = policy.save_rules[i];
    const std::string fault = RuleFault(rule);
    if (fault.empty()) {
      good.push_back(rule);
      continue;
    }
    const std::string name = rule.name.empty() ? "for tool " + rule.tool : rule.name;
    faults.push_back("rule " + name + " (memorySaveRules[" + std::to_string(i) + "]): " + fault);
  }
  policy.save_rules = std::move(good);
  std::erase_if(policy.store_rules, [&, index = size_t{0}](const api::StoreRule& rule) mutable {
    const std::string fault = PatternFault(rule.match), at = std::to_string(index++);
    if (!fault.empty()) faults.push_back("storeRules[" + at + "].match " + fault);
    return !fault.empty();
  });
  auto& extra = policy.redaction.extra_patterns;
  for (size_t i = 0, index = 0; i < extra.size(); ++index) {
    const std::string fault = PatternFault(extra[i]);
    if (fault.empty()) {
      ++i;
      continue;
    }
    faults.push_back("redaction.extraPatterns[" + std::to_string(index) + "] " + fault);
    extra.erase(extra.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return faults;
}

std::vector<std::string> UnknownTools(const api::Policy& policy, const Json& spec) {
  const std::optional<NameList> declared = Declared(spec);
  NameList faults;
  auto look = [&](const std::string& where, const std::string& tool) {
    if (std::string fault = ToolFault(tool, declared); !fault.empty())
      faults.push_back(where + ": " + fault);
  };
  for (const api::SaveRule& rule : policy.save_rules) {
    const std::string where = "rule " + (rule.name.empty() ? "for tool " + rule.tool : rule.name);
    if (IsMemoryTool(base::FoldCase(rule.tool)))
      faults.push_back(where + ": calls of the memory tool " + rule.tool + " are never captured");
    else
      look(where, rule.tool);
  }
  for (const api::InjectTool& inject : policy.inject_tools) look("contextInjectTools", inject.tool);
  for (const std::string& tool : policy.audit_tools) look("auditTools", tool);
  return faults;
}

}  // namespace controller
