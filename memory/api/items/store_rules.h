// The save filter: decides which exchanges of a user and an agent become items. Pure.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/limits/work_budget.h"
#include "lib/base/result.h"

namespace memory {

inline constexpr size_t kMaxStorePattern = 512;  // characters
inline constexpr size_t kMaxMatchSteps =
    200'000'000;                                 // instructions of a pattern × bytes of the text
inline constexpr int64_t kConsiderUs = 500'000;  // of processor time, for all rules

struct StoreRule {
  std::string match;       // RE2, case-sensitive; empty: every exchange
  int64_t min_length = 0;  // of the answer, in characters
};

// `rules`: null or a list of {"match"?, "minLength"?}.
base::Result<std::vector<StoreRule>> DecodeStoreRules(const base::Json& rules);

struct Consideration {
  bool store = false;
  std::string rule;  // its pattern, or preference, decision, correction or fact
  std::string key;   // a function of the input
};
// The first rule that matches the user's input or the answer. Without rules: a sentence of the
// input, not a question, that states a preference, a decision, a correction or a fact. kInvalid: a
// pattern that does not compile; kTooLarge: the rules need more than kMaxMatchSteps or kConsiderUs;
// kUnavailable: `gone`. RE2 is linear in the text, but one match cannot be interrupted: its steps
// have a limit, and `spent` is read between two matches.
base::Result<Consideration> Consider(const std::string& user_input, const std::string& answer,
                                     const std::vector<StoreRule>& rules,
                                     const base::CpuClock& spent = {},
                                     const std::stop_token& gone = {});

}  // namespace memory
