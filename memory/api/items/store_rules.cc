// The patterns of the filter, and the keys.
#include "memory/api/items/store_rules.h"

#include <re2/re2.h>

#include <algorithm>

#include "lib/api/limits.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr size_t kKeyWords = 8, kKeyDigest = 8;
constexpr size_t kMaxKeyWord = 20;  // characters

// In this order: "no, I prefer B" corrects.
struct Kind {
  const char *name, *pattern;
};
constexpr Kind kKinds[] = {
    {"correction",
     R"((?i)^\s*(no|nope|wrong|actually|correction)\b[,:. ]|\b(that's|that is|you're|you are|this is) (wrong|not right|incorrect|mistaken)\b|\bi meant\b|\bnot [^.!?]{1,60}\bbut\b|\binstead of\b)"},
    {"preference",
     R"((?i)\b(i|we|they|user)( \w+)? (prefer|like|love|hate|dislike|favou?r)s?\b|\b(i|we) (always|never|usually|rather) \w+|\bmy favou?rite\b|\bplease (always|never)\b|^\s*(always|never) \w+)"},
    {"decision",
     R"((?i)\b(we|i)('ve| have|'ll| will| are| am)? (decided?|agreed?|chose|choose|chosen|settled?|(going|go) with|going to use|use)\b|\blet's (use|go with|take|do)\b|\bdecision\b)"},
    {"fact",
     R"((?i)\b(remember|note|keep in mind|for the record|fyi)\b|\b(my|our|the) [^.!?]{1,80}\b(is|are|was|were|has|have|runs?|lives?|uses?|costs?|listens?|belongs?|means?)\b)"}};

const RE2& PatternOf(size_t kind) {
  static const std::vector<std::unique_ptr<RE2>> patterns = [] {
    std::vector<std::unique_ptr<RE2>> made;
    for (const Kind& one : kKinds) made.push_back(std::make_unique<RE2>(one.pattern));
    return made;
  }();
  return *patterns[kind];
}

// Sentences that are no questions.
std::vector<std::string_view> StatementsOf(std::string_view text) {
  std::vector<std::string_view> statements;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    // A full stop inside a word ends no sentence: 1.5, config.yaml.
    while (end < text.size() && text[end] != '\n' && text[end] != '?' &&
           !((text[end] == '.' || text[end] == '!') &&
             (end + 1 == text.size() || text[end + 1] == ' ' || text[end + 1] == '\n')))
      ++end;
    if (end >= text.size() || text[end] != '?') statements.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return statements;
}

std::string KeyOf(const std::string& user_input) {
  std::string key, word;
  size_t words = 0;
  auto end_word = [&] {
    if (word.empty() || words == kKeyWords) return word.clear();
    key += std::string(base::Prefix(word, kMaxKeyWord)) + "-";
    ++words;
    word.clear();
  };
  for (const char c : base::FoldCase(user_input)) {
    const bool letter =
        (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
    if (letter)
      word += c;
    else
      end_word();
    if (words == kKeyWords) break;
  }
  end_word();
  return key + base::Sha256Hex(user_input).substr(0, kKeyDigest);
}

std::string KindOf(const std::string& user_input) {
  const std::vector<std::string_view> statements = StatementsOf(user_input);
  for (size_t kind = 0; kind < std::size(kKinds); ++kind) {
    for (const std::string_view statement : statements) {
      if (RE2::PartialMatch(re2::StringPiece(statement.data(), statement.size()), PatternOf(kind)))
        return kKinds[kind].name;
    }
  }
  return "";
}

Status MayGoOn(base::WorkBudget& budget, const std::stop_token& gone) {
  constexpr size_t kReadsTheClock = 64 << 10;
  if (gone.stop_requested()) return Error{Code::kUnavailable, "the client is gone"};
  if (budget.Spend(kReadsTheClock)) return {};
  return Error{Code::kTooLarge, "rules: their patterns took more than " +
                                    std::to_string(kConsiderUs / 1000) +
                                    " ms on this input and answer; give fewer or simpler rules, or "
                                    "shorter texts"};
}

Status CheckSteps(const RE2& pattern, size_t bytes) {
  const auto size = static_cast<size_t>(std::max(pattern.ProgramSize(), 1));
  if (size * bytes <= kMaxMatchSteps) return {};
  return Error{Code::kTooLarge, "rules: a match compiles to " + std::to_string(size) +
                                    " instructions, which for the " + std::to_string(bytes) +
                                    " bytes of input and answer is " +
                                    std::to_string(size * bytes) + " steps, the limit is " +
                                    std::to_string(kMaxMatchSteps) +
                                    "; give a shorter pattern or shorter texts"};
}

}  // namespace

Result<std::vector<StoreRule>> DecodeStoreRules(const Json& rules) {
  std::vector<StoreRule> read;
  if (rules.is_null()) return read;
  if (!rules.is_array() || rules.size() > api::kMaxStoreRules) {
    return Error{Code::kInvalid, "rules must be a list of at most " +
                                     std::to_string(api::kMaxStoreRules) + " rules"};
  }
  for (const Json& rule : rules) {
    if (!rule.is_object()) return Error{Code::kInvalid, "rules: a rule must be an object"};
    StoreRule one;
    ASSIGN_OR_RETURN(const auto match, base::OptionalString(rule, "match"));
    ASSIGN_OR_RETURN(const auto length, base::OptionalInt(rule, "minLength"));
    one.match = match.value_or("");
    one.min_length = length.value_or(0);
    if (const size_t characters = base::CountCharacters(one.match); characters > kMaxStorePattern) {
      return Error{Code::kInvalid, "rules: match has " + std::to_string(characters) +
                                       " characters, the limit is " +
                                       std::to_string(kMaxStorePattern)};
    }
    if (one.min_length < 0) return Error{Code::kInvalid, "rules: minLength is negative"};
    read.push_back(std::move(one));
  }
  return read;
}

Result<Consideration> Consider(const std::string& user_input, const std::string& answer,
                               const std::vector<StoreRule>& rules, const base::CpuClock& spent,
                               const std::stop_token& gone) {
  Consideration considered;
  considered.key = KeyOf(user_input);
  if (rules.empty()) {
    considered.rule = KindOf(user_input);
    considered.store = !considered.rule.empty() && !base::IsBlank(answer);
    return considered;
  }
  const auto length = static_cast<int64_t>(base::CountCharacters(answer));
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(1 << 20);
  base::WorkBudget budget = spent ? base::WorkBudget(spent, kConsiderUs) : base::WorkBudget();
  for (const StoreRule& rule : rules) {
    RETURN_IF_ERROR(MayGoOn(budget, gone));
    const RE2 pattern(rule.match, options);
    if (!pattern.ok())
      return Error{Code::kInvalid, "rules: match does not compile: " + pattern.error()};
    RETURN_IF_ERROR(CheckSteps(pattern, user_input.size() + answer.size()));
    if (considered.store || length < rule.min_length) continue;
    if (!RE2::PartialMatch(user_input, pattern) && !RE2::PartialMatch(answer, pattern)) continue;
    considered.store = true;
    considered.rule = rule.match;
  }
  return considered;
}

}  // namespace memory
