// Parses the command line and runs the command.
#include "client/command.h"

#include <algorithm>
#include <ostream>

#include "client/memory/reach.h"
#include "lib/base/text/nearest.h"
#include "lib/base/text/text.h"

namespace client {
namespace {

constexpr int64_t kForwardLookMs = 60'000;

int RunReached(Call& call, const Command& command) {
  if (!call.Text("file").empty() && command.group != "Look" && command.name != "export")
    return call.Usage("--file is for looking: 'agent-memory import' takes a file into a memory");
  auto reached = ReachMemory(call);
  if (!reached) return call.Fail(reached.error());
  const MemoryCalls memory(*reached->client, reached->url, reached->project);
  int code = command.run_on_memory(call, memory);
  if (command.stays && code == kOk && reached->forward) {
    call.err << "Ctrl-C closes the connection\n";
    while (!reached->forward->WaitForEnd(kForwardLookMs)) continue;
    return call.Fail({base::Code::kUnavailable,
                      "kubectl port-forward ended: the Pod is gone, or the cluster out of reach; "
                      "run the command again"});
  }
  // A part is never shown as the whole.
  if (reached->file) {
    for (const std::string& refused : reached->file->refused())
      call.err << call.Text("file") << ": not read: " << Inert(refused) << "\n";
    if (!reached->file->refused().empty() && code == kOk) code = kFailed;
  }
  if (memory.any_partial()) {
    call.err << "the answer is a part: the server stopped at a limit; ask for less, or in pages\n";
    if (code == kOk) code = kFailed;
  }
  return code;
}

}  // namespace

base::Program Command::Program() const {
  std::string epilogue = examples.empty() ? "" : "Examples:\n" + examples;
  base::Program program{"agent-memory " + name + (operands.empty() ? "" : " " + operands), summary,
                        settings, std::move(epilogue)};
  program.takes_words = true;
  if (run_on_memory != nullptr) {
    for (const base::Setting& setting : ReachSettings()) program.settings.push_back(setting);
  }
  program.settings.push_back(
      {"o", base::Setting::Kind::kString, "", "table or json; default: a table on a terminal"});
  return program;
}

const Command* FindCommand(const std::string& name) {
  const auto& all = Commands();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Command& command) { return command.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string HelpOfAll() {
  std::string text =
      "agent-memory: shows and changes the memory of coding agents.\n\nUsage: agent-memory COMMAND "
      "[flags]\n";
  std::string group;
  for (const Command& command : Commands()) {
    if (command.group != group) text += "\n" + (group = command.group) + ":\n";
    const std::string words = command.name + " " + command.operands;
    text += "  " + words + std::string(words.size() < 26 ? 26 - words.size() : 1, ' ') +
            command.summary + "\n";
  }
  return text +
         "\nExamples:\n"
         "  agent-memory search \"tabs or spaces\"\n"
         "  agent-memory ls --context prod -n agents\n\n"
         "'agent-memory COMMAND --help' lists the flags of a command. As kubectl-agent_memory on "
         "PATH it is 'kubectl agent-memory'.\n";
}

int RunClient(const std::vector<std::string>& arguments, const Screen& screen, std::istream& in,
              std::ostream& out, std::ostream& err) {
  const std::string word = arguments.empty() ? "" : arguments[0];
  const bool help = word == "help" || word == "--help" || word == "-h";
  if (word.empty() || (help && arguments.size() == 1)) {
    (word.empty() ? err : out) << HelpOfAll();
    return word.empty() ? kUsage : kOk;
  }
  if (word == "--version" || word == "version") {
    out << "agent-memory " AGENT_MEMORY_VERSION "\n";
    return kOk;
  }
  const std::string name = help ? arguments[1] : word;
  const Command* command = FindCommand(name);
  if (command == nullptr) {
    std::vector<std::string> names;
    for (const Command& known : Commands()) names.push_back(known.name);
    err << "agent-memory: there is no command '" << Inert(name) << "'"
        << base::DidYouMean(name, names) << "'agent-memory --help' lists the commands\n";
    return kUsage;
  }
  std::vector<std::string> words(arguments.begin() + 1, arguments.end());
  if (help) words = {"--help"};
  words.insert(words.begin(), "agent-memory");
  const base::Invocation invocation =
      base::ReadCommandLine(command->Program(), words, base::Environment());
  if (!invocation.run) {
    (invocation.exit_code == 0 ? out : err) << invocation.output;
    return invocation.exit_code;
  }
  Call call{invocation.settings, invocation.arguments, screen, in, out, err};
  const bool on_memory = command->run_on_memory != nullptr &&
                         (command->run == nullptr || !call.settings.Bool("transcripts"));
  const size_t given = call.arguments.size();
  if (given < (on_memory || command->run_on_memory == nullptr ? command->least : 0) ||
      given > command->most) {
    return call.Usage(name + " takes " +
                      (command->operands.empty() ? "no operands" : command->operands) + ", and " +
                      std::to_string(given) + " were given");
  }
  if (const std::string o = call.Text("o"); o != "" && o != "json" && o != "table")
    return call.Usage("-o is table or json, it is \"" + o + "\"");
  return on_memory ? RunReached(call, *command) : command->run(call);
}

}  // namespace client
