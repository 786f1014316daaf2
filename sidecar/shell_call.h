// Whether a shell that a command calls is told what it runs, or reads that from its input. Follows
// the words of one command; cutting them is shell_words. Pure.
#pragma once

#include <string>
#include <string_view>

namespace sidecar {

bool IsShell(std::string_view name);  // it runs what it reads: sh, bash, su, source and the like

class ShellCall {
 public:
  // The command's name; a runner takes the name of another behind it: sudo, env.
  void Name(std::string_view name, bool runner);
  void Add(const std::string& word);                  // the next word behind it
  void InputIs(bool known) { input_known_ = known; }  // redirected; known: by a here-document
  // Its code comes from a pipe, a file or the terminal: nobody can read it here.
  bool RunsUnknown() const { return begun_ && !told_ && !input_known_; }

 private:
  void Seek(const std::string& word);
  void AddOption(const std::string& option);

  bool seeks_ = false;         // behind a runner, where the name of a shell may stand
  bool after_option_ = false;  // the word before was one
  bool looks_up_ = false;      // command, whose -v runs nothing
  bool begun_ = false, told_ = false, input_known_ = false;
  bool is_su_ = false;          // its operands are users
  bool from_input_ = false;     // -s
  bool takes_code_ = false;     // -c
  bool skips_operand_ = false;  // it is the value of an option
};

}  // namespace sidecar
