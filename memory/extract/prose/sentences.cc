// One pass over the characters.
#include "memory/extract/prose/sentences.h"

#include <algorithm>
#include <string>

#include "lib/base/text/text.h"

namespace memory {
namespace {

struct Quotes {
  std::string_view open, close;
};
constexpr Quotes kQuotes[] = {{"\"", "\""}, {"`", "`"},   {"“", "”"},   {"„", "“"},
                              {"«", "»"},   {"「", "」"}, {"『", "』"}, {"‹", "›"}};

constexpr std::string_view kEnds[] = {".", "!", "?", "…", "。", "！", "？", "．", "؟", "｡"};

constexpr std::string_view kAbbreviations[] = {
    "e.g",    "i.e",  "etc",  "vs",  "mr",  "mrs", "ms",   "dr",  "prof", "st",   "no",
    "approx", "ca",   "cf",   "fig", "inc", "ltd", "co",   "jr",  "sr",   "u.s",  "a.m",
    "p.m",    "z.b",  "d.h",  "bzw", "usw", "ggf", "evtl", "nr",  "abs",  "p.ex", "mme",
    "mlle",   "sra",  "ej",   "ud",  "uds", "vol", "gov",  "gen", "dept", "est",  "max",
    "min",    "resp", "incl", "jan", "feb", "aug", "sept", "oct", "nov",  "dec"};

bool IsSpace(char c) { return c == ' ' || c == '\n'; }

std::string_view MarkAt(std::string_view text, size_t at) {
  if (at >= text.size() || (static_cast<unsigned char>(text[at]) < 0x80 && text[at] != '.' &&
                            text[at] != '!' && text[at] != '?'))
    return {};
  for (const std::string_view end : kEnds) {
    if (text.substr(at).starts_with(end)) return end;
  }
  return {};
}

// Whether the full stop at `at` belongs to an abbreviation or an initial.
bool Abbreviates(std::string_view text, size_t at) {
  size_t begin = at;
  while (begin > 0 && at - begin < 8 && !IsSpace(text[begin - 1]) && text[begin - 1] != '(')
    --begin;
  const std::string word = base::FoldCase(text.substr(begin, at - begin));
  const bool initial =
      word.size() == 1 && word != "i" && word[0] >= 'a' && word[0] <= 'z' && text[begin] <= 'Z';
  return initial || base::IsOneOf(word, kAbbreviations);
}

// A Latin mark ends a sentence only before a blank or a closing sign; a CJK mark always does.
bool EndsSentence(std::string_view text, size_t at, std::string_view mark) {
  const size_t after = at + mark.size();
  if (mark.size() > 1) return true;
  if (after < text.size() && !IsSpace(text[after]) && MarkAt(text, after).empty() &&
      text[after] != ')' && text[after] != '"' && static_cast<unsigned char>(text[after]) < 0x80)
    return false;
  return mark != "." || !Abbreviates(text, at);
}

}  // namespace

size_t QuoteFinder::EndOf(size_t at) {
  const std::string_view rest = text_.substr(at);
  for (size_t kind = 0; kind < std::size(kQuotes); ++kind) {
    const Quotes& quotes = kQuotes[kind];
    if (!rest.starts_with(quotes.open)) continue;
    // A mark of inches, or a closing quote, opens none.
    if (quotes.open == "\"" && at > 0 && !IsSpace(text_[at - 1]) && text_[at - 1] != '(') return at;
    const size_t inside = at + quotes.open.size();
    size_t& next = next_[kind];
    if (next < inside) next = std::min(text_.find(quotes.close, inside), text_.size());
    if (line_end_ < inside) line_end_ = std::min(text_.find('\n', inside), text_.size());
    return next < line_end_ ? next + quotes.close.size() : at;
  }
  return at;
}

std::vector<Sentence> SentencesOf(std::string_view prose) {
  std::vector<Sentence> sentences;
  QuoteFinder quotes(prose);
  size_t begin = 0;
  const auto end_sentence = [&](size_t end, bool asks) {
    const std::string_view text = base::Trim(prose.substr(begin, end - begin));
    if (!text.empty()) {
      QuoteFinder first(text);
      const bool quoted = first.EndOf(0) > 0 && text[0] != '`';
      sentences.push_back({text, asks, quoted || text[0] == '\''});
    }
  };
  for (size_t at = 0; at < prose.size();) {
    if (const size_t end = quotes.EndOf(at); end > at) {
      at = end;
      continue;
    }
    if (prose[at] == '\n') {
      end_sentence(at, false);
      begin = ++at;
      continue;
    }
    const std::string_view mark = MarkAt(prose, at);
    if (mark.empty() || !EndsSentence(prose, at, mark)) {
      at += std::max<size_t>(mark.size(), 1);
      continue;
    }
    bool asks = false;
    const size_t end = at;
    for (std::string_view more = mark; !more.empty(); more = MarkAt(prose, at)) {
      asks |= more == "?" || more == "？" || more == "؟";
      at += more.size();
    }
    end_sentence(end, asks);
    begin = at;
  }
  end_sentence(prose.size(), false);
  return sentences;
}

}  // namespace memory
