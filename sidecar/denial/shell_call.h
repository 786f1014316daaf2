// Whether a shell that a command calls is told what it runs, or reads that from its input. Follows
// the words of one command; cutting them is shell_words. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sidecar {

struct ShellRunner;  // a program that runs the one named behind it: sudo, env

// Its arguments are commands or code: a shell (sh, bash, su, source and the like) or a runner.
bool RunsArguments(std::string_view name);

// The code that an argument of the named program holds, which is no word of its own there:
// env -S'…', alias x='…', git -c alias.x='!…', tar --to-command=…; empty: none.
std::string HeldCode(std::string_view name, std::string_view word);

class ShellCall {
 public:
  void Name(std::string_view name);                   // the command's
  void Add(const std::string& word);                  // the next word behind it
  void InputIs(bool known) { input_known_ = known; }  // redirected; known: by a here-document
  bool CallsShell() const { return begun_; }
  bool RunsWords() const { return runs_words_; }        // the words from here on may be commands
  bool AtProgram() const { return at_program_; }        // the last word names what is run
  bool AddsInput() const { return from_input_words_; }  // behind xargs
  // Its code comes from a pipe, a file or the terminal: nobody can read it here.
  bool RunsUnknown() const;

 private:
  void Seek(const std::string& word);
  bool BeginsRun(const std::string& word);
  bool HoldsMark(const std::string& word) const;
  void SeekBehind(const std::string& option);
  void AddOption(const std::string& option);

  const ShellRunner* runner_ = nullptr;  // the program that it runs is still sought
  bool skips_value_ = false;             // the next word is that of a runner's option
  int operands_ = 0;                     // of the runner, before the program
  bool is_find_ = false;                 // it runs what stands behind -exec
  bool from_input_words_ = false;        // behind xargs: the words come from the input too
  bool is_make_ = false, reads_makefile_ = false;  // make -f -
  bool runs_words_ = false, at_program_ = false;

  std::string mark_;         // of xargs -I: a word that holds it is made of the input
  bool names_mark_ = false;  // the next word is it
  bool from_mark_ = false;   // the code, or the program, is made of the input

  bool begun_ = false, told_ = false, input_known_ = false;
  bool is_su_ = false;        // its operands are users
  bool is_bash_ = false;      // it takes -norc for --norc
  bool from_input_ = false;   // -s
  bool takes_code_ = false;   // -c
  bool only_reads_ = false;   // -n
  bool interactive_ = false;  // -i, which takes -n back
  ptrdiff_t skipped_ = 0;     // operands that are values of options
};

}  // namespace sidecar
