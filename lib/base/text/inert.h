// Text of others made inert: one line that can neither close nor imitate the markup around it, hide
// anything, nor steer a terminal. For prompts and for what people read. Pure; not for programs,
// which get JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace base {

// What is escaped, each in a way that cannot be mistaken for text that was written so:
//   '<' as &lt;, an ampersand that begins an entity as &amp;, a line end as \n,
//   characters that are not seen, that change how their neighbours are seen, that have no agreed
//   form (controls, formats, bidi, private use, unassigned) or that pass for '<', '&' or '\' as
//   \uXXXX or \UXXXXXXXX, and a backslash before 'n', 'u', 'U', a backslash or an escape as \\.
// A tab is a blank, bad bytes are U+FFFD. `also` names further characters to be written as \uXXXX,
// by the text that begins with them.
using AlsoEscaped = bool (*)(std::string_view rest);
std::string Inert(std::string_view text, AlsoEscaped also = nullptr);

// A name that somebody claims, in quotes: letters, marks, digits and harmless ASCII; everything
// else is \uXXXX, so that the quotes end where they seem to. At most kNameCharacters of it are
// shown.
inline constexpr size_t kNameCharacters = 80;
std::string InertName(std::string_view name);

// The bytes of a bracket at the beginning of `text` that a reader may take for '[', which begins
// the heads of records and sections; 0: there is none.
size_t BracketBytes(std::string_view text);

// Every character that Inert would not show as it is becomes a blank.
std::string WithoutMisleading(std::string_view text);

}  // namespace base
