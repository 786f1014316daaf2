// What people read on a terminal: stored text made inert, tables that fit the width, colours. Pure;
// what kind of terminal there is comes in as a Screen.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace client {

struct Screen {
  bool terminal = false;  // stdout is one
  bool colours = false;
  size_t width = 80;
};
// Of this process: isatty, TIOCGWINSZ, NO_COLOR, TERM.
Screen ThisScreen();

// Stored text for a terminal: control and format characters, bidi among them, become visible
// escapes such as \u{202e}; line breaks and tabs stay when `lines`, else they become a blank.
std::string Inert(std::string_view text, bool lines = false);

size_t DisplayWidth(std::string_view text);                // columns; wide characters take two
std::string FitTo(std::string_view text, size_t columns);  // cut with "…" where it is longer

enum class Colour { kBold, kDim, kGreen, kYellow, kRed };
std::string Coloured(const Screen& screen, Colour colour, std::string_view text);

// Columns as wide as their widest cell; on a terminal the last one is cut at the width.
struct Table {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  // inert
  std::string Render(const Screen& screen) const;
};

}  // namespace client
