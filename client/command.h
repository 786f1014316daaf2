// One command of agent-memory: its help texts and its function. command_table.cc has the table.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "client/memory/calls.h"
#include "client/terminal/call.h"

namespace client {

using Run = int (*)(Call& call);
using RunOnMemory = int (*)(Call& call, const MemoryCalls& memory);

struct Command {
  std::string name, group, operands, summary;
  std::vector<base::Setting> settings;
  std::string examples;        // whole lines
  size_t least = 0, most = 0;  // operands
  Run run = nullptr;
  // Instead of `run`: RunClient connects to a memory first. With both, --transcripts chooses `run`.
  RunOnMemory run_on_memory = nullptr;
  bool stays = false;  // a forwarded port stays open until Ctrl-C, or until kubectl ends
  base::Program Program() const;
};

const std::vector<Command>& Commands();
const Command* FindCommand(const std::string& name);
std::string HelpOfAll();

// Returns the exit code. `arguments`: without the program's name.
int RunClient(const std::vector<std::string>& arguments, const Screen& screen, std::istream& in,
              std::ostream& out, std::ostream& err);

}  // namespace client
