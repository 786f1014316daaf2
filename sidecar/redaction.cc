// The table of secret formats and their replacement. A format runs only over text that holds its
// literal prefix, which keeps benign text cheap.
#include "sidecar/redaction.h"

#include <re2/re2.h>

#include <utility>

#include "lib/base/text.h"

namespace sidecar {
namespace {

struct Format {
  const char *kind, *literal, *expression;  // group 1, when there is one, is the secret
};

// Published token formats; from 20 following characters on, whatever the exact length (rulings
// K34).
constexpr Format kFormats[] = {
    {"private-key", "-----BEGIN",
     R"(-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[^-]*(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----)?)"},
    {"github", "gh", R"(\bgh[pousr]_[A-Za-z0-9]{20,})"},
    {"github", "github_pat_", R"(\bgithub_pat_[A-Za-z0-9_]{20,})"},
    {"gitlab", "glpat-", R"(\bglpat-[A-Za-z0-9_-]{20,})"},
    {"aws-key-id", "A", R"(\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16,})"},
    {"aws-secret", "aws",
     R"((?i)aws_?secret_?(?:access_?)?key(?:_?id)?["']?\s*[:=]\s*["']?([A-Za-z0-9/+=]{40}))"},
    {"anthropic", "sk-ant-", R"(\bsk-ant-[A-Za-z0-9_-]{20,})"},
    {"api-key", "sk-", R"(\bsk-[A-Za-z0-9_-]{20,})"},
    {"slack", "xox", R"(\bxox[a-z]-[A-Za-z0-9-]{20,})"},
    {"slack", "hooks.slack.com", R"(hooks\.slack\.com/services/[A-Za-z0-9/]{20,})"},
    {"stripe", "k_", R"(\b[rs]k_(?:live|test)_[A-Za-z0-9]{20,})"},
    {"google", "AIza", R"(\bAIza[A-Za-z0-9_-]{30,})"},
    {"google-oauth", "ya29.", R"(\bya29\.[A-Za-z0-9_-]{20,})"},
    {"npm", "npm_", R"(\bnpm_[A-Za-z0-9]{20,})"},
    {"pypi", "pypi-", R"(\bpypi-[A-Za-z0-9_-]{20,})"},
    {"huggingface", "hf_", R"(\bhf_[A-Za-z0-9]{20,})"},
    {"digitalocean", "_v1_", R"(\bdo[opr]_v1_[a-f0-9]{20,})"},
    {"sendgrid", "SG.", R"(\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{20,})"},
    {"jwt", "eyJ", R"(\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]+)?)"},
    {"bearer", "earer ", R"((?i)\bbearer\s+([A-Za-z0-9._~+/=-]{20,}))"},
    {"url-password", "://", R"(://[^\s:@/]{1,64}:([^\s@/]{3,128})@)"},
};

constexpr const char* kPrivateSection = R"((?is)<private>.*?(?:</private>|\z))";

}  // namespace

struct Redactor::Pattern {
  std::string kind, literal;
  RE2 expression;
  Pattern(std::string k, std::string l, const std::string& text, const RE2::Options& options)
      : kind(std::move(k)), literal(std::move(l)), expression(text, options) {}

  std::string Replace(const std::string& text, Counts& counts) const {
    const int groups = expression.NumberOfCapturingGroups() > 0 ? 2 : 1;
    re2::StringPiece found[2];
    std::string out;
    size_t at = 0, copied = 0;
    while (at <= text.size() &&
           expression.Match(text, at, text.size(), RE2::UNANCHORED, found, groups)) {
      const re2::StringPiece& secret = found[groups - 1].data() ? found[groups - 1] : found[0];
      const auto begin = static_cast<size_t>(secret.data() - text.data());
      const size_t end = begin + secret.size();
      if (secret.empty()) {  // an own pattern may match nothing: step over one character
        if (begin >= text.size()) break;
        at = base::BorderAfter(text, begin + 1);
        continue;
      }
      out.append(text, copied, begin - copied);
      out += Mark(text.substr(begin, secret.size()));
      ++counts[kind];
      at = copied = end;
    }
    return out.append(text, copied, std::string::npos);
  }

 private:
  std::string Mark(const std::string& secret) const {
    if (kind == "private") return "[REDACTED:private]";
    return "[REDACTED:" + kind + ":" + base::Sha256Hex(secret).substr(0, 8) + "]";
  }
};

base::Result<Redactor> Redactor::Compile(const api::Redaction& settings) {
  Redactor redactor;
  redactor.enabled_ = settings.enabled;
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(1 << 20);
  auto add = [&](const char* kind, const char* literal, const std::string& text) {
    redactor.patterns_.push_back(std::make_shared<Pattern>(kind, literal, text, options));
    return redactor.patterns_.back()->expression.ok();
  };
  add("private", "private>", kPrivateSection);
  for (const Format& format : kFormats) add(format.kind, format.literal, format.expression);
  for (const std::string& text : settings.extra_patterns) {
    if (!add("custom", "", text)) {
      return base::Error{base::Code::kInvalid, "redaction pattern \"" + text + "\": " +
                                                   redactor.patterns_.back()->expression.error()};
    }
  }
  return redactor;
}

std::string Redactor::Redact(std::string_view text, Counts& counts) const {
  std::string redacted(text);
  if (!enabled_) return redacted;
  for (const auto& pattern : patterns_) {
    if (redacted.find(pattern->literal) == std::string::npos) continue;
    redacted = pattern->Replace(redacted, counts);
  }
  return redacted;
}

void Redactor::RedactStrings(base::Json& value, Counts& counts) const {
  if (value.is_string()) {
    value = Redact(value.get_ref<const std::string&>(), counts);
  } else if (value.is_structured()) {
    for (base::Json& inner : value) RedactStrings(inner, counts);
  }
}

}  // namespace sidecar
