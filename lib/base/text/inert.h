// Makes untrusted text inert: one line that can neither close nor imitate the markup around it,
// hide anything, nor control a terminal. For prompts and output to people; programs get JSON. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace base {

// Escapes these, so that no original text can be mistaken for an escape:
//   '<' as &lt;, an ampersand that begins an entity as &amp;, a line end as \n,
//   characters that are invisible, change the display of their neighbors, have no agreed form
//   (controls, formats, bidi, private use, unassigned) or resemble '<', '&' or '\', as \uXXXX or
//   \UXXXXXXXX, and a backslash before 'n', 'u', 'U', a backslash or an escape as \\.
// A tab becomes a blank, bad bytes U+FFFD. `also` gets the rest of the text and returns whether its
// first character must be escaped as \uXXXX, too.
using AlsoEscaped = bool (*)(std::string_view rest);
std::string Inert(std::string_view text, AlsoEscaped also = nullptr);

// Quotes an unverified name: letters, marks, digits and harmless ASCII stay, all else becomes
// \uXXXX, so that a name cannot end its quotes. Shows at most kNameCharacters.
inline constexpr size_t kNameCharacters = 80;
std::string InertName(std::string_view name);

// The bytes of a leading bracket that a reader may take for '[', which begins the headings of
// records and sections; 0: none.
size_t BracketBytes(std::string_view text);

// Replaces characters that are invisible, controls or like markup by blanks; keeps ASCII markup.
std::string WithoutMisleading(std::string_view text);

}  // namespace base
