// A scan over the words of a statement, which knows literals, quoted names and comments.
#include "lib/postgres/dialect.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace postgres {
namespace {

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool IsBlank(char c) { return std::isspace(static_cast<unsigned char>(c)); }

bool Same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

// The end of what begins at `at` and is not code: a literal, a quoted name, a comment, a
// dollar-quoted body; `at` itself: code begins there.
size_t EndOfQuoted(std::string_view sql, size_t at) {
  const auto after = [&](std::string_view end, size_t from) {
    const size_t found = sql.find(end, from);
    return found == std::string_view::npos ? sql.size() : found + end.size();
  };
  const char c = sql[at];
  // A doubled quote inside of a literal ends it and begins another one: the same text.
  if (c == '\'' || c == '"') return after(std::string_view(&sql[at], 1), at + 1);
  const std::string_view two = sql.substr(at, 2);
  if (two == "--") return after("\n", at + 2);
  if (two == "/*") return after("*/", at + 2);
  if (c == '$') {
    size_t end = at + 1;
    while (end < sql.size() && IsWord(sql[end])) ++end;
    const bool number = end > at + 1 && std::isdigit(static_cast<unsigned char>(sql[at + 1]));
    if (!number && end < sql.size() && sql[end] == '$')
      return after(sql.substr(at, end + 1 - at), end + 1);
  }
  return at;
}

// A part of a statement: a word, something quoted, or one other character.
struct Part {
  std::string_view text;
  bool word = false;
};

class Parts {
 public:
  explicit Parts(std::string_view sql) : sql_(sql) {}
  bool AtEnd() const { return at_ == sql_.size(); }
  Part Next() {
    const size_t from = at_;
    const size_t quoted = EndOfQuoted(sql_, at_);
    if (quoted != at_) {
      at_ = quoted;
      return {sql_.substr(from, at_ - from)};
    }
    const bool word = IsWord(sql_[at_]);
    ++at_;
    while (word && at_ < sql_.size() && IsWord(sql_[at_])) ++at_;
    return {sql_.substr(from, at_ - from), word};
  }
  // Skips blanks and takes `text` (a word or a character), or nothing.
  bool Take(std::string_view text) {
    Parts ahead = *this;
    ahead.SkipBlanks();
    if (ahead.AtEnd() || !Same(ahead.Next().text, text)) return false;
    *this = ahead;
    return true;
  }
  void SkipBlanks() {
    while (!AtEnd() && IsBlank(sql_[at_])) ++at_;
  }
  // From behind "(" to behind its ")".
  void SkipArguments() {
    for (int open = 1; open > 0 && !AtEnd();) {
      const std::string_view text = Next().text;
      open += text == "(" ? 1 : text == ")" ? -1 : 0;
    }
  }

 private:
  std::string_view sql_;
  size_t at_ = 0;
};

// Of `?N`, or of `?`, which counts on.
std::string Placeholder(Parts& parts, int& last) {
  Parts ahead = parts;
  int number = ahead.AtEnd() ? 0 : std::atoi(std::string(ahead.Next().text).c_str());
  if (number > 0)
    parts = ahead;
  else
    number = last + 1;
  last = std::max(last, number);
  return '$' + std::to_string(number);
}

// Translates a word; false: it stays.
bool TranslateWord(std::string_view word, Parts& parts, std::string& out) {
  Parts ahead = parts;
  if (Same(word, "INDEXED") && ahead.Take("BY")) {
    ahead.SkipBlanks();
    if (!ahead.AtEnd()) ahead.Next();
  } else if (Same(word, "NOT") && ahead.Take("INDEXED")) {
  } else if (Same(word, "char") && ahead.Take("(")) {
    out += "chr(";
  } else if (Same(word, "group_concat") && ahead.Take("(")) {
    out += "string_agg(";
  } else if ((Same(word, "row_checksum") || Same(word, "row_is_sound")) && ahead.Take("(")) {
    ahead.SkipArguments();
    out += Same(word, "row_checksum") ? '0' : '1';
  } else if (Same(word, "ON") && ahead.Take("CONFLICT") && ahead.Take("(")) {
    out += "ON CONFLICT(";
    Parts first = ahead;
    if (!first.Take("tenant")) out += "tenant, ";
  } else if (Same(word, "x") && !ahead.AtEnd()) {
    const std::string_view literal = ahead.Next().text;
    if (literal.empty() || literal[0] != '\'') return false;
    out += "'\\x" + std::string(literal.substr(1)) + "::bytea";
  } else {
    return false;
  }
  parts = ahead;
  return true;
}

}  // namespace

std::string Translate(std::string_view sql) {
  std::string out;
  out.reserve(sql.size() + 16);
  int last = 0;
  for (Parts parts(sql); !parts.AtEnd();) {
    const Part part = parts.Next();
    if (part.text == "?")
      out += Placeholder(parts, last);
    else if (!part.word || !TranslateWord(part.text, parts, out))
      out += part.text;
  }
  return out;
}

Shape ShapeOf(std::string_view sql) {
  Shape shape;
  bool first = true, changes = false, returns = false, limited = false, reads = false;
  int open = 0;
  for (Parts parts(sql); !parts.AtEnd();) {
    const Part part = parts.Next();
    open += part.text == "(" ? 1 : part.text == ")" ? -1 : 0;
    if (!part.word) continue;
    // Of WITH … INSERT the verb is the first one outside of parentheses.
    const bool verb =
        Same(part.text, "INSERT") || Same(part.text, "UPDATE") || Same(part.text, "DELETE");
    if (open == 0 && verb && !reads) changes = true;
    if (open == 0 && Same(part.text, "SELECT") && !changes) reads = true;
    if (first && !verb && !Same(part.text, "SELECT") && !Same(part.text, "WITH")) return shape;
    returns = returns || (open == 0 && Same(part.text, "RETURNING"));
    limited = limited || (open == 0 && Same(part.text, "LIMIT"));
    first = false;
  }
  shape.changes = changes;
  shape.has_rows = !changes || returns;
  shape.may_be_long = reads && !limited;
  return shape;
}

}  // namespace postgres
