// The input and output of a command: exit codes, the screen, and text for it (escapes in stored
// text, tables that fit the width, colours). Knows no command. Pure, except Call and ThisScreen.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/process/config.h"
#include "lib/base/result.h"

namespace client {

inline constexpr int kOk = 0, kFailed = 1, kUsage = 64, kNoInput = 66;

struct Screen {
  bool terminal = false;  // stdout is one
  bool colours = false;
  size_t width = 80;
};
// The terminal of this process: isatty, TIOCGWINSZ, NO_COLOR, TERM.
Screen ThisScreen();

struct Call {
  base::Settings settings;
  std::vector<std::string> arguments;
  Screen screen;
  std::istream& in;
  std::ostream& out;
  std::ostream& err;

  std::string Text(const char* name) const { return settings.Text(name); }
  // True with -o json, and by default if stdout is no terminal.
  bool json() const;
  int Fail(const base::Error& error) const;  // prints the error; returns the exit code
  int Usage(const std::string& why) const;
};

// Replaces control and format characters of stored text, also bidi ones, by visible escapes such as
// \u{202e}. Line breaks and tabs stay with `lines`, else each becomes a blank.
std::string Inert(std::string_view text, bool lines = false);

size_t DisplayWidth(std::string_view text);                // columns; wide characters take two
std::string FitTo(std::string_view text, size_t columns);  // a longer text ends with "…"

enum class Colour { kBold, kDim, kGreen, kYellow, kRed };
std::string Coloured(const Screen& screen, Colour colour, std::string_view text);

// Columns have the width of their widest cell; on a terminal the last one ends at the width.
struct Table {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  // inert
  std::string Render(const Screen& screen) const;
};

}  // namespace client
