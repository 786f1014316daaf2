// The few facts of the shell's grammar that words alone show. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace sidecar {

bool IsNameCharacter(char c);
bool IsAssignment(std::string_view word);  // name=…
// Behind it the next word is a command's name again: do, {, time, coproc.
bool IsBeforeCommand(std::string_view word);
// What comes next is a compound command, so that the word before it is coproc's name for it.
bool IsCompound(std::string_view rest);

// Behind the 1 of 2>&1 or the - of >&-, which are no files; `at` when there is none.
size_t EndOfDescriptor(std::string_view text, size_t at);
// Behind the name of a variable or a parameter.
size_t EndOfName(std::string_view text, size_t at);
// Holds $(…) or `…`.
bool Substitutes(std::string_view text);

// The words behind time that are its options, or the values of -f and -o.
class TimeOptions {
 public:
  bool Takes(std::string_view word);

 private:
  bool value_ = false;  // the next word is one
};

}  // namespace sidecar
