// Takes secrets out of text before it is written or sent anywhere: known formats, what is assigned
// to a password or the like, private keys, the policy's own patterns, and <private> sections. What
// has no recognisable form is not found. Pure.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "lib/api/policy.h"
#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "sidecar/text/work_budget.h"

namespace sidecar {

class Redactor {
 public:
  using Counts = std::map<std::string, int64_t>;  // kind → how many

  // kInvalid names the extra pattern that RE2 does not take. Disabled: changes nothing.
  static base::Result<Redactor> Compile(const api::Redaction& settings);

  // Each secret becomes [REDACTED:kind:hash8], the hash of its bytes; <private>…</private> becomes
  // [REDACTED:private]. Linear in the text under the known formats. Any thread.
  std::string Redact(std::string_view text, Counts& counts) const;
  // Every string in it, names of members too; such a name tells what its value, be it a number, is
  // assigned to.
  void RedactStrings(base::Json& value, Counts& counts) const;
  // What a tool is given. A string that holds JSON is read first: within it, quotes and line ends
  // are escaped, which hides what they part. It is written anew only when there was a secret.
  void RedactArguments(base::Json& arguments, Counts& counts) const;

  // The same within `budget`. What is not looked at in time is not kept: NotStored takes the place
  // of a text, of the values that an array has left, and of all members of an object.
  std::string Redact(std::string_view text, Counts& counts, WorkBudget& budget) const;
  void RedactStrings(base::Json& value, Counts& counts, WorkBudget& budget) const;
  void RedactArguments(base::Json& arguments, Counts& counts, WorkBudget& budget) const;

 private:
  struct Compiled;
  void RedactArray(base::Json& array, Counts& counts, WorkBudget& budget) const;
  void RedactObject(base::Json& object, Counts& counts, WorkBudget& budget) const;
  void RedactAssigned(base::Json& value, bool strong, Counts& counts, WorkBudget& budget) const;
  bool enabled_ = true;
  std::shared_ptr<const Compiled> compiled_;
};

// What stands for a text that nobody had the time to search for secrets.
std::string NotStored(size_t characters);

}  // namespace sidecar
