// Takes observations out of tool results: the policy's save rules, compiled once, and what each of
// them says to one result. Knows no conversation, no server and no disk. Pure.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/api/hook_event.h"
#include "lib/api/policy.h"
#include "lib/base/result.h"

namespace sidecar {

inline constexpr size_t kExcerptCharacters = 1000, kExcerptMargin = 200;

// One observation that a rule asks for.
struct Capture {
  std::string rule;  // its name, else "rule-" + 12 digits of its definition's hash (rulings K30)
  std::string type, scope, title, content;
  std::vector<std::string> tags;
};

class CaptureRules {
 public:
  // kInvalid names the rule and the pattern that RE2 does not take.
  static base::Result<CaptureRules> Compile(const std::vector<api::SaveRule>& rules);

  // Every rule that matches, in the policy's order, for a PostToolUse or PostToolUseFailure.
  // Nothing for our own tools; memory blocks that we injected are no part of the output. An output
  // of over 256 KiB is searched in its first and last 128 KiB.
  std::vector<Capture> Match(const api::HookEvent& event) const;

  size_t size() const { return rules_.size(); }

 private:
  struct Rule;
  std::vector<std::shared_ptr<const Rule>> rules_;
};

// The name that identifies a rule in keys and metrics.
std::string RuleName(const api::SaveRule& rule);

// `text` when it has at most 1,000 characters; else 1,000 of them that hold the bytes
// [begin, end) with at least 200 on each side where there are any and the match leaves room.
std::string Excerpt(std::string_view text, size_t begin, size_t end);

}  // namespace sidecar
