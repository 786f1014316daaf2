// Takes observations out of tool results by the policy's save rules, compiled once. Knows no
// conversation, no server and no disk. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/api/hook_event.h"
#include "lib/api/policy.h"
#include "lib/base/result.h"
#include "sidecar/text/hook_budget.h"

namespace sidecar {

inline constexpr size_t kExcerptCharacters = 1000, kExcerptMargin = 200;
inline constexpr int64_t kMatchBudgetUs = 20'000;  // for all rules on one result together

// One observation that a rule captures.
struct Capture {
  std::string rule;  // its name, else "rule-" + 12 digits of its definition's hash
  std::string type, scope, title, content;
  std::vector<std::string> tags;
  std::string trust;           // user | rule | tool-output: the class of the memory
  std::string topic_key = {};  // empty: none
  bool amends = false;         // a commit that replaces the session's commit before
};

// The verdict of one rule on one result.
struct RuleVerdict {
  enum class Outcome {
    kMatched,
    kOwnTool,     // a memory tool: its results are memories already
    kOtherTool,   // the rule is for another tool
    kArgument,    // `argument` is missing or does not match
    kOutput,      // matchOutput is not in the output
    kOverBudget,  // not evaluated: earlier rules used up the time
  };
  std::string rule;
  Outcome outcome = Outcome::kOtherTool;
  std::string argument;
  std::string match;  // kMatched: beginning of matchOutput's match; empty without matchOutput
  int64_t took_us = 0;
};

struct Judgement {
  std::vector<RuleVerdict> verdicts;  // one for each rule, in the policy's order
  std::vector<Capture> captures;      // one for each that matched, in the same order
};

class CaptureRules {
 public:
  // kInvalid names the rule and the pattern that RE2 rejects. `untrusted_tools`: names or globs in
  // addition to the built-in list of untrusted tools.
  static base::Result<CaptureRules> Compile(const std::vector<api::SaveRule>& rules,
                                            std::vector<std::string> untrusted_tools = {});

  // Evaluates every rule on a PostToolUse or PostToolUseFailure event and its output. Our own tools
  // never match; injected memory blocks do not count as output. Of an output over 256 KiB the first
  // and the last 128 KiB are searched. The first rule of a tool always runs, later rules only
  // within kMatchBudgetUs by `spent`, so that no pattern delays the agent. `late`: the event's
  // budget is used up and no rule runs.
  Judgement Judge(const api::HookEvent& event, const std::string& output, const CpuClock& spent,
                  bool late = false) const;

  std::vector<std::string> Names() const;

 private:
  struct Rule;
  struct ToolResult;  // the input of the rules
  RuleVerdict Ask(const Rule& rule, ToolResult& result, std::vector<Capture>& captures) const;
  std::string TrustOf(const Rule& rule, const std::string& tool) const;
  std::vector<std::shared_ptr<const Rule>> rules_;
  std::vector<std::string> untrusted_tools_;
};

// The name that identifies a rule in keys and metrics.
std::string RuleName(const api::SaveRule& rule);

// `text` if it has at most 1,000 characters; else 1,000 of them around the bytes [begin, end), with
// at least 200 characters on each side if the text and the match leave room.
std::string Excerpt(std::string_view text, size_t begin, size_t end);

}  // namespace sidecar
