// Rules of retention per type and scope: maximum age and count of observations, with the names of
// the Agent's field `retention`. Pure; keeping/sweeping.cc enforces the rules.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace memory {

struct RetentionRule {
  std::string type = "*";         // * is every type that has no rule of its own
  std::string scope = "project";  // or global
  int64_t ttl_ms = 0;             // since it was last written; 0: no end
  int64_t max_rows = 0;           // 0: no limit
};
using RetentionRules = std::vector<RetentionRule>;

// [{type, scope, ttl, maxRows}], all optional; null is none. kInvalid names what is wrong. At most
// 32, no two for the same type and scope.
base::Result<RetentionRules> DecodeRetention(const base::Json& list);
// Validates the rules of an Agent: a ttl of at least an hour, at least 100 rows, or no limit, so
// that no rule hides a whole project immediately. kInvalid names the rule.
base::Status CheckAgentsRetention(const RetentionRules& rules);
base::Json EncodeRetention(const RetentionRules& rules);

// A row has one rule: that of its type and scope, else that of * and its scope, else none (null).
// The result points into `rules`.
const RetentionRule* RuleFor(const RetentionRules& rules, std::string_view type,
                             std::string_view scope);

// The rules of all projects of a store. A project with rules of its own has those alone.
struct RetentionPolicy {
  RetentionRules defaults;
  std::map<int64_t, RetentionRules> of_project;  // by its number; never empty lists
  const RetentionRules& For(int64_t project) const;
  bool Ends() const;  // some rule has a ttl
  bool Caps() const;  // some rule has a limit of rows
  // Rows last written at this time or before are expired at `now_ms`; INT64_MIN: none are.
  int64_t KeptSince(int64_t project, std::string_view scope, std::string_view type,
                    int64_t now_ms) const;
};

}  // namespace memory
