// Decides whether a shell that a command calls gets its code as an argument or reads it from its
// input. Follows the words of one command; shell_words.h splits them. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sidecar {

struct ShellRunner;  // a program that runs the program in its arguments: sudo, env

// Whether its arguments are commands or code: a shell (sh, bash, su, source …) or a runner.
bool RunsArguments(std::string_view name);

// The code inside an argument of the named program, such as env -S'…', alias x='…',
// git -c alias.x='!…', tar --to-command=…; empty: none.
std::string HeldCode(std::string_view name, std::string_view word);

class ShellCall {
 public:
  void Name(std::string_view name);                   // of the command
  void Add(const std::string& word);                  // the next argument
  void InputIs(bool known) { input_known_ = known; }  // redirected; known: by a here-document
  bool CallsShell() const { return is_shell_; }
  bool RunsWords() const { return runs_words_; }        // the words from here on may be commands
  bool AtProgram() const { return at_program_; }        // the last word names the program to run
  bool AddsInput() const { return from_input_words_; }  // xargs adds words of its input
  // Whether its code comes from a pipe, a file or the terminal, and is unknown here.
  bool RunsUnknown() const;

 private:
  void FindProgram(const std::string& word);
  bool BeginsRun(const std::string& word);
  bool HoldsPlaceholder(const std::string& word) const;
  void ReadRunnerOption(const std::string& option);
  void AddOption(const std::string& option);

  const ShellRunner* runner_ = nullptr;  // whose program has not appeared yet
  bool skips_value_ = false;             // the next word is the value of a runner's option
  int operands_ = 0;                     // of the runner, before the program
  bool is_find_ = false;                 // it runs the words after -exec
  bool from_input_words_ = false;        // of xargs: further words come from the input
  bool is_make_ = false, reads_makefile_ = false;  // make -f -
  bool runs_words_ = false, at_program_ = false;

  std::string placeholder_;         // of xargs -I: its input replaces this placeholder
  bool names_placeholder_ = false;  // the next word is the placeholder
  bool from_placeholder_ = false;   // the code, or the program, contains the placeholder

  bool is_shell_ = false, code_found_ = false, input_known_ = false;
  bool is_su_ = false;        // its operands are users
  bool is_bash_ = false;      // it takes -norc for --norc
  bool from_input_ = false;   // -s
  bool takes_code_ = false;   // -c
  bool only_reads_ = false;   // -n
  bool interactive_ = false;  // -i, which disables -n
  ptrdiff_t skipped_ = 0;     // operands that are values of options
};

}  // namespace sidecar
