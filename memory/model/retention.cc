// Rules of retention: reading, writing, choosing.
#include "memory/model/retention.h"

#include <algorithm>

#include "lib/api/limits.h"
#include "lib/api/memory_api.h"
#include "lib/base/process/clock.h"
#include "lib/base/text/text.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr int64_t kLeastTtlMs = 3'600'000, kLeastRows = 100;

Error Invalid(size_t index, const std::string& why) {
  return Error{Code::kInvalid, "retention[" + std::to_string(index) + "]: " + why};
}

// As people write it: in the largest unit that it is a whole number of.
std::string DurationText(int64_t ms) {
  for (auto [unit, name] : {std::pair{int64_t{3'600'000}, "h"}, {60'000, "m"}, {1000, "s"}}) {
    if (ms % unit == 0 && ms > 0) return std::to_string(ms / unit) + name;
  }
  return ms == 0 ? "0s" : std::to_string(ms) + "ms";
}

Result<RetentionRule> DecodeRule(const Json& json, size_t index) {
  if (!json.is_object()) return Invalid(index, "must be an object with type, scope, ttl, maxRows");
  for (const auto& [key, value] : json.items()) {
    if (key != "type" && key != "scope" && key != "ttl" && key != "maxRows")
      return Invalid(index, "\"" + base::Ellipsize(key, 40) +
                                "\" is not known; there are type, scope, ttl and maxRows");
  }
  RetentionRule rule;
  ASSIGN_OR_RETURN(std::string type, api::OptionalText(json, "type", api::kMaxType));
  ASSIGN_OR_RETURN(std::string scope, api::OptionalText(json, "scope", api::kMaxScope));
  ASSIGN_OR_RETURN(std::string ttl, api::OptionalText(json, "ttl", 32));
  ASSIGN_OR_RETURN(std::optional<int64_t> max_rows, base::OptionalInt(json, "maxRows"));
  if (!type.empty()) rule.type = type;
  if (!scope.empty()) rule.scope = scope;
  if (rule.scope != "project" && rule.scope != "global")
    return Invalid(index, "scope is \"" + scope + "\", it must be \"project\" or \"global\"");
  if (!ttl.empty()) {
    Result<int64_t> parsed = base::ParseDuration(ttl);
    if (!parsed)
      return Invalid(index, "ttl \"" + ttl + "\" is not a Go duration of 0 or more, like 720h");
    rule.ttl_ms = *parsed;
    // Times here are whole milliseconds; less than one is not "no end".
    if (*parsed == 0 && ttl.find_first_of("123456789") != std::string::npos) rule.ttl_ms = 1;
  }
  rule.max_rows = max_rows.value_or(0);
  if (rule.max_rows < 0)
    return Invalid(index, "maxRows is " + std::to_string(rule.max_rows) + ", it must be 0 or more");
  return rule;
}

}  // namespace

Result<RetentionRules> DecodeRetention(const Json& list) {
  RetentionRules rules;
  if (list.is_null()) return rules;
  if (!list.is_array()) return Error{Code::kInvalid, "retention must be a list of rules"};
  if (list.size() > api::kMaxRetentionRules)
    return Error{Code::kInvalid, "retention has " + std::to_string(list.size()) +
                                     " rules, the limit is " +
                                     std::to_string(api::kMaxRetentionRules)};
  for (const Json& json : list) {
    ASSIGN_OR_RETURN(RetentionRule rule, DecodeRule(json, rules.size()));
    for (const RetentionRule& other : rules) {
      if (other.type == rule.type && other.scope == rule.scope)
        return Invalid(rules.size(), "there is a rule for type \"" + rule.type + "\", scope \"" +
                                         rule.scope + "\" already");
    }
    rules.push_back(std::move(rule));
  }
  return rules;
}

Status CheckAgentsRetention(const RetentionRules& rules) {
  for (size_t i = 0; i < rules.size(); ++i) {
    if (rules[i].ttl_ms > 0 && rules[i].ttl_ms < kLeastTtlMs)
      return Invalid(i, "ttl is " + DurationText(rules[i].ttl_ms) +
                            ", with a pod's token it must be 0s or at least " +
                            DurationText(kLeastTtlMs));
    if (rules[i].max_rows > 0 && rules[i].max_rows < kLeastRows)
      return Invalid(i, "maxRows is " + std::to_string(rules[i].max_rows) +
                            ", with a pod's token it must be 0 or at least " +
                            std::to_string(kLeastRows));
  }
  return {};
}

Json EncodeRetention(const RetentionRules& rules) {
  Json list = Json::array();
  for (const RetentionRule& rule : rules) {
    list.push_back({{"type", rule.type},
                    {"scope", rule.scope},
                    {"ttl", DurationText(rule.ttl_ms)},
                    {"maxRows", rule.max_rows}});
  }
  return list;
}

const RetentionRule* RuleFor(const RetentionRules& rules, std::string_view type,
                             std::string_view scope) {
  const RetentionRule* any = nullptr;
  for (const RetentionRule& rule : rules) {
    if (rule.scope != scope) continue;
    if (rule.type == type) return &rule;
    if (rule.type == "*") any = &rule;
  }
  return any;
}

const RetentionRules& RetentionPolicy::For(int64_t project) const {
  auto own = of_project.find(project);
  return own == of_project.end() ? defaults : own->second;
}

namespace {

template <class Has>
bool AnyRule(const RetentionPolicy& policy, Has has) {
  return std::ranges::any_of(policy.defaults, has) ||
         std::ranges::any_of(policy.of_project,
                             [&](const auto& own) { return std::ranges::any_of(own.second, has); });
}

}  // namespace

bool RetentionPolicy::Ends() const {
  return AnyRule(*this, [](const RetentionRule& rule) { return rule.ttl_ms > 0; });
}

bool RetentionPolicy::Caps() const {
  return AnyRule(*this, [](const RetentionRule& rule) { return rule.max_rows > 0; });
}

int64_t RetentionPolicy::KeptSince(int64_t project, std::string_view scope, std::string_view type,
                                   int64_t now_ms) const {
  const RetentionRule* rule = RuleFor(For(project), type, scope);
  return rule && rule->ttl_ms > 0 ? now_ms - rule->ttl_ms : INT64_MIN;
}

}  // namespace memory
