// Matches like the sidecar (ToolMatches in sidecar/text/tool_text.cc): globs, ignoring case.
#include "operator/agent/tool_names.h"

#include <algorithm>
#include <optional>

#include "lib/base/text/text.h"

namespace controller {
namespace {

using base::Json;

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
std::string FaultOf(const std::string& tool, const std::optional<NameList>& declared) {
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

std::vector<std::string> UnknownTools(const api::Policy& policy, const Json& spec) {
  const std::optional<NameList> declared = Declared(spec);
  NameList faults;
  auto look = [&](const std::string& where, const std::string& tool) {
    if (std::string fault = FaultOf(tool, declared); !fault.empty())
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
