// The table of secret formats and their replacement. A format runs only over text that holds its
// literal prefix, which keeps benign text cheap. Behind the table stands what a name gives away: a
// random-looking value that is assigned to a password, a token or a key.
#include "sidecar/redaction.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "lib/base/text.h"
#include "sidecar/redaction_key_blocks.h"

namespace sidecar {
namespace {

constexpr double kLeastBits = 2.8;  // of entropy a character; English words have about 2.5

constexpr size_t kShortestSecret = 8;  // ://:abc@

// How many characters of a match stand before its hint, which is then a literal. Not known: looking
// from one literal to the next would not be linear, or the case differs; the hint is an expression.
constexpr int kNotKnown = -1;

struct Format {
  const char *kind, *hint, *expression;  // group 1, when there is one, is the secret
  int lead = 0;
};

// Published token formats; from 20 following characters on, whatever the exact length.
constexpr Format kFormats[] = {
    {"github", "ghp_", R"(\bghp_[A-Za-z0-9]{20,})"},
    {"github", "gho_", R"(\bgho_[A-Za-z0-9]{20,})"},
    {"github", "ghu_", R"(\bghu_[A-Za-z0-9]{20,})"},
    {"github", "ghs_", R"(\bghs_[A-Za-z0-9]{20,})"},
    {"github", "ghr_", R"(\bghr_[A-Za-z0-9]{20,})"},
    {"github", "github_pat_", R"(\bgithub_pat_[A-Za-z0-9_]{20,})"},
    {"gitlab", "glpat-", R"(\bglpat-[A-Za-z0-9_-]{20,})"},
    {"aws-key-id", "AKIA", R"(\bAKIA[A-Z0-9]{16,})"},
    {"aws-key-id", "ASIA", R"(\bASIA[A-Z0-9]{16,})"},
    {"aws-key-id", "ABIA", R"(\bABIA[A-Z0-9]{16,})"},
    {"aws-key-id", "ACCA", R"(\bACCA[A-Z0-9]{16,})"},
    {"aws-secret", "AWS_SECRET",
     R"(AWS_SECRET_(?:ACCESS_)?KEY["']?\s*[:=]\s*["']?([A-Za-z0-9/+=]{40}))"},
    {"aws-secret", "(?i)aws_?secret",
     R"((?i)aws_?secret_?(?:access_?)?key(?:_?id)?["']?\s*[:=]\s*["']?([A-Za-z0-9/+=]{40}))",
     kNotKnown},
    {"anthropic", "sk-ant-", R"(\bsk-ant-[A-Za-z0-9_-]{20,})"},
    {"api-key", "sk-", R"(\bsk-[A-Za-z0-9_-]{20,})"},
    {"slack", "xox", R"(\bxox[a-z]-[A-Za-z0-9-]{20,})"},
    {"slack", "hooks.slack.com", R"(hooks\.slack\.com/services/[A-Za-z0-9/]{20,})"},
    {"stripe", "k_live_", R"(\b[rs]k_live_[A-Za-z0-9]{20,})", 1},
    {"stripe", "k_test_", R"(\b[rs]k_test_[A-Za-z0-9]{20,})", 1},
    {"google", "AIza", R"(\bAIza[A-Za-z0-9_-]{30,})"},
    {"google-oauth", "ya29.", R"(\bya29\.[A-Za-z0-9_-]{20,})"},
    {"npm", "npm_", R"(\bnpm_[A-Za-z0-9]{20,})"},
    {"pypi", "pypi-", R"(\bpypi-[A-Za-z0-9_-]{20,})"},
    {"huggingface", "hf_", R"(\bhf_[A-Za-z0-9]{20,})"},
    {"digitalocean", "_v1_", R"(\bdo[opr]_v1_[a-f0-9]{20,})", 3},
    {"sendgrid", R"(SG\.)", R"(\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{20,})", kNotKnown},
    {"vault", "hvs.", R"(\bhvs\.[A-Za-z0-9_-]{20,})"},
    {"docker", "dckr_pat_", R"(\bdckr_pat_[A-Za-z0-9_-]{20,})"},
    {"shopify", "shp", R"(\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{20,})"},
    {"square", "sq0", R"(\bsq0[a-z]{3}-[A-Za-z0-9_-]{20,})"},
    {"atlassian", "ATATT3", R"(\bATATT3[A-Za-z0-9_=-]{20,})"},
    {"databricks", "dapi", R"(\bdapi[a-f0-9]{32})"},
    {"grafana", "glsa_", R"(\bglsa_[A-Za-z0-9_]{20,})"},
    {"linear", "lin_api_", R"(\blin_api_[A-Za-z0-9]{20,})"},
    {"groq", "gsk_", R"(\bgsk_[A-Za-z0-9]{20,})"},
    {"new-relic", "NRAK-", R"(\bNRAK-[A-Z0-9]{20,})"},
    {"age", "AGE-SECRET-KEY-1", R"(\bAGE-SECRET-KEY-1[A-Z0-9]{20,})"},
    {"telegram", ":AA", R"(\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33})", kNotKnown},
    {"azure", "AccountKey=", R"(AccountKey=([A-Za-z0-9+/=]{40,}))"},
    {"basic-auth", R"((?i)basic\s)",
     R"((?i)\bauthorization["']?\s*[:=]\s*["']?basic\s+([A-Za-z0-9+/=]{12,}))", kNotKnown},
    {"jwt", "eyJ", R"(\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]+)?)",
     kNotKnown},
    {"bearer", R"((?i)bearer\s)", R"((?i)\bbearer\s+([A-Za-z0-9._~+/=-]{20,}))", kNotKnown},
    {"url-password", "://", R"(://[^\s:@/]{0,64}:([^\s@/]{3,128})@)"},
};

// A name that promises a secret, and what is assigned to it.
#define SECRET_NAMES \
  "(?i)(?:passw(?:or)?d|passwd|secret|token|api_?-?key|access_?-?key|auth_?-?key|credential)"
#define ASSIGNED R"(s?["']?\s*(?::=|=>|[:=]))"
constexpr const char* kSecretName = SECRET_NAMES;
constexpr const char* kAssignment = SECRET_NAMES ASSIGNED;
constexpr const char* kGeneric = SECRET_NAMES ASSIGNED R"(\s*["'`]?([^\s"'`,;<>(){}\[\]|&$]{10,}))";
#undef ASSIGNED
#undef SECRET_NAMES

constexpr const char* kPrivateSection = R"((?s)<private>.*?(?:</private>|\z))";

// True for what nobody writes by hand: letters and digits mixed, few of them twice.
bool LooksRandom(std::string_view text) {
  int digits = 0, letters = 0, others = 0;
  std::array<int, 256> counts{};
  for (const char c : text) {
    ++counts[static_cast<unsigned char>(c)];
    const bool digit = c >= '0' && c <= '9';
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    ++(digit ? digits : letter ? letters : others);
  }
  if (digits == 0 || letters == 0) return false;
  const auto length = static_cast<double>(text.size());
  if (others > length / 4) return false;  // a path, an address, an expression
  double entropy = 0;
  for (const int count : counts) {
    if (count > 0) entropy -= count / length * std::log2(count / length);
  }
  return entropy >= kLeastBits;
}

std::string Mark(const std::string& kind, std::string_view secret) {
  if (kind == "private") return "[REDACTED:private]";
  return "[REDACTED:" + kind + ":" + base::Sha256Hex(secret).substr(0, 8) + "]";
}

size_t CharactersOf(const base::Json& value) {
  if (value.is_string()) return base::CountCharacters(value.get_ref<const std::string&>());
  size_t characters = 0;
  if (!value.is_structured()) return characters;
  for (const base::Json& inner : value) characters += CharactersOf(inner);
  return characters;
}

void RedactKeyBlocks(std::string& text, Redactor::Counts& counts) {
  KeyBlocks blocks(text);
  std::string out;
  size_t copied = 0;
  while (const auto block = blocks.Next(copied)) {
    out.append(text, copied, block->begin - copied);
    out +=
        Mark("private-key", std::string_view(text).substr(block->begin, block->end - block->begin));
    ++counts["private-key"];
    copied = block->end;
  }
  if (copied > 0) text = out.append(text, copied, std::string::npos);
}

}  // namespace

class Redactor::Pattern {
 public:
  // `hint`: what every match holds; empty: nothing is known. `random`: only what looks random is a
  // secret.
  Pattern(std::string kind, std::string hint, int lead, const std::string& text, bool random)
      : kind_(std::move(kind)),
        hint_(std::move(hint)),
        lead_(lead),
        expression_(text, Options()),
        random_(random) {}

  static RE2::Options Options() {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(1 << 20);
    return options;
  }
  // "" or why it does not compile.
  std::string Problem() const { return expression_.ok() ? "" : expression_.error(); }
  // An expression that a text must match to be worth a search; empty: every text is.
  std::string Hint() const { return lead_ == kNotKnown ? hint_ : RE2::QuoteMeta(hint_); }
  bool HasHint() const { return !hint_.empty(); }

  // False when the budget ran out: the text is as it was.
  bool Replace(std::string& text, Counts& counts, WorkBudget& budget) const {
    const int groups = expression_.NumberOfCapturingGroups() > 0 ? 2 : 1;
    re2::StringPiece found[2];
    std::string out;
    size_t at = 0, copied = 0;
    while (at <= text.size() && Find(text, at, found, groups, budget)) {
      const re2::StringPiece& secret = found[groups - 1].data() ? found[groups - 1] : found[0];
      const auto begin = static_cast<size_t>(secret.data() - text.data());
      const size_t end = begin + secret.size();
      if (!budget.Spend(kMatchBytes + end - std::min(at, end))) break;
      if (secret.empty()) {  // an own pattern may match nothing: step over one character
        if (begin >= text.size()) break;
        at = base::BorderAfter(text, begin + 1);
        continue;
      }
      at = end;
      if (random_ && !LooksRandom({secret.data(), secret.size()})) continue;
      out.append(text, copied, begin - copied);
      out += Mark(kind_, text.substr(begin, secret.size()));
      ++counts[kind_];
      copied = end;
    }
    if (budget.over()) return false;
    if (copied > 0) text = out.append(text, copied, std::string::npos);
    return true;
  }

 private:
  // What a search costs besides the text that it passes. An own pattern may look far ahead for each
  // match: the clock sees that, if it is looked at often enough.
  static constexpr size_t kMatchBytes = 256, kAttemptBytes = 16;

  // The first match from `at` on. Where it is known, from one literal to the next: far quicker than
  // the automaton over all that lies between.
  bool Find(const std::string& text, size_t at, re2::StringPiece* found, int groups,
            WorkBudget& budget) const {
    if (lead_ == kNotKnown) {
      return expression_.Match(text, at, text.size(), RE2::UNANCHORED, found, groups);
    }
    const auto lead = static_cast<size_t>(lead_);
    size_t place = text.find(hint_, at + lead);
    while (place != std::string::npos &&
           !expression_.Match(text, place - lead, text.size(), RE2::ANCHOR_START, found, groups)) {
      if (!budget.Spend(kAttemptBytes)) return false;
      place = text.find(hint_, place + 1);
    }
    return place != std::string::npos;
  }

  const std::string kind_, hint_;
  const int lead_;
  const RE2 expression_;
  const bool random_;
};

// One pass over a text tells which hints it holds; only their patterns then run.
struct Redactor::Compiled {
  std::unique_ptr<const Pattern> section, generic;       // the first and the last to be replaced
  std::vector<std::unique_ptr<const Pattern>> patterns;  // between them, in their order
  bool has_own = false;                                  // patterns of the policy
  const RE2 secret_name{kSecretName, Pattern::Options()};
  RE2::Set hints{Pattern::Options(), RE2::UNANCHORED};
  std::vector<size_t> pattern_of;  // by the hint's number

  void Add(std::unique_ptr<const Pattern> pattern) {
    if (pattern->HasHint()) {
      hints.Add(pattern->Hint(), nullptr);
      pattern_of.push_back(patterns.size());
    }
    patterns.push_back(std::move(pattern));
  }

  // Which patterns may match, the generic one last; all of them when the pass itself ran out of
  // memory.
  std::vector<bool> Candidates(std::string_view text) const {
    std::vector<bool> candidates(patterns.size() + 1);
    for (size_t i = 0; i < patterns.size(); ++i) candidates[i] = !patterns[i]->HasHint();
    std::vector<int> found;
    RE2::Set::ErrorInfo problem{};
    hints.Match(re2::StringPiece(text.data(), text.size()), &found, &problem);
    if (problem.kind != RE2::Set::kNoError) candidates.assign(candidates.size(), true);
    for (const int hint : found) candidates[pattern_of[static_cast<size_t>(hint)]] = true;
    return candidates;
  }

  // False when the budget ran out: the text must not be kept.
  bool Replace(std::string& text, Counts& counts, WorkBudget& budget) const {
    const size_t bytes = text.size();
    const std::vector<bool> candidates = Candidates(text);
    if (!budget.Spend(bytes) || !section->Replace(text, counts, budget)) return false;
    RedactKeyBlocks(text, counts);
    for (size_t i = 0; i < patterns.size(); ++i) {
      if (!candidates[i]) continue;
      if (!budget.Spend(bytes) || !patterns[i]->Replace(text, counts, budget)) return false;
    }
    return !candidates.back() || (budget.Spend(bytes) && generic->Replace(text, counts, budget));
  }
};

std::string NotStored(size_t characters) {
  return "[not stored: redaction ran out of its time budget, " + std::to_string(characters) +
         " characters]";
}

base::Result<Redactor> Redactor::Compile(const api::Redaction& settings) {
  auto compiled = std::make_shared<Compiled>();
  compiled->section = std::make_unique<Pattern>("private", "<private>", 0, kPrivateSection, false);
  for (const Format& format : kFormats) {
    compiled->Add(
        std::make_unique<Pattern>(format.kind, format.hint, format.lead, format.expression, false));
  }
  compiled->generic = std::make_unique<Pattern>("generic", "", kNotKnown, kGeneric, true);
  for (const std::string& text : settings.extra_patterns) {
    auto pattern = std::make_unique<Pattern>("custom", "", kNotKnown, text, false);
    if (const std::string problem = pattern->Problem(); !problem.empty()) {
      return base::Error{base::Code::kInvalid, "redaction pattern \"" + text + "\": " + problem};
    }
    compiled->Add(std::move(pattern));
    compiled->has_own = true;
  }
  compiled->hints.Add(kAssignment, nullptr);
  compiled->pattern_of.push_back(compiled->patterns.size());
  compiled->hints.Compile();
  Redactor redactor;
  redactor.enabled_ = settings.enabled;
  redactor.compiled_ = std::move(compiled);
  return redactor;
}

std::string Redactor::Redact(std::string_view text, Counts& counts, WorkBudget& budget) const {
  std::string redacted(text);
  if (!enabled_ || (text.size() < kShortestSecret && !compiled_->has_own)) return redacted;
  if (!budget.over() && compiled_->Replace(redacted, counts, budget)) return redacted;
  return NotStored(base::CountCharacters(text));
}

void Redactor::RedactStrings(base::Json& value, Counts& counts, WorkBudget& budget) const {
  if (!enabled_) return;
  budget.Spend(1);
  if (value.is_string()) value = Redact(value.get_ref<const std::string&>(), counts, budget);
  if (value.is_array()) RedactArray(value, counts, budget);
  if (value.is_object()) RedactObject(value, counts, budget);
}

void Redactor::RedactArray(base::Json& array, Counts& counts, WorkBudget& budget) const {
  for (size_t i = 0; i < array.size(); ++i) {
    if (!budget.over()) {
      RedactStrings(array[i], counts, budget);
      continue;
    }
    size_t characters = 0;
    for (size_t left = i; left < array.size(); ++left) characters += CharactersOf(array[left]);
    array.erase(array.begin() + static_cast<std::ptrdiff_t>(i), array.end());
    array.push_back(NotStored(characters));
    return;
  }
}

void Redactor::RedactObject(base::Json& object, Counts& counts, WorkBudget& budget) const {
  if (budget.over() && !object.empty()) {
    object = {{"not_stored", NotStored(CharactersOf(object))}};
    return;
  }
  for (const auto& member : object.items()) {
    base::Json& inner = member.value();
    RedactStrings(inner, counts, budget);
    if (budget.over() || !inner.is_string()) continue;
    if (!RE2::PartialMatch(member.key(), compiled_->secret_name)) continue;
    const std::string head = member.key() + "=";
    std::string whole = head + inner.get_ref<const std::string&>();
    if (!compiled_->generic->Replace(whole, counts, budget)) {
      inner = NotStored(CharactersOf(inner));
    } else if (whole.starts_with(head)) {
      inner = whole.substr(head.size());
    }
  }
}

void Redactor::RedactArguments(base::Json& arguments, Counts& counts, WorkBudget& budget) const {
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
  WorkBudget without_limit;
  return Redact(text, counts, without_limit);
}

void Redactor::RedactStrings(base::Json& value, Counts& counts) const {
  WorkBudget without_limit;
  RedactStrings(value, counts, without_limit);
}

void Redactor::RedactArguments(base::Json& arguments, Counts& counts) const {
  WorkBudget without_limit;
  RedactArguments(arguments, counts, without_limit);
}

}  // namespace sidecar
