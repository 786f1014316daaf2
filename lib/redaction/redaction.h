// Removes secrets from text before it is written or sent: known formats, values of secret names,
// private keys, the policy's patterns, and <private> sections. Does not find secrets without a
// recognizable form. Pure.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "lib/api/policy.h"
#include "lib/base/json/json.h"
#include "lib/base/limits/work_budget.h"
#include "lib/base/result.h"

namespace redaction {

class Redactor {
 public:
  using Counts = std::map<std::string, int64_t>;  // kind → number of secrets

  // kInvalid names the extra pattern that RE2 refuses. If disabled, the redactor changes nothing.
  static base::Result<Redactor> Compile(const api::Redaction& settings);

  // Replaces each secret by [REDACTED:kind:<8 digits of its SHA-256>], <private>…</private> by
  // [REDACTED:private]. Linear in the text, except for extra patterns. Any thread.
  std::string Redact(std::string_view text, Counts& counts) const;
  // Redacts every string of a value, also names of members. A member's name counts as the name of
  // its value, which may be a number.
  void RedactStrings(base::Json& value, Counts& counts) const;
  // Redacts a tool's arguments. Parses a string with JSON first, since escaped quotes and line ends
  // hide secrets, and encodes it again only if it had one.
  void RedactArguments(base::Json& arguments, Counts& counts) const;

  // The same within `budget`. NotStored replaces the values that were not searched in time: a text,
  // the rest of an array, and all members of an object.
  std::string Redact(std::string_view text, Counts& counts, base::WorkBudget& budget) const;
  void RedactStrings(base::Json& value, Counts& counts, base::WorkBudget& budget) const;
  void RedactArguments(base::Json& arguments, Counts& counts, base::WorkBudget& budget) const;

 private:
  struct Compiled;
  void RedactArray(base::Json& array, Counts& counts, base::WorkBudget& budget) const;
  void RedactObject(base::Json& object, Counts& counts, base::WorkBudget& budget) const;
  void RedactAssigned(base::Json& value, bool strong, Counts& counts,
                      base::WorkBudget& budget) const;
  bool enabled_ = true;
  std::shared_ptr<const Compiled> compiled_;
};

// The placeholder for a text that the redactor did not search in time.
std::string NotStored(size_t characters);

}  // namespace redaction
