// Runs save rules over a tool's result. RE2 only: linear time in the output, whatever the pattern.
#include "sidecar/rules/capture.h"

#include <re2/re2.h>

#include <algorithm>
#include <utility>

#include "lib/api/memory_api.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"
#include "sidecar/text/tool_text.h"

namespace sidecar {
namespace {

constexpr size_t kTitleArgument = 80, kTitleMatch = 120, kShownMatch = 80;
constexpr int64_t kPatternMemoryBytes = 1 << 20;

// Tools whose results contain text of third parties: the web, browsers, foreign MCP servers.
constexpr const char* kUntrustedTools[] = {"webfetch",   "web_fetch",         "websearch",
                                           "web_search", "google_web_search", "fetch",
                                           "fetch_url",  "browser*",          "mcp__*"};

RE2::Options Options() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kPatternMemoryBytes);
  return options;
}

std::string FirstLine(std::string_view text) {
  text = base::Trim(text);
  return base::CollapseWhitespace(text.substr(0, text.find('\n')));
}

// The line of `text` around the offset `at`.
std::string LineAt(std::string_view text, size_t at) {
  const size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const size_t end = std::min(text.find('\n', at), text.size());
  return base::CollapseWhitespace(text.substr(begin, end - begin));
}

struct Span {
  size_t begin = 0, end = 0;
};

}  // namespace

struct CaptureRules::Rule {
  api::SaveRule spec;
  std::string name;
  std::unique_ptr<RE2> output;  // null: any
  std::vector<std::pair<std::string, std::unique_ptr<RE2>>> arguments;

  // The first argument that does not match the rule; nullopt: all match.
  std::optional<std::string> UnfitArgument(const base::Json& given) const {
    for (const auto& [argument, pattern] : arguments) {
      const auto texts = ArgumentTexts(given, argument);
      const bool fits = std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
        return RE2::PartialMatch(text, *pattern);
      });
      if (!fits) return argument;
    }
    return std::nullopt;
  }

  // The match in the output; in a long output, searches only head and tail.
  std::optional<Span> Find(std::string_view text) const {
    if (!output) return Span{};
    if (text.size() <= 2 * kKeptHalfBytes) return FindIn(text, 0, text.size());
    if (auto head = FindIn(text, 0, base::BorderBefore(text, kKeptHalfBytes))) return head;
    return FindIn(text, base::BorderAfter(text, text.size() - kKeptHalfBytes), text.size());
  }

 private:
  std::optional<Span> FindIn(std::string_view text, size_t begin, size_t end) const {
    re2::StringPiece match;
    const re2::StringPiece piece(text.data() + begin, end - begin);
    if (!output->Match(piece, 0, piece.size(), RE2::UNANCHORED, &match, 1)) return std::nullopt;
    const size_t at = begin + static_cast<size_t>(match.data() - piece.data());
    return Span{at, at + match.size()};
  }
};

std::string RuleName(const api::SaveRule& rule) {
  if (!rule.name.empty()) return rule.name;
  // Without `trust`: rules that save the same observation count as one.
  const base::Json definition = {rule.tool,  rule.match_output, rule.match_args, rule.type,
                                 rule.scope, rule.title,        rule.tags};
  return "rule-" + base::Sha256Hex(base::DumpJson(definition)).substr(0, 12);
}

namespace {

base::Result<std::unique_ptr<RE2>> CompilePattern(const std::string& rule, const std::string& field,
                                                  const std::string& text) {
  auto pattern = std::make_unique<RE2>(text, Options());
  if (pattern->ok()) return pattern;
  return base::Error{base::Code::kInvalid,
                     "save rule " + rule + ": " + field + " \"" + text +
                         "\" is not a regular expression: " + pattern->error()};
}

std::string Title(const api::SaveRule& rule, const api::HookEvent& event, std::string_view text,
                  const Span& match) {
  if (!base::IsBlank(rule.title)) return rule.title;
  std::string title = event.tool_name;
  const std::string argument = FirstLine(MainArgument(Arguments(event.tool_input)));
  if (!argument.empty()) title += " " + base::Ellipsize(argument, kTitleArgument);
  const std::string line = match.end > match.begin ? LineAt(text, match.begin) : FirstLine(text);
  if (!line.empty()) title += ": " + base::Ellipsize(line, kTitleMatch);
  return title;
}

// The content of a capture by a rule without a pattern, when the output is empty.
std::string ContentOfSilence(const api::HookEvent& event) {
  const std::string input = base::DumpJson(Arguments(event.tool_input));
  return "No output. Input: " + std::string(base::Prefix(input, kExcerptCharacters - 20));
}

}  // namespace

base::Result<CaptureRules> CaptureRules::Compile(const std::vector<api::SaveRule>& rules,
                                                 std::vector<std::string> untrusted_tools) {
  CaptureRules compiled;
  compiled.untrusted_tools_ = std::move(untrusted_tools);
  compiled.untrusted_tools_.insert(compiled.untrusted_tools_.end(), std::begin(kUntrustedTools),
                                   std::end(kUntrustedTools));
  for (const api::SaveRule& spec : rules) {
    auto rule = std::make_shared<Rule>();
    rule->spec = spec;
    rule->name = RuleName(spec);
    if (!spec.match_output.empty()) {
      ASSIGN_OR_RETURN(rule->output, CompilePattern(rule->name, "matchOutput", spec.match_output));
    }
    for (const auto& [argument, text] : spec.match_args) {
      ASSIGN_OR_RETURN(auto pattern, CompilePattern(rule->name, "matchArgs." + argument, text));
      rule->arguments.emplace_back(argument, std::move(pattern));
    }
    compiled.rules_.push_back(std::move(rule));
  }
  return compiled;
}

struct CaptureRules::ToolResult {
  const api::HookEvent& event;
  const std::string& output;
  const base::Json arguments;
  std::optional<std::string> text;  // computed for the first rule that needs it

  ToolResult(const api::HookEvent& of, const std::string& said)
      : event(of), output(said), arguments(Arguments(of.tool_input)) {}
  const std::string& Text() {
    if (!text) text = WithoutInjected(output);
    return *text;
  }
};

std::string CaptureRules::TrustOf(const Rule& rule, const std::string& tool) const {
  if (!rule.spec.trust.empty()) return rule.spec.trust;
  const bool untrusted =
      std::any_of(untrusted_tools_.begin(), untrusted_tools_.end(),
                  [&](const std::string& pattern) { return ToolMatches(pattern, tool); });
  return untrusted ? api::kOriginToolOutput : api::kOriginRule;
}

RuleVerdict CaptureRules::Ask(const Rule& rule, ToolResult& result,
                              std::vector<Capture>& captures) const {
  RuleVerdict verdict;
  verdict.rule = rule.name;
  if (auto unfit = rule.UnfitArgument(result.arguments)) {
    verdict.argument = std::move(*unfit);
    verdict.outcome = RuleVerdict::Outcome::kArgument;
    return verdict;
  }
  const std::string& text = result.Text();
  const auto match = rule.Find(text);
  if (!match) {
    verdict.outcome = RuleVerdict::Outcome::kOutput;
    return verdict;
  }
  verdict.outcome = RuleVerdict::Outcome::kMatched;
  verdict.match = base::Ellipsize(
      std::string_view(text).substr(match->begin, match->end - match->begin), kShownMatch);
  Capture capture{rule.name,
                  rule.spec.type,
                  rule.spec.scope,
                  "",
                  "",
                  rule.spec.tags,
                  TrustOf(rule, result.event.tool_name)};
  capture.title = Title(rule.spec, result.event, text, *match);
  capture.content = base::IsBlank(text) ? ContentOfSilence(result.event)
                                        : Excerpt(text, match->begin, match->end);
  captures.push_back(std::move(capture));
  return verdict;
}

Judgement CaptureRules::Judge(const api::HookEvent& event, const std::string& output,
                              const CpuClock& spent, bool late) const {
  Judgement judgement;
  ToolResult result(event, output);
  const bool own = IsOwnTool(event.tool_name);
  const int64_t start_us = spent();
  int64_t before_us = start_us;
  bool any = false;
  for (const auto& rule : rules_) {
    RuleVerdict verdict;
    verdict.rule = rule->name;
    if (own) {
      verdict.outcome = RuleVerdict::Outcome::kOwnTool;
    } else if (!ToolMatches(rule->spec.tool, event.tool_name)) {
      verdict.outcome = RuleVerdict::Outcome::kOtherTool;
    } else if (late || (any && before_us - start_us > kMatchBudgetUs)) {
      verdict.outcome = RuleVerdict::Outcome::kOverBudget;
    } else {
      any = true;
      verdict = Ask(*rule, result, judgement.captures);
      const int64_t after_us = spent();
      verdict.took_us = after_us - std::exchange(before_us, after_us);
    }
    judgement.verdicts.push_back(std::move(verdict));
  }
  return judgement;
}

std::vector<std::string> CaptureRules::Names() const {
  std::vector<std::string> names;
  for (const auto& rule : rules_) names.push_back(rule->name);
  return names;
}

std::string Excerpt(std::string_view text, size_t begin, size_t end) {
  const size_t total = base::CountCharacters(text);
  if (total <= kExcerptCharacters) return std::string(text);
  const size_t before = base::CountCharacters(text.substr(0, begin));
  const size_t length = base::CountCharacters(text.substr(begin, end - begin));
  // Centers the match; a match longer than the window is shown from its start.
  const size_t spare = length < kExcerptCharacters ? kExcerptCharacters - length : 0;
  size_t first = before - std::min(before, spare / 2);
  first = std::min(first, total - kExcerptCharacters);
  const size_t skip = base::Prefix(text, first).size();
  const std::string_view window = base::Prefix(text.substr(skip), kExcerptCharacters);
  if (!base::IsBlank(window)) return std::string(window);
  // A blank window would be no memory: takes the head of the text.
  return std::string(base::Prefix(base::Trim(text), kExcerptCharacters));
}

}  // namespace sidecar
