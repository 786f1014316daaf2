// Runs the searches of a text in order, and walks over JSON, where name and value are separate
// strings. All searches collect spans of the original text, and one replacement follows: a search
// over replaced text would find parts of placeholders, and its offsets would be wrong.
#include "lib/redaction/redaction.h"

#include <re2/re2.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "lib/base/text/text.h"
#include "lib/redaction/encoded.h"
#include "lib/redaction/key_blocks.h"
#include "lib/redaction/search.h"
#include "lib/redaction/spans.h"
#include "lib/redaction/values.h"

namespace redaction {
namespace {

constexpr size_t kShortestSecret = 8;  // ://:abc@
constexpr int kSectionRank = -3, kKeyRank = -2, kOwnRank = 1 << 18;

size_t CharactersOf(const base::Json& value) {
  if (value.is_string()) return base::CountCharacters(value.get_ref<const std::string&>());
  size_t characters = 0;
  if (!value.is_structured()) return characters;
  for (const base::Json& inner : value) characters += CharactersOf(inner);
  return characters;
}

void FindSections(std::string_view text, std::vector<SecretSpan>& spans) {
  constexpr std::string_view kOpen = "<private>", kClose = "</private>";
  for (size_t at = text.find(kOpen); at != std::string_view::npos;) {
    const size_t close = text.find(kClose, at);
    const size_t end = close == std::string_view::npos ? text.size() : close + kClose.size();
    spans.push_back({at, end, kSectionRank, "private"});
    at = text.find(kOpen, end);
  }
}

void FindKeyBlocks(std::string_view text, std::vector<SecretSpan>& spans) {
  KeyBlocks blocks(text);
  size_t from = 0;
  while (const auto block = blocks.Next(from)) {
    spans.push_back({block->begin, block->end, kKeyRank, "private-key"});
    from = block->end;
  }
}

// Whether documentation omits the value: curl -u user:…
bool IsLeftOut(std::string_view value) {
  return value.starts_with("\u2026") || value.starts_with("...");
}

// Drops spans inside placeholders of an earlier redaction, and omitted values.
void DropPlaceholders(std::string_view text, std::vector<SecretSpan>& spans) {
  constexpr std::string_view kPlaceholder = "[REDACTED:";
  std::vector<std::pair<size_t, size_t>> placeholders;
  for (size_t at = text.find(kPlaceholder); at != std::string_view::npos;
       at = text.find(kPlaceholder, at + 1)) {
    const size_t kind = at + kPlaceholder.size();
    const size_t colon = std::min(
        text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-", kind), text.size());
    if (text.substr(kind).starts_with("private]")) placeholders.emplace_back(at, kind + 8);
    const size_t end = std::min(text.find_first_not_of("0123456789abcdef", colon + 1), text.size());
    if (text.substr(colon, 1) == ":" && end - colon == 9 && text.substr(end, 1) == "]")
      placeholders.emplace_back(at, end + 1);
  }
  std::erase_if(spans, [&](const SecretSpan& span) {
    if (IsLeftOut(text.substr(span.begin, span.end - span.begin))) return true;
    const auto next =
        std::partition_point(placeholders.begin(), placeholders.end(),
                             [&](const auto& found) { return found.first <= span.begin; });
    return next != placeholders.begin() && span.end <= std::prev(next)->second;
  });
}

// The placeholder for a whole value.
std::string AssignedPlaceholder(std::string_view value, Redactor::Counts& counts) {
  return ReplaceSpans(value, {{0, value.size(), 0, "generic"}}, counts);
}

constexpr const char* kNameMembers[] = {"name",  "key",      "Name",  "Key",
                                        "field", "variable", "header"};
constexpr const char* kValueMembers[] = {"value",   "Value",   "val",     "data",
                                         "content", "current", "default", "plaintext"};

// The likelihood by the name of a pair such as {"name": "DB_PASSWORD", "value": …}.
SecretLikelihood LikelihoodOfPair(const base::Json& object) {
  SecretLikelihood most = SecretLikelihood::kNone;
  for (const char* member : kNameMembers) {
    const auto found = object.find(member);
    if (found == object.end() || !found->is_string()) continue;
    const auto& name = found->get_ref<const std::string&>();
    if (name.size() <= 64 && name.find(' ') == std::string::npos)
      most = std::max(most, LikelihoodOf(name));
  }
  return most;
}

bool IsValueMember(const std::string& key) {
  return std::any_of(std::begin(kValueMembers), std::end(kValueMembers),
                     [&](const char* member) { return key == member; });
}

// Whether the element is a secret option, whose value is the next element of the list.
bool IsOption(const base::Json& value, SecretLikelihood& likelihood) {
  likelihood = SecretLikelihood::kNone;
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() > 2 && text.size() <= 64 && text[0] == '-') likelihood = LikelihoodOf(text);
  return likelihood != SecretLikelihood::kNone;
}

}  // namespace

struct Redactor::Compiled {
  std::vector<std::unique_ptr<const RE2>> own;  // patterns of the policy

  bool FindOwn(std::string_view text, base::WorkBudget& budget,
               std::vector<SecretSpan>& spans) const {
    for (const auto& pattern : own) {
      const int groups = pattern->NumberOfCapturingGroups() > 0 ? 2 : 1;
      re2::StringPiece found[2];
      size_t at = 0;
      if (!budget.Spend(text.size())) return false;
      while (at <= text.size() && pattern->Match({text.data(), text.size()}, at, text.size(),
                                                 RE2::UNANCHORED, found, groups)) {
        const auto& secret = found[groups - 1].data() ? found[groups - 1] : found[0];
        const auto begin = static_cast<size_t>(secret.data() - text.data());
        const size_t end = begin + secret.size();
        if (!budget.Spend(kMatchBytes + end - std::min(at, end))) return false;
        if (secret.empty()) {  // an empty match: skip one character
          if (begin >= text.size()) break;
          at = base::BorderAfter(text, begin + 1);
          continue;
        }
        spans.push_back({begin, end, kOwnRank, "custom"});
        at = end;
      }
    }
    return true;
  }

  // False: the budget ran out, and the caller must not keep the text.
  bool Replace(std::string& text, Counts& counts, base::WorkBudget& budget) const {
    const VisibleText visible(text);
    std::vector<SecretSpan> spans;
    FindSections(visible.text(), spans);
    FindKeyBlocks(visible.text(), spans);
    if (!FindSecrets(visible.text(), budget, spans) || !FindEncoded(visible.text(), budget, spans))
      return false;
    if (!FindOwn(visible.text(), budget, spans)) return false;
    if (!spans.empty()) DropPlaceholders(visible.text(), spans);
    if (spans.empty()) return true;
    for (SecretSpan& span : spans) span = visible.InWhole(span);
    text = ReplaceSpans(text, std::move(spans), counts);
    return true;
  }

 private:
  // The cost of a match besides the passed text. An extra pattern may read far ahead for each
  // match: the cost makes the budget read the clock often enough to notice.
  static constexpr size_t kMatchBytes = 256;
};

std::string NotStored(size_t characters) {
  return "[not stored: redaction ran out of its time budget, " + std::to_string(characters) +
         " characters]";
}

base::Result<Redactor> Redactor::Compile(const api::Redaction& settings) {
  auto compiled = std::make_shared<Compiled>();
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(1 << 20);
  for (const std::string& text : settings.extra_patterns) {
    auto pattern = std::make_unique<const RE2>(text, options);
    if (!pattern->ok()) {
      return base::Error{base::Code::kInvalid,
                         "redaction pattern \"" + text + "\": " + pattern->error()};
    }
    compiled->own.push_back(std::move(pattern));
  }
  Redactor redactor;
  redactor.enabled_ = settings.enabled;
  redactor.compiled_ = std::move(compiled);
  return redactor;
}

std::string Redactor::Redact(std::string_view text, Counts& counts,
                             base::WorkBudget& budget) const {
  std::string redacted(text);
  if (!enabled_ || (text.size() < kShortestSecret && compiled_->own.empty())) return redacted;
  if (!budget.over() && compiled_->Replace(redacted, counts, budget)) return redacted;
  return NotStored(base::CountCharacters(text));
}

void Redactor::RedactStrings(base::Json& value, Counts& counts, base::WorkBudget& budget) const {
  if (!enabled_) return;
  budget.Spend(1);
  if (value.is_string()) value = Redact(value.get_ref<const std::string&>(), counts, budget);
  if (value.is_array()) RedactArray(value, counts, budget);
  if (value.is_object()) RedactObject(value, counts, budget);
}

// Redacts the value of a secret name: a text, a number, and those in a list or in value members.
void Redactor::RedactAssigned(base::Json& value, bool strong, Counts& counts,
                              base::WorkBudget& budget) const {
  const SecretLikelihood likelihood = strong ? SecretLikelihood::kStrong : SecretLikelihood::kWeak;
  if (budget.over()) return;
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (IsSecretValue(likelihood, text, Notation::kQuoted))
      value = AssignedPlaceholder(text, counts);
  } else if (value.is_number()) {
    const std::string text = base::DumpJson(value);
    if (strong && text.size() >= 4) value = AssignedPlaceholder(text, counts);
  } else if (value.is_array()) {
    for (base::Json& inner : value) RedactAssigned(inner, strong, counts, budget);
  } else if (value.is_object()) {
    for (const auto& member : value.items()) {
      if (IsValueMember(member.key())) RedactAssigned(member.value(), strong, counts, budget);
    }
  }
}

void Redactor::RedactArray(base::Json& array, Counts& counts, base::WorkBudget& budget) const {
  for (size_t i = 0; i < array.size(); ++i) {
    if (!budget.over()) {
      SecretLikelihood likelihood;
      const bool assigned = i > 0 && IsOption(array[i - 1], likelihood);
      RedactStrings(array[i], counts, budget);
      if (assigned) RedactAssigned(array[i], true, counts, budget);
      continue;
    }
    size_t characters = 0;
    for (size_t left = i; left < array.size(); ++left) characters += CharactersOf(array[left]);
    array.erase(array.begin() + static_cast<std::ptrdiff_t>(i), array.end());
    array.push_back(NotStored(characters));
    return;
  }
}

void Redactor::RedactObject(base::Json& object, Counts& counts, base::WorkBudget& budget) const {
  if (budget.over() && !object.empty()) {
    object = {{"not_stored", NotStored(CharactersOf(object))}};
    return;
  }
  const SecretLikelihood pair = LikelihoodOfPair(object);
  std::vector<std::pair<std::string, std::string>> renamed;
  for (const auto& member : object.items()) {
    const SecretLikelihood own = LikelihoodOf(member.key());
    const SecretLikelihood likelihood = IsValueMember(member.key()) ? std::max(own, pair) : own;
    RedactStrings(member.value(), counts, budget);
    if (likelihood != SecretLikelihood::kNone)
      RedactAssigned(member.value(), likelihood == SecretLikelihood::kStrong, counts, budget);
    std::string name = Redact(member.key(), counts, budget);
    if (name != member.key()) renamed.emplace_back(member.key(), std::move(name));
  }
  for (auto& [from, to] : renamed) {
    base::Json inner = std::move(object[from]);
    object.erase(from);
    object[to] = std::move(inner);
  }
}

void Redactor::RedactArguments(base::Json& arguments, Counts& counts,
                               base::WorkBudget& budget) const {
  if (!enabled_) return;
  if (arguments.is_string() && !budget.over()) {
    auto read = base::ParseJson(arguments.get_ref<const std::string&>());
    if (read && read->is_structured()) {
      base::Json redacted = *read;
      RedactStrings(redacted, counts, budget);
      if (redacted != *read) {
        arguments = base::DumpJson(redacted);
        return;
      }
    }
  }
  RedactStrings(arguments, counts, budget);
}

std::string Redactor::Redact(std::string_view text, Counts& counts) const {
  base::WorkBudget without_limit;
  return Redact(text, counts, without_limit);
}

void Redactor::RedactStrings(base::Json& value, Counts& counts) const {
  base::WorkBudget without_limit;
  RedactStrings(value, counts, without_limit);
}

void Redactor::RedactArguments(base::Json& arguments, Counts& counts) const {
  base::WorkBudget without_limit;
  RedactArguments(arguments, counts, without_limit);
}

}  // namespace redaction
