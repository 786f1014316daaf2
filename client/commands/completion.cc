// completion: scripts for shells, generated from the table of commands.
#include <ostream>

#include "client/commands/runs.h"
#include "lib/base/text/text.h"

namespace client {
namespace {

std::string Flags(const Command& command) {
  std::vector<std::string> flags;
  for (const base::Setting& setting : command.Program().settings)
    flags.push_back((setting.name.size() == 1 ? "-" : "--") + setting.name);
  flags.push_back("--help");
  return base::Join(flags, " ");
}

std::string Names() {
  std::vector<std::string> names;
  for (const Command& command : Commands()) names.push_back(command.name);
  return base::Join(names, " ");
}

std::string Bash() {
  std::string text =
      "# agent-memory completion bash: source it, or put it into "
      "~/.local/share/bash-completion/completions/agent-memory\n"
      "_agent_memory() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} words\n"
      "  if [ \"$COMP_CWORD\" = 1 ]; then words=\"" +
      Names() + "\"; else\n  case ${COMP_WORDS[1]} in\n";
  for (const Command& command : Commands())
    text += "    " + command.name + ") words=\"" + Flags(command) + "\" ;;\n";
  return text +
         "  esac; fi\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "}\ncomplete -o default -F _agent_memory agent-memory\n";
}

std::string Fish() {
  std::string text = "# agent-memory completion fish | source\n";
  for (const Command& command : Commands()) {
    text += "complete -c agent-memory -n __fish_use_subcommand -f -a " + command.name + " -d '" +
            command.summary + "'\n";
    for (const base::Setting& setting : command.Program().settings) {
      text += "complete -c agent-memory -n '__fish_seen_subcommand_from " + command.name + "' " +
              (setting.name.size() == 1 ? "-s " : "-l ") + setting.name +
              (setting.kind == base::Setting::Kind::kBool ? "" : " -r") + "\n";
    }
  }
  return text;
}

}  // namespace

int Completion(Call& call) {
  const std::string& shell = call.arguments[0];
  if (shell == "bash") {
    call.out << Bash();
  } else if (shell == "zsh") {
    call.out << "#compdef agent-memory\nautoload -U +X bashcompinit && bashcompinit\n" << Bash();
  } else if (shell == "fish") {
    call.out << Fish();
  } else {
    return call.Usage("there is completion for bash, zsh and fish, not for \"" + shell + "\"");
  }
  return kOk;
}

}  // namespace client
