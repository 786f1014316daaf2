// Classifies the arguments of a tool call, at any depth and under any name, for a policy's lists:
// commands, paths, and texts that may be either. denial.h judges them. Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/api/hook_event.h"
#include "sidecar/text/hook_budget.h"

namespace sidecar {

struct CallTexts {
  std::vector<std::string> scripts;  // under the name of a command, joined with the words of `args`
  std::vector<std::string> paths;    // under the name of a path, or spelled like an absolute one
  std::vector<std::string> guesses;  // one word with a slash or dots, under any other name
  std::vector<std::string> options;  // one word that begins with '-', under any other name
  std::vector<std::string> lines;    // any text under an unknown name; lists of words joined
  struct Prose {
    std::string name, text;  // edits.new_string
  };
  std::vector<Prose> prose;  // contents, descriptions and the like: neither command nor path
  std::string unreadable;    // why a part could not be read; empty: all was read
};

// Quotes a list of words for a shell.
std::string AsScript(const std::vector<std::string>& words);

// Stops when the budget is spent.
CallTexts ReadArguments(const api::HookEvent& event, WorkBudget& budget);

}  // namespace sidecar
