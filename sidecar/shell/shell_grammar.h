// Facts of the shell's grammar about single words, and the escapes inside them. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sidecar {

bool IsNameCharacter(char c);
bool IsAssignment(std::string_view word);  // name=…
// Whether the next word is the name of a command: after do, {, time, coproc.
bool IsBeforeCommand(std::string_view word);
// Whether a compound command follows, so that the word before it is its name for coproc.
bool IsCompound(std::string_view rest);

// The end of the 1 of 2>&1 or the - of >&-, which are no files; `at`: neither.
size_t EndOfDescriptor(std::string_view text, size_t at);
// The end of the name of a variable or a parameter.
size_t EndOfName(std::string_view text, size_t at);
// Whether it contains $(…) or `…`.
bool Substitutes(std::string_view text);

// Decodes the inside of $'…': replaces \n, \x41, \101, \u0041 and the like by their characters; NUL
// ends the text, as in a shell.
std::string DecodeEscapes(std::string_view text);

// Recognizes the words after `time` that are its options, or the values of -f and -o.
class TimeOptions {
 public:
  bool Consumes(std::string_view word);

 private:
  bool value_ = false;  // the next word is a value
};

}  // namespace sidecar
