// Fixed beginnings and a count of signs.
#include "memory/extract/prose/code_lines.h"

#include "lib/base/text/text.h"

namespace memory {
namespace {

constexpr size_t kShownSigns = 3;  // a line with fewer signs is no code
constexpr size_t kBytesASign = 9;  // code has at least one sign in so many bytes
constexpr size_t kIndentedBytesASign = 25;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsSign(char c) {
  switch (c) {
    case '{':
    case '}':
    case '(':
    case ')':
    case '[':
    case ']':
    case ';':
    case '=':
    case '<':
    case '>':
    case '|':
    case '\\':
    case '_':
    case '$':
    case '&':
    case '*':
    case '/':
    case '+':
      return true;
    default:
      return false;
  }
}

// "2026-04-12T10:00", "[10:00:01]", "12:00:01 "
bool BeginsWithTime(std::string_view line) {
  if (line.starts_with('[')) line.remove_prefix(1);
  size_t digits = 0, colons = 0;
  for (const char c : line.substr(0, 16)) {
    digits += IsDigit(c);
    colons += c == ':';
    if (!IsDigit(c) && c != '-' && c != ':' && c != '/' && c != 'T') break;
  }
  return digits >= 6 && colons > 0;
}

}  // namespace

std::string_view FenceOf(std::string_view line) {
  for (const std::string_view fence : {"```", "~~~"}) {
    if (line.starts_with(fence)) return line.substr(0, 3);
  }
  return {};
}

bool IsPasted(std::string_view line) {
  constexpr std::string_view kBegins[] = {">",
                                          "#",
                                          "|",
                                          "- [id ",
                                          "<",
                                          "+++ ",
                                          "--- ",
                                          "@@ ",
                                          "diff ",
                                          "$ ",
                                          "% ",
                                          "Traceback",
                                          "ERROR",
                                          "WARN",
                                          "INFO",
                                          "DEBUG",
                                          "FATAL",
                                          "error:",
                                          "warning:",
                                          "Error:",
                                          "File \"",
                                          "Caused by:",
                                          "npm ",
                                          "commit ",
                                          "Remembered from earlier work.",
                                          "[TASK CONTEXT]"};
  for (const std::string_view begin : kBegins) {
    if (line.starts_with(begin)) return true;
  }
  return BeginsWithTime(line);
}

bool IsCode(std::string_view line) {
  const bool indented = line.starts_with("    ") || line.starts_with('\t');
  size_t signs = 0, counted = 0;
  bool inline_code = false;
  for (const char c : line) {
    if (c == '`') inline_code = !inline_code;
    if (inline_code) continue;
    ++counted;
    signs += IsSign(c);
  }
  const std::string_view trimmed = base::Trim(line);
  const bool ends = trimmed.ends_with(';') || trimmed.ends_with('{') || trimmed.ends_with('}') ||
                    trimmed.ends_with("()") || trimmed.ends_with("):");
  if (ends && signs >= 2) return true;
  return signs >= kShownSigns && signs * (indented ? kIndentedBytesASign : kBytesASign) > counted;
}

}  // namespace memory
