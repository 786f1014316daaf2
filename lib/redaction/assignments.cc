// A cursor walks from the name over the separator to the value. Every walk is bounded, so that the
// search is linear even in a text that consists of names.
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
  bool Take(std::string_view piece) {
    if (!text_.substr(at_).starts_with(piece)) return false;
    at_ += piece.size();
    return true;
  }
  bool TakeBlanks(bool lines = false) {
    const size_t from = at_;
    while (at_ < text_.size() && at_ - from < kMostBlanks &&
           (IsBlank(text_[at_]) || (lines && (text_[at_] == '\n' || text_[at_] == '\r')))) {
      ++at_;
    }
    return at_ > from;
  }
  // Takes a quote after up to 8 backslashes and returns both; "": no quote.
  std::string_view TakeQuote() {
    size_t end = at_;
    while (end < text_.size() && end - at_ < 8 && text_[end] == '\\') ++end;
    if (end >= text_.size() || !IsQuote(text_[end])) return {};
    const std::string_view quote = text_.substr(at_, end + 1 - at_);
    at_ = end + 1;
    return quote;
  }
  bool TakeAssignment() {
    for (const char* sign : {":=", "=>", "->", "?=", "=", ":"}) {
      if (Take(sign)) return true;
    }
    return false;
  }

 private:
  std::string_view text_;
  size_t at_;
};

constexpr std::string_view kValueNames[] = {"value",   "Value",   "val",       "data", "content",
                                            "current", "default", "plaintext", "text"};

// Takes the key of a value, such as "value":, with or without quotes, and its separator.
bool TakeValueName(Cursor& cursor) {
  Cursor trial = cursor;
  trial.TakeQuote();
  if (!std::any_of(std::begin(kValueNames), std::end(kValueNames),
                   [&](std::string_view name) { return trial.Take(name); })) {
    return false;
  }
  trial.TakeQuote();
  trial.TakeBlanks();
  if (!trial.TakeAssignment()) return false;
  cursor = trial;
  return true;
}

struct Name {
  std::string_view text;
  size_t end = 0;
  bool option = false;  // --name
};

// Extends the word to the whole name, also by a word before a blank ("api key").
Name NameAround(std::string_view text, size_t begin, size_t end) {
  const size_t first = begin;
  while (begin > 0 && first - begin < kMostName && IsAssignedNameCharacter(text[begin - 1]))
    --begin;
  const size_t word_end = end;
  while (end < text.size() && end - word_end < kMostName && IsAssignedNameCharacter(text[end]))
    ++end;
  // "encryption.key": a property's name is one with the part before the dot.
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
bool SeekValue(Cursor& cursor, const Name& name, Promise promise, Writing& writing) {
  const bool quoted = !cursor.TakeQuote().empty();
  const bool blanks = cursor.TakeBlanks();
  if (!quoted && !blanks && cursor.Now() == '=') writing = Writing::kJoined;
  if (cursor.TakeAssignment()) {
    if (cursor.TakeBlanks()) writing = Writing::kLoose;
    Cursor nested = cursor;
    nested.TakeBlanks(true);
    if (nested.Now() == '{') nested.Step();
    nested.TakeBlanks(true);
    if (TakeValueName(nested)) {
      cursor = nested;
      cursor.TakeBlanks();
    }
    return true;
  }
  if (!quoted && cursor.Now() == '>') {  // an XML element
    cursor.Step();
    writing = Writing::kQuoted;
    return true;
  }
  Cursor pair = cursor;
  if (pair.Now() == ',') pair.Step();
  pair.TakeBlanks(true);
  if (pair.at() > name.end && TakeValueName(pair)) {
    cursor = pair;
    cursor.TakeBlanks();
    writing = Writing::kQuoted;
    return true;
  }
  if (name.option && quoted && cursor.Take(",")) {  // in a list
    cursor.TakeBlanks(true);
    return true;
  }
  if (name.option && !quoted && blanks) {
    writing = Writing::kJoined;
    return cursor.Now() != '-';
  }
  if (!quoted && blanks && promise == Promise::kStrong && cursor.Take("is ")) return true;
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

// The lines with a deeper indentation than the line of the name (a YAML block).
std::optional<SecretSpan> BlockBehind(std::string_view text, size_t name_at, size_t at) {
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
  const Promise promise = PromiseOf(name.text);
  if (promise == Promise::kNone) return std::nullopt;
  Cursor cursor(text, name.end);
  Writing writing = Writing::kLoose;
  if (!SeekValue(cursor, name, promise, writing)) return std::nullopt;
  const bool block = cursor.Now() == '|' || (cursor.Now() == '>' && writing == Writing::kLoose);
  if (block && text.substr(cursor.at(), 4).find('\n') != std::string_view::npos) {
    const auto found = BlockBehind(text, begin, cursor.at());
    if (found && IsSecretValue(promise, text.substr(found->begin, found->end - found->begin),
                               Writing::kQuoted))
      return found;
    return std::nullopt;
  }
  if (cursor.Now() == '[') cursor.Step();
  if (text.substr(cursor.at()).starts_with("base64:")) cursor.Take("base64:");
  const std::string_view quote = cursor.TakeQuote();
  const size_t value = cursor.at();
  const size_t value_end = quote.empty() ? EndOfBare(text, value) : EndOfQuoted(text, value, quote);
  looked = std::max(looked, value);
  if (!quote.empty()) writing = Writing::kQuoted;
  if (!IsSecretValue(promise, text.substr(value, value_end - value), writing)) return std::nullopt;
  return SecretSpan{value, value_end, 0, "generic"};
}

}  // namespace redaction
