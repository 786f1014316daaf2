// No table of formats knows the values of DB_PASSWORD or --token, so they are found by their names
// (ADR 46). A cursor walks from the name over the separator to the value. Every walk is bounded, so
// that the search stays linear in a text that consists of names only.
#include "lib/redaction/assignments.h"

#include <algorithm>

#include "lib/redaction/values.h"

namespace redaction {
namespace {

constexpr size_t kMostName = 64, kMostValue = 4096, kMostBlock = 8192, kMostBlanks = 64;

bool IsAssignedNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

bool IsBlank(char c) { return c == ' ' || c == '\t'; }
bool IsQuote(char c) { return c == '"' || c == '\'' || c == '`'; }

class Cursor {
 public:
  Cursor(std::string_view text, size_t at) : text_(text), at_(at) {}

  size_t at() const { return at_; }
  bool Ended() const { return at_ >= text_.size(); }
  char Now() const { return Ended() ? '\0' : text_[at_]; }
  void Step() { ++at_; }
  bool Consume(std::string_view piece) {
    if (!text_.substr(at_).starts_with(piece)) return false;
    at_ += piece.size();
    return true;
  }
  bool ConsumeBlanks(bool lines = false) {
    const size_t from = at_;
    while (at_ < text_.size() && at_ - from < kMostBlanks &&
           (IsBlank(text_[at_]) || (lines && (text_[at_] == '\n' || text_[at_] == '\r')))) {
      ++at_;
    }
    return at_ > from;
  }
  // Consumes a quote after up to 8 backslashes and returns both; "": no quote.
  std::string_view ConsumeQuote() {
    size_t end = at_;
    while (end < text_.size() && end - at_ < 8 && text_[end] == '\\') ++end;
    if (end >= text_.size() || !IsQuote(text_[end])) return {};
    const std::string_view quote = text_.substr(at_, end + 1 - at_);
    at_ = end + 1;
    return quote;
  }
  bool ConsumeAssignment() {
    for (const char* sign : {":=", "=>", "->", "?=", "=", ":"}) {
      if (Consume(sign)) return true;
    }
    return false;
  }

 private:
  std::string_view text_;
  size_t at_;
};

constexpr std::string_view kValueNames[] = {"value",   "Value",   "val",       "data", "content",
                                            "current", "default", "plaintext", "text"};

// Consumes the key of a value, such as "value":, with or without quotes, and its separator.
bool ConsumeValueName(Cursor& cursor) {
  Cursor trial = cursor;
  trial.ConsumeQuote();
  if (!std::any_of(std::begin(kValueNames), std::end(kValueNames),
                   [&](std::string_view name) { return trial.Consume(name); })) {
    return false;
  }
  trial.ConsumeQuote();
  trial.ConsumeBlanks();
  if (!trial.ConsumeAssignment()) return false;
  cursor = trial;
  return true;
}

struct Name {
  std::string_view text;
  size_t end = 0;
  bool option = false;  // --name
};

// The whole name around the word, also with a word before a blank ("api key").
Name NameAround(std::string_view text, size_t begin, size_t end) {
  const size_t first = begin;
  while (begin > 0 && first - begin < kMostName && IsAssignedNameCharacter(text[begin - 1]))
    --begin;
  const size_t word_end = end;
  while (end < text.size() && end - word_end < kMostName && IsAssignedNameCharacter(text[end]))
    ++end;
  // "encryption.key": the part before the dot belongs to a property's name.
  if (begin > 1 && text[begin - 1] == '.' && IsAssignedNameCharacter(text[begin - 2])) {
    const size_t dot = begin - 1;
    begin = dot;
    while (begin > 0 && dot - begin < kMostName && IsAssignedNameCharacter(text[begin - 1]))
      --begin;
  }
  const bool option = text.substr(begin, 2) == "--" || (end - begin > 2 && text[begin] == '-');
  if (begin == first && begin > 1 && text[begin - 1] == ' ') {
    size_t before = begin - 1;
    while (before > 0 && begin - before < 16 && IsAssignedNameCharacter(text[before - 1])) --before;
    begin = before;
  }
  return {text.substr(begin, end - begin), end, option};
}

// Moves the cursor over the separator to the value; false: no assignment.
bool MoveToValue(Cursor& cursor, const Name& name, SecretLikelihood likelihood,
                 Notation& notation) {
  const bool quoted = !cursor.ConsumeQuote().empty();
  const bool blanks = cursor.ConsumeBlanks();
  if (!quoted && !blanks && cursor.Now() == '=') notation = Notation::kJoined;
  if (cursor.ConsumeAssignment()) {
    if (cursor.ConsumeBlanks()) notation = Notation::kLoose;
    Cursor nested = cursor;
    nested.ConsumeBlanks(true);
    if (nested.Now() == '{') nested.Step();
    nested.ConsumeBlanks(true);
    if (ConsumeValueName(nested)) {
      cursor = nested;
      cursor.ConsumeBlanks();
    }
    return true;
  }
  if (!quoted && cursor.Now() == '>') {  // an XML element
    cursor.Step();
    notation = Notation::kQuoted;
    return true;
  }
  Cursor pair = cursor;
  if (pair.Now() == ',') pair.Step();
  pair.ConsumeBlanks(true);
  if (pair.at() > name.end && ConsumeValueName(pair)) {
    cursor = pair;
    cursor.ConsumeBlanks();
    notation = Notation::kQuoted;
    return true;
  }
  if (name.option && quoted && cursor.Consume(",")) {  // in a list
    cursor.ConsumeBlanks(true);
    return true;
  }
  if (name.option && !quoted && blanks) {
    notation = Notation::kJoined;
    return cursor.Now() != '-';
  }
  if (!quoted && blanks && likelihood == SecretLikelihood::kStrong && cursor.Consume("is "))
    return true;
  return false;
}

size_t EndOfQuoted(std::string_view text, size_t at, std::string_view quote) {
  const std::string_view rest = text.substr(at, kMostValue);
  size_t end = 0;
  while (end < rest.size() && rest[end] != '\n') {
    if (rest.substr(end).starts_with(quote)) return at + end;
    // A backslash escapes the next character, unless the opening quote is itself escaped.
    end += quote.size() == 1 && rest[end] == '\\' ? 2 : 1;
  }
  return std::min(at + end, text.size());
}

size_t EndOfBare(std::string_view text, size_t at) {
  const std::string_view rest = text.substr(at, kMostValue);
  return at + std::min(rest.find_first_of(" \t\r\n\"'`,;<>(){}[]|\\"), rest.size());
}

// The next lines that are indented deeper than the line of the name (a YAML block).
std::optional<SecretSpan> BlockAfter(std::string_view text, size_t name_at, size_t at) {
  const size_t line = name_at == 0 ? std::string_view::npos : text.rfind('\n', name_at - 1);
  const size_t line_begin = line == std::string_view::npos || name_at - line > 256 ? 0 : line + 1;
  size_t indent = 0;
  while (line_begin + indent < name_at && IsBlank(text[line_begin + indent])) ++indent;
  size_t begin = 0, end = 0;
  for (size_t next = text.find('\n', at); next != std::string_view::npos && next - at < kMostBlock;
       next = text.find('\n', next + 1)) {
    size_t first = next + 1;
    while (first < text.size() && first - next <= kMostBlanks && IsBlank(text[first])) ++first;
    if (first - next - 1 <= indent || first >= text.size() || text[first] == '\n') break;
    if (begin == 0) begin = first;
    end = std::min(text.find('\n', first), text.size());
  }
  if (begin == 0) return std::nullopt;
  return SecretSpan{begin, end, 0, "generic"};
}

}  // namespace

std::optional<SecretSpan> AssignedTo(std::string_view text, size_t begin, size_t end,
                                     size_t& looked) {
  const Name name = NameAround(text, begin, end);
  looked = name.end;
  const char next = name.end < text.size() ? text[name.end] : '\0';
  if (!IsQuote(next) && !IsBlank(next) && next != '=' && next != ':' && next != '\\' &&
      next != '>' && next != '\n' && next != '\r' && next != '?') {
    return std::nullopt;
  }
  const SecretLikelihood likelihood = LikelihoodOf(name.text);
  if (likelihood == SecretLikelihood::kNone) return std::nullopt;
  Cursor cursor(text, name.end);
  Notation notation = Notation::kLoose;
  if (!MoveToValue(cursor, name, likelihood, notation)) return std::nullopt;
  const bool block = cursor.Now() == '|' || (cursor.Now() == '>' && notation == Notation::kLoose);
  if (block && text.substr(cursor.at(), 4).find('\n') != std::string_view::npos) {
    const auto found = BlockAfter(text, begin, cursor.at());
    if (found && IsSecretValue(likelihood, text.substr(found->begin, found->end - found->begin),
                               Notation::kQuoted))
      return found;
    return std::nullopt;
  }
  if (cursor.Now() == '[') cursor.Step();
  if (text.substr(cursor.at()).starts_with("base64:")) cursor.Consume("base64:");
  const std::string_view quote = cursor.ConsumeQuote();
  const size_t value = cursor.at();
  const size_t value_end = quote.empty() ? EndOfBare(text, value) : EndOfQuoted(text, value, quote);
  looked = std::max(looked, value);
  if (!quote.empty()) notation = Notation::kQuoted;
  if (!IsSecretValue(likelihood, text.substr(value, value_end - value), notation))
    return std::nullopt;
  return SecretSpan{value, value_end, 0, "generic"};
}

}  // namespace redaction
