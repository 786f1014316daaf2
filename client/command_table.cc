// The table of all commands, by groups, for --help, completion and the parser.
#include "client/commands/runs.h"
#include "client/laptop/home.h"

namespace client {
namespace {

using Kind = base::Setting::Kind;

const base::Setting kProject = {"project", Kind::kString, "", "only this project; default: all"};
const base::Setting kType = {"type", Kind::kString, "", "only this type: decision, preference, …"};

std::vector<Command> LaptopCommands() {
  return {
      {"up",
       "This machine",
       "",
       "Run memory on this machine: a server, and a sidecar for each repository.",
       {{"project", Kind::kString, "", "name of this repository's project; default: as its folder"},
        {"detach", Kind::kBool, "false", "return when it is up, and leave it running"},
        {"install", Kind::kBool, "false", "only write a unit of systemd that runs it at login"},
        {"unless-stopped", Kind::kBool, "false",
         "do nothing after 'down'; for programs that start memory by themselves"},
        HomeSetting()},
       "  agent-memory up\n  agent-memory up --detach\n",
       0,
       0,
       Up,
       nullptr},
      {"setup",
       "This machine",
       "claude-code|codex|mcp",
       "Connect an agent: adds hooks and the MCP server to its settings.",
       {{"undo", Kind::kBool, "false", "remove what setup added"}},
       "  agent-memory setup claude-code\n  agent-memory setup claude-code --undo\n",
       1,
       1,
       Setup,
       nullptr},
      {"down",
       "This machine",
       "",
       "Stop all programs. Only 'up' starts them again.",
       {HomeSetting()},
       "  agent-memory down\n",
       0,
       0,
       Down,
       nullptr},
      {"status",
       "This machine",
       "",
       "Show the running programs and what the memory contains.",
       {HomeSetting()},
       "  agent-memory status\n",
       0,
       0,
       ShowStatus,
       nullptr},
      {"url",
       "This machine",
       "",
       "Start memory, and print the address of this repository's sidecar.",
       {{"server", Kind::kBool, "false", "print the address of the memory server instead"},
        HomeSetting()},
       "  curl \"$(agent-memory url)/search?q=tabs\"\n",
       0,
       0,
       PrintUrl,
       nullptr},
  };
}

std::vector<Command> AskCommands() {
  return {
      {"why",
       "This machine",
       "",
       "Show what the agent was given last in this repository, and what for.",
       {{"limit", Kind::kInt, "3", "turns", 1, 100}, HomeSetting()},
       "  agent-memory why\n",
       0,
       0,
       Why,
       nullptr},
      {"mirror",
       "This machine",
       "[DIR]",
       "Keep a project's memories as Markdown files of a folder, both ways.",
       {{"project", Kind::kString, "", "default: the repository here"},
        {"auto", Kind::kBool, "false", "from now on also when a session begins or ends"},
        {"watch", Kind::kBool, "false", "look again every 5 s, until Ctrl-C"},
        {"take-in", Kind::kBool, "false",
         "the first time: the Markdown files that DIR has already become memories"},
        {"hide-many", Kind::kBool, "false", "although most files are gone"},
        {"off", Kind::kBool, "false", "end the mirror; its files stay"},
        HomeSetting()},
       "  agent-memory mirror docs/memory --auto\n  agent-memory mirror\n",
       0,
       1,
       Mirror,
       nullptr},
      {"doctor",
       "This machine",
       "",
       "Look for what keeps memory from working, and say how to mend it.",
       {HomeSetting()},
       "  agent-memory doctor\n",
       0,
       0,
       Doctor,
       nullptr},
  };
}

// Commands that agents start, not people.
std::vector<Command> AgentCommands() {
  return {
      {"hook",
       "For agents",
       "EVENT",
       "Hand a hook's event on stdin to the sidecar of the repository.",
       {HomeSetting()},
       "",
       1,
       1,
       Hook,
       nullptr},
      {"mcp",
       "For agents",
       "",
       "Serve the repository's memory tools over stdin and stdout.",
       {HomeSetting()},
       "",
       0,
       0,
       Mcp,
       nullptr},
  };
}

std::vector<Command> LookCommands() {
  return {
      {"ls",
       "Look",
       "",
       "List memories, the newest first.",
       {kProject,
        kType,
        {"scope", Kind::kString, "", "only project or global"},
        {"hidden", Kind::kBool, "false", "what 'rm' hid, the last first, instead"},
        {"limit", Kind::kInt, "20", "at most so many", 1, 1000}},
       "  agent-memory ls\n  agent-memory ls --project billing --type decision -o json\n",
       0,
       0,
       nullptr,
       List},
      {"search",
       "Look",
       "WORDS…",
       "Find memories by a question or by words.",
       {kProject, kType, {"limit", Kind::kInt, "10", "at most so many", 1, 1000}},
       "  agent-memory search \"why did the deployment time out?\"\n",
       1,
       100,
       nullptr,
       Search},
      {"show",
       "Look",
       "ID",
       "Show a memory as a whole: the texts it had before, the prompts it was given to.",
       {},
       "  agent-memory show 7\n",
       1,
       1,
       nullptr,
       Show},
      {"ui",
       "Look",
       "",
       "Print the address of the web console; to a cluster, forward a port to it until Ctrl-C.",
       {},
       "  agent-memory ui\n  agent-memory ui --context prod -n agents\n",
       0,
       0,
       nullptr,
       ShowConsole,
       true},
  };
}

std::vector<Command> ChangeCommands() {
  return {
      {"add",
       "Change",
       "[WORDS…|-]",
       "Remember something yourself.",
       {{"project", Kind::kString, "",
         "what it belongs to; default: the repository here, else default"},
        {"type", Kind::kString, "preference", "decision, preference, lesson, …"},
        {"title", Kind::kString, "", "default: the first line"},
        {"scope", Kind::kString, "project", "project, or global: found from every project"},
        {"tag", Kind::kList, "", "a tag; may be given again"}},
       "  agent-memory add --project billing \"Deploy on Tuesdays\"\n",
       0,
       1000,
       nullptr,
       Add},
      {"edit",
       "Change",
       "ID",
       "Change a memory in $EDITOR, or by flags. The old text is kept.",
       {{"title", Kind::kString, "", "the new title"},
        {"content", Kind::kString, "", "the new text"},
        {"type", Kind::kString, "", "the new type"},
        {"tag", Kind::kList, "", "the new tags"}},
       "  agent-memory edit 7\n  agent-memory edit 7 --title \"Deploy on Mondays\"\n",
       1,
       1,
       nullptr,
       Edit},
      {"rm",
       "Change",
       "ID…",
       "Hide memories, bring them back, or erase them.",
       {{"hard", Kind::kBool, "false", "erase for good, and say what is left"},
        {"undo", Kind::kBool, "false",
         "show hidden memories again; without ID the one of the project that was hidden last"},
        {"project", Kind::kString, "", "of --undo without ID; default: the repository here"}},
       "  agent-memory rm 7 8\n  agent-memory rm --undo\n",
       0,
       100,
       nullptr,
       Remove},
  };
}

std::vector<Command> MoveCommands() {
  return {
      {"import",
       "Move",
       "FILE|FOLDER|-",
       "Take in notes, CSV, transcripts and the exports of other programs.",
       {{"project", Kind::kString, "", "for rows that name none; default: the repository here"},
        {"format", Kind::kString, "", "default: detected"},
        {"trust", Kind::kString, "", "trust class of the rows; user: prompts get them"},
        {"restore", Kind::kBool, "false", "import rows that were deleted here, too"},
        {"transcripts", Kind::kBool, "false",
         "no FILE: the sessions of Claude Code and Codex on this machine, each once"},
        {"since", Kind::kString, "",
         "with --transcripts: only sessions that went on after this day or RFC 3339 time"},
        {"dry-run", Kind::kBool, "false",
         "with --transcripts: say what would be imported, and change nothing"}},
       "  agent-memory import CLAUDE.md --project billing --trust user\n"
       "  agent-memory import ~/vault --trust user\n"
       "  agent-memory import --transcripts --dry-run\n",
       1,
       1,
       ImportTranscripts,
       Import},
      {"export",
       "Move",
       "",
       "Write all memories to stdout.",
       {kProject,
        {"format", Kind::kString, "",
         "json, jsonl, sqlite, markdown, obsidian, notes or agentos-json"}},
       "  agent-memory export > memory.json\n",
       0,
       0,
       nullptr,
       Export},
  };
}

}  // namespace

const std::vector<Command>& Commands() {
  static const std::vector<Command> all = [] {
    std::vector<Command> commands = LaptopCommands();
    for (auto part :
         {AskCommands(), LookCommands(), ChangeCommands(), MoveCommands(), AgentCommands()})
      commands.insert(commands.end(), part.begin(), part.end());
    commands.push_back({"completion",
                        "Else",
                        "bash|zsh|fish",
                        "Print a completion script.",
                        {},
                        "  source <(agent-memory completion bash)\n",
                        1,
                        1,
                        Completion,
                        nullptr});
    return commands;
  }();
  return all;
}

}  // namespace client
