// One word of a shell command, and what is known of it before the command runs. Pure.
#pragma once

#include <cstddef>
#include <string>

namespace sidecar {

struct ShellWord {
  std::string text = {};  // quotes and backslashes taken off
  bool expands = false;   // holds $name, $(…), `…`, {a,b}, or names a command by a wildcard:
                          // its value is known when it runs
  bool names_command = false;  // stands where the name of a command stands
  bool runs = false;  // names a command, or may be code: behind sudo, env, eval, sh -c and the like
  bool program = false;     // names the program that runs: a command's, or one behind wrappers
  bool assigns = false;     // name=value where a command's name may stand
  bool file = false;        // of a redirection
  bool wildcard = false;    // holds an unquoted *, ? or [
  bool from_input = false;  // names a program that xargs gives words of its input
  bool text_only = false;   // a text by what its program takes it for; set by MarkTexts
  bool code = false;        // code of another language; set by MarkTexts
  bool elsewhere = false;   // of a command in a container; text_only too; set by MarkTexts
  std::string owner = {};   // the name of the program that gets it; set by MarkTexts
  size_t literal = std::string::npos;  // how much of the text stands before what expands
  size_t command = 0;                  // the same for all words of one command
  bool document = false;               // the body of a here-document that a shell runs
};

}  // namespace sidecar
