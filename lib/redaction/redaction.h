// Removes secrets from text before it is written or sent: known formats, values assigned to secret
// names, private keys, the policy's patterns, and <private> sections. A secret without a
// recognisable form is not found. Pure.
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
  using Counts = std::map<std::string, int64_t>;  // kind → how many

  // kInvalid names the extra pattern that RE2 does not take. Disabled: changes nothing.
  static base::Result<Redactor> Compile(const api::Redaction& settings);

  // Each secret becomes [REDACTED:kind:hash8], the hash of its bytes; <private>…</private> becomes
  // [REDACTED:private]. Linear in the text under the known formats. Any thread.
  std::string Redact(std::string_view text, Counts& counts) const;
  // Redacts every string of a value, names of members too; the name of a member counts as the name
  // that its value, also a number, is assigned to.
  void RedactStrings(base::Json& value, Counts& counts) const;
  // Redacts a tool's arguments. A string that holds JSON is parsed first, since escaped quotes and
  // line ends hide secrets, and is written anew only when it had one.
  void RedactArguments(base::Json& arguments, Counts& counts) const;

  // The same within `budget`. Values that were not searched in time are not kept: NotStored
  // replaces a text, the rest of an array, and all members of an object.
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

// The placeholder for a text that was not searched in time.
std::string NotStored(size_t characters);

}  // namespace redaction
