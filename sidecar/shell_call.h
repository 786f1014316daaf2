// Whether a shell that a command calls is told what it runs, or reads that from its input. Follows
// the words of one command; cutting them is shell_words. Pure.
#pragma once

#include <string>
#include <string_view>

namespace sidecar {

struct ShellRunner;  // a program that runs the one named behind it: sudo, env

// Its arguments are commands or code: a shell (sh, bash, su, source and the like) or a runner.
bool RunsArguments(std::string_view name);

class ShellCall {
 public:
  void Name(std::string_view name);                   // the command's
  void Add(const std::string& word);                  // the next word behind it
  void InputIs(bool known) { input_known_ = known; }  // redirected; known: by a here-document
  bool CallsShell() const { return begun_; }
  // Its code comes from a pipe, a file or the terminal: nobody can read it here.
  bool RunsUnknown() const;

 private:
  void Seek(const std::string& word);
  bool HoldsMark(const std::string& word) const;
  void SeekBehind(const std::string& option);
  void AddOption(const std::string& option);

  const ShellRunner* runner_ = nullptr;  // the program that it runs is still sought
  bool skips_value_ = false;             // the next word is that of a runner's option
  int operands_ = 0;                     // of the runner, before the program

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
