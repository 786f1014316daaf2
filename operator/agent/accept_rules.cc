// The options must be those of sidecar/rules/capture.cc: 1 MiB for a compiled pattern of at most
// 512 characters.
#include "operator/agent/accept_rules.h"

#include <re2/re2.h>

#include <algorithm>

#include "lib/base/text/text.h"

namespace controller {
namespace {

constexpr int64_t kPatternBytes = 1 << 20;
constexpr size_t kPatternCharacters = 512;

// The fault of a pattern; empty: none.
std::string FaultOf(const std::string& pattern) {
  if (base::CountCharacters(pattern) > kPatternCharacters) return "has more than 512 characters";
  RE2::Options options;
  options.set_max_mem(kPatternBytes);
  options.set_log_errors(false);
  RE2 compiled(pattern, options);
  return compiled.ok() ? "" : "does not compile: " + compiled.error();
}

std::string FaultOf(const api::SaveRule& rule) {
  if (std::string fault = FaultOf(rule.match_output); !fault.empty()) return "matchOutput " + fault;
  for (const auto& [argument, pattern] : rule.match_args)
    if (std::string fault = FaultOf(pattern); !fault.empty())
      return "matchArgs." + argument + " " + fault;
  return "";
}

}  // namespace

std::vector<std::string> RemoveInvalidRules(api::Policy& policy) {
  std::vector<std::string> faults;
  std::vector<api::SaveRule> good;
  for (size_t i = 0; i < policy.save_rules.size(); ++i) {
    const api::SaveRule& rule = policy.save_rules[i];
    const std::string fault = FaultOf(rule);
    if (fault.empty()) {
      good.push_back(rule);
      continue;
    }
    const std::string name = rule.name.empty() ? "for tool " + rule.tool : rule.name;
    faults.push_back("rule " + name + " (memorySaveRules[" + std::to_string(i) + "]): " + fault);
  }
  policy.save_rules = std::move(good);
  std::erase_if(policy.store_rules, [&, index = size_t{0}](const api::StoreRule& rule) mutable {
    const std::string fault = FaultOf(rule.match), at = std::to_string(index++);
    if (!fault.empty()) faults.push_back("storeRules[" + at + "].match " + fault);
    return !fault.empty();
  });
  auto& extra = policy.redaction.extra_patterns;
  for (size_t i = 0, index = 0; i < extra.size(); ++index) {
    const std::string fault = FaultOf(extra[i]);
    if (fault.empty()) {
      ++i;
      continue;
    }
    faults.push_back("redaction.extraPatterns[" + std::to_string(index) + "] " + fault);
    extra.erase(extra.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return faults;
}

}  // namespace controller
