// Errors go to stderr, with the program's name and with control characters escaped. Escapes and
// widths go by ranges of code points.
#include "client/terminal/call.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ostream>

#include "lib/base/text/text.h"

namespace client {
namespace {

constexpr size_t kNarrowest = 20;

// Decodes the character at `at` of valid UTF-8 and advances `at`.
char32_t Next(std::string_view text, size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
  char32_t c = more == 0 ? lead : lead & (0x3f >> more);
  for (int i = 0; i < more && at < text.size(); ++i)
    c = (c << 6) | (static_cast<unsigned char>(text[at++]) & 0x3f);
  return c;
}

struct Range {
  char32_t first, last;
};

template <size_t N>
bool In(const Range (&ranges)[N], char32_t c) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [&](const Range& range) { return c >= range.first && c <= range.last; });
}

// Control, bidi, zero width, tags, private use, line and paragraph separators.
bool IsActive(char32_t c) {
  static constexpr Range kRanges[] = {
      {0x00, 0x1f},       {0x7f, 0x9f},       {0xad, 0xad},       {0x61c, 0x61c},
      {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},
      {0x2028, 0x202e},   {0x2060, 0x206f},   {0x3164, 0x3164},   {0xe000, 0xf8ff},
      {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},
      {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}, {0xf0000, 0x10ffff}};
  return In(kRanges, c);
}

size_t Columns(char32_t c) {
  static constexpr Range kWide[] = {
      {0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf}, {0xac00, 0xd7a3},   {0xf900, 0xfaff},
      {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd}};
  static constexpr Range kCombining[] = {{0x300, 0x36f}, {0x1ab0, 0x1aff}, {0x20d0, 0x20ff}};
  if (In(kCombining, c)) return 0;
  return In(kWide, c) ? 2 : 1;
}

}  // namespace

bool Call::json() const {
  const std::string asked = Text("o");
  return asked == "json" || (asked.empty() && !screen.terminal);
}

int Call::Fail(const base::Error& error) const {
  err << "agent-memory: " << Inert(error.message) << "\n";
  return error.code == base::Code::kInvalid ? kUsage : kFailed;
}

int Call::Usage(const std::string& why) const {
  err << "agent-memory: " << Inert(why) << "\n";
  return kUsage;
}

Screen ThisScreen() {
  Screen screen;
  screen.terminal = isatty(STDOUT_FILENO) == 1;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) screen.width = size.ws_col;
  screen.width = std::max(screen.width, kNarrowest);
  const char* no_colour = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  screen.colours = screen.terminal && (no_colour == nullptr || *no_colour == '\0') &&
                   kind != nullptr && std::string_view(kind) != "dumb";
  return screen;
}

std::string Inert(std::string_view text, bool lines) {
  const std::string whole = base::ToUtf8(text);
  std::string out;
  for (size_t at = 0; at < whole.size();) {
    const size_t begin = at;
    const char32_t c = Next(whole, at);
    if (c == '\n' || c == '\t') {
      out += lines ? static_cast<char>(c) : ' ';
    } else if (c == '\r' && at < whole.size() && whole[at] == '\n') {
      continue;
    } else if (IsActive(c)) {
      char shown[16];
      std::snprintf(shown, sizeof shown, "\\u{%x}", static_cast<unsigned>(c));
      out += shown;
    } else {
      out.append(whole, begin, at - begin);
    }
  }
  return out;
}

size_t DisplayWidth(std::string_view text) {
  size_t columns = 0;
  for (size_t at = 0; at < text.size();) columns += Columns(Next(text, at));
  return columns;
}

std::string FitTo(std::string_view text, size_t columns) {
  if (DisplayWidth(text) <= columns) return std::string(text);
  size_t used = 0, end = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t more = Columns(Next(text, at));
    if (used + more + 1 > columns) break;
    used += more;
    end = at;
  }
  return std::string(text.substr(0, end)) + (columns > 0 ? "…" : "");
}

std::string Coloured(const Screen& screen, Colour colour, std::string_view text) {
  if (!screen.colours) return std::string(text);
  const char* code = colour == Colour::kBold     ? "1"
                     : colour == Colour::kDim    ? "2"
                     : colour == Colour::kGreen  ? "32"
                     : colour == Colour::kYellow ? "33"
                                                 : "31";
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

std::string Table::Render(const Screen& screen) const {
  std::vector<size_t> widths;
  for (const std::string& cell : head) widths.push_back(DisplayWidth(cell));
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size() && i < widths.size(); ++i)
      widths[i] = std::max(widths[i], DisplayWidth(row[i]));
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    size_t used = 0;
    for (size_t i = 0; i < cells.size(); ++i) {
      const bool last = i + 1 == cells.size();
      std::string cell = cells[i];
      if (last && screen.terminal && used < screen.width) cell = FitTo(cell, screen.width - used);
      text += cell;
      if (last) break;
      text += std::string(widths[i] - DisplayWidth(cell) + 2, ' ');
      used += widths[i] + 2;
    }
    while (text.ends_with(' ')) text.pop_back();
    return text;
  };
  std::string out = Coloured(screen, Colour::kBold, line(head)) + "\n";
  for (const auto& row : rows) out += line(row) + "\n";
  return out;
}

}  // namespace client
