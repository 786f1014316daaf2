// One word of a shell command, with the facts known before the command runs; the code of eval as
// one word. Pure.
#pragma once

#include <cstddef>
#include <string>

namespace sidecar {

struct ShellWord {
  std::string text = {};  // without quotes and backslashes
  bool expands = false;   // contains $name, $(…), `…`, {a,b}, or names a command by a wildcard:
                          // its value is known at run time
  bool names_command = false;  // at the position of a command's name
  bool runs = false;  // names a command, or may be code: after sudo, env, eval, sh -c and the like
  bool program = false;     // names the program that runs, directly or through a wrapper
  bool assigns = false;     // name=value before a command's name
  bool file = false;        // of a redirection
  bool wildcard = false;    // contains an unquoted *, ? or [
  bool from_input = false;  // names a program that gets arguments from the input of xargs
  bool text_only = false;   // a text for its program; set by ClassifyWords
  bool code = false;        // code of another language; set by ClassifyWords
  bool elsewhere = false;   // of a command in a container; text_only too; set by ClassifyWords
  std::string owner = {};   // the name of its program; set by ClassifyWords
  size_t literal = std::string::npos;  // length of the text before the first expansion
  size_t command = 0;                  // the same for all words of one command
  bool document = false;               // the body of a here-document that a shell runs
};

// The words of eval, joined to one text: eval 'echo x |' sh.
class JoinedCode {
 public:
  void Add(const std::string& word) { text_ += (words_++ == 0 ? "" : " ") + word; }
  bool One() const { return words_ == 1; }
  bool Several() const { return words_ > 1; }
  ShellWord Code() const { return {.text = text_, .runs = true, .document = true}; }

 private:
  std::string text_;
  size_t words_ = 0;
};

}  // namespace sidecar
