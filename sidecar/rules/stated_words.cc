// Cuts by signs: a prompt is short and often without capitals.
#include "sidecar/rules/stated_words.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "lib/base/text/text.h"

namespace sidecar {
namespace {

constexpr std::string_view kAbbreviations[] = {"e.g", "i.e", "etc", "vs", "approx", "z.b",
                                               "d.h", "bzw", "ca",  "nr", "incl",   "mr"};
constexpr std::string_view kLevels[] = {"ERROR", "WARN",  "WARNING", "INFO",
                                        "DEBUG", "FATAL", "TRACE",   "ERR"};
constexpr std::string_view kQuotes[][2] = {{"\"", "\""},         {"`", "`"},
                                           {"'", "'"},           {"\u201c", "\u201d"},
                                           {"\u201e", "\u201c"}, {"\u00ab", "\u00bb"}};
constexpr size_t kLongestWord = 64, kLongestQuote = 512;  // bytes
constexpr std::string_view kEdges = "()[]{}\"'`*_<>\u201c\u201d\u201e";

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// "2024-11-03", "08:11:02,114"
bool IsTime(std::string_view word) {
  const auto of = [&](auto has) { return std::ranges::count_if(word, has); };
  return of([](char c) { return c == '-' || c == ':'; }) >= 2 &&
         of([](char c) { return c >= '0' && c <= '9'; }) >= 6;
}

// "ERROR", "[warn]:", "fatal:", "java.lang.IllegalStateException:"
bool IsOfALog(std::string_view word, bool first) {
  while (!word.empty() && std::string_view("[(<").find(word.front()) != std::string_view::npos)
    word.remove_prefix(1);
  const bool colon = word.ends_with(':');  // "TypeError:"
  while (!word.empty() && std::string_view("]>:!,").find(word.back()) != std::string_view::npos)
    word.remove_suffix(1);
  if (std::ranges::find(kLevels, word) != std::end(kLevels)) return true;
  if (colon && (word.ends_with("Error") || word.ends_with("Exception"))) return true;
  if (!first) return false;
  if (IsTime(word) || word == "Traceback") return true;
  const std::string folded = base::FoldCase(word);
  return folded.starts_with("error[") || (colon && (folded == "fatal" || folded == "error" ||
                                                    folded == "warning" || folded == "panic"));
}

// Code, logs and diffs have more signs than prose.
bool IsPasted(std::string_view line) {
  const std::string_view text = base::Trim(line);
  if (text.empty()) return false;
  bool first = true;
  for (size_t at = 0; at < text.size(); first = false) {
    size_t end = at;
    while (end < text.size() && !IsBlank(text[end])) ++end;
    if (IsOfALog(text.substr(at, end - at), first)) return true;
    for (at = end; at < text.size() && IsBlank(text[at]);) ++at;
  }
  if (std::string_view(">|$#+@{}<").find(text[0]) != std::string_view::npos) return true;
  const auto signs = std::ranges::count_if(text, [](char c) {
    return std::string_view("{}();=<>[]\\|$").find(c) != std::string_view::npos;
  });
  return text.ends_with('{') || text.ends_with(';') ||
         static_cast<size_t>(signs) * 12 > text.size() + 24;
}

// Splits contractions: "we've" → "we have", "don't" → "dont", "that's" → "that is".
void AddFolded(const std::string& token, StatedWord word, std::vector<StatedWord>& words) {
  if (token.size() > kLongestWord)
    return words.push_back(std::move(word));  // no word of a language
  std::string folded = base::FoldCase(token);
  for (std::string_view curly : {"\u2019", "\u02bc"})
    for (size_t at; (at = folded.find(curly)) != std::string::npos;)
      folded.replace(at, curly.size(), "'");
  const size_t mark = folded.rfind('\'');
  word.folded = folded;
  if (mark == std::string::npos || mark == 0) return words.push_back(std::move(word));
  const std::string head = folded.substr(0, mark), tail = folded.substr(mark + 1);
  constexpr std::string_view kSubjects[] = {"that", "it",  "there", "what", "here",
                                            "he",   "she", "who",   "how",  "where"};
  const char* more = nullptr;
  if (tail == "re") more = "are";
  if (tail == "ve") more = "have";
  if (tail == "m") more = "am";
  if (tail == "ll") more = "will";
  if (tail == "d" && head.size() < 5) more = "would";
  if (tail == "s" && std::ranges::find(kSubjects, head) != std::end(kSubjects)) more = "is";
  if (more) {
    words.push_back({head});
    words.push_back({more});
  } else if (folded == "can't") {
    words.push_back({"cannot"});
  } else if (tail == "t" || folded == "let's") {
    words.push_back({head + tail});
  } else {
    words.push_back(std::move(word));
  }
}

// The end of what is quoted from `at` on, behind its mark; `at` if nothing is.
size_t QuoteEnd(std::string_view text, size_t at) {
  for (const auto& [open, close] : kQuotes) {
    if (!text.substr(at).starts_with(open)) continue;
    const std::string_view near = text.substr(0, at + kLongestQuote);
    for (size_t end = at + open.size(); (end = near.find(close, end)) != std::string_view::npos;) {
      end += close.size();
      const bool ends = end == text.size() || IsBlank(text[end]) ||
                        std::string_view(".,:;!?)").find(text[end]) != std::string_view::npos;
      if (ends || open == "`") return end;
    }
  }
  return at;
}

size_t BlanksOf(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, IsBlank));
}

// A digit, an inner sign or capital.
bool IsValue(std::string_view token) {
  const bool digit = std::ranges::any_of(token, [](char c) { return c >= '0' && c <= '9'; });
  if (digit) return true;
  for (size_t i = 1; i < token.size(); ++i) {
    if (std::string_view("_/.@:-+").find(token[i]) != std::string_view::npos) return true;
    if (token[i] >= 'A' && token[i] <= 'Z') return true;
  }
  return false;
}

std::vector<StatedWord> WordsOf(std::string_view text) {
  std::vector<StatedWord> words;
  for (size_t at = 0; at < text.size() && words.size() < kMostSentenceWords;) {
    if (IsBlank(text[at])) {
      ++at;
      continue;
    }
    const size_t quoted = QuoteEnd(text, at);
    if (const size_t blanks = BlanksOf(text.substr(at, quoted - at));
        blanks > (text[at] == '`' ? 0 : 1)) {
      words.push_back(
          {text[at] == '`' ? std::string(kCodeWord) : std::string(kQuoteWord), text[at] == '`'});
      at = quoted;
      continue;
    }
    size_t end = at;
    while (end < text.size() && !IsBlank(text[end])) ++end;
    std::string_view token = text.substr(at, end - at);
    at = end;
    const bool code = token.front() == '`' || token.back() == '`';
    for (bool more = true; more && !token.empty();) {
      more = false;
      if (kEdges.find(token.front()) != std::string_view::npos) token.remove_prefix(1), more = true;
    }
    std::string marks;
    while (!token.empty() &&
           (std::string_view(",:;!").find(token.back()) != std::string_view::npos ||
            kEdges.find(token.back()) != std::string_view::npos)) {
      if (std::string_view(",:;").find(token.back()) != std::string_view::npos)
        marks = token.back() == ':' ? ":" : ",";
      token.remove_suffix(1);
    }
    if (!token.empty()) {
      const bool capital = !words.empty() && token.size() > 1 && token[0] >= 'A' && token[0] <= 'Z';
      AddFolded(std::string(token), {"", code || IsValue(token), capital}, words);
    }
    if (!marks.empty()) words.push_back({marks});
  }
  return words;
}

bool EndsSentence(std::string_view text, size_t at) {
  const char c = text[at];
  if (c != '.' && c != '!' && c != '?') return false;
  if (at + 1 < text.size() && !IsBlank(text[at + 1])) return false;
  if (c != '.') return true;
  size_t begin = at;
  while (begin > 0 && !IsBlank(text[begin - 1])) --begin;
  const std::string word = base::FoldCase(text.substr(begin, at - begin));
  return std::ranges::find(kAbbreviations, word) == std::end(kAbbreviations);
}

void AddSentences(std::string_view line, std::vector<StatedSentence>& sentences) {
  size_t begin = 0;
  for (size_t at = 0; at <= line.size() && sentences.size() < kMostSentences; ++at) {
    const bool starts =
        at < line.size() && (at == 0 || IsBlank(line[at - 1]) || line[at - 1] == '(');
    if (const size_t quoted = starts ? QuoteEnd(line, at) : at; quoted > at) {
      at = quoted - 1;
      continue;
    }
    if (at < line.size() && !EndsSentence(line, at)) continue;
    const std::string_view text = base::Trim(line.substr(begin, at - begin));
    begin = std::min(at + 1, line.size());
    if (text.empty()) continue;
    StatedSentence sentence{text, WordsOf(text), at < line.size() && line[at] == '?'};
    if (!sentence.words.empty()) sentences.push_back(std::move(sentence));
  }
}

}  // namespace

std::vector<StatedSentence> SentencesOf(std::string_view prompt) {
  std::vector<StatedSentence> sentences;
  bool code = false;
  while (!prompt.empty() && sentences.size() < kMostSentences) {
    const size_t end = std::min(prompt.find('\n'), prompt.size());
    std::string_view line = prompt.substr(0, end);
    prompt.remove_prefix(std::min(end + 1, prompt.size()));
    if (base::Trim(line).starts_with("```")) {
      code = !code;
      continue;
    }
    if (code || line.starts_with("    ") || line.starts_with('\t') || IsPasted(line)) continue;
    line = base::Trim(line);
    for (std::string_view bullet : {"- ", "* "})
      if (line.starts_with(bullet)) line.remove_prefix(bullet.size());
    AddSentences(line, sentences);
  }
  return sentences;
}

}  // namespace sidecar
