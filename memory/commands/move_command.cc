// Parses the command line. export_files.cc and import_files.cc run the commands.
#include "memory/commands/move_command.h"

#include <ostream>
#include <utility>

#include "lib/base/process/log.h"
#include "memory/commands/move.h"

namespace memory {

using base::Code;
using base::Error;
using base::Setting;
using base::Status;
using Kind = base::Setting::Kind;

namespace {

constexpr const char* kOwnTenant = "*";  // of a server without identities

std::vector<Setting> MoveSettings(bool importing) {
  std::vector<Setting> settings = {
      {"project", Kind::kString, "",
       importing ? "project of memories without one; default: imported"
                 : "only this project; default: all"},
      {"format", Kind::kString, "",
       importing
           ? "default: detected; a folder is obsidian"
           : "json, jsonl, sqlite, markdown, obsidian, notes or agentos-json; default: by the "
             "extension (.json, .jsonl, .sqlite, .md, .tar), json for standard output, "
             "obsidian for a folder"},
      {"tenant", Kind::kString, kOwnTenant, "namespace of the memory, with --auth kubernetes"},
      {"output", Kind::kString, "text", "format of the report: text or json"}};
  if (!importing) return settings;
  settings.push_back(
      {"trust", Kind::kString, "", "trust class of the rows; user: prompts get them"});
  settings.push_back({"restore", Kind::kBool, "false", "import rows that were deleted here, too"});
  settings.push_back({"dedup", Kind::kBool, "true", "skip rows that exist already"});
  return settings;
}

base::Program MoveProgram(const base::Program& server, bool importing) {
  base::Program program;
  program.name = server.name + (importing ? " import FILE|FOLDER|-" : " export FILE|FOLDER/|-");
  program.summary = importing ? "Imports a file or a folder of notes into a data-dir."
                              : "Exports a data-dir to a file, or as notes to a folder.";
  program.settings = MoveSettings(importing);
  for (Setting setting : server.settings) {
    if (setting.name == "lock-wait") setting.fallback = "0s";
    if (setting.name == "log-level") setting.fallback = "warn";
    const auto at = setting.name == "data-dir" ? program.settings.begin() : program.settings.end();
    program.settings.insert(at, std::move(setting));
  }
  program.check = [check = server.check](const base::Settings& settings) -> Status {
    const std::string output = settings.Text("output");
    if (output != "text" && output != "json")
      return Error{Code::kInvalid, "output must be text or json, it is \"" + output + "\""};
    return check ? check(settings) : Status();
  };
  program.takes_words = true;
  program.epilogue =
      "The data-dir must not be in use: with a running server, 'agent-memory " +
      std::string(importing ? "import" : "export") +
      " --url URL' goes through it. The server's settings and its --config apply, too.\nExit "
      "codes: 0 done, 1 failed or rows were refused, 64 bad flags, 66 no such input, 73 the target "
      "exists, 75 the data-dir is in use, 130 interrupted.\nExamples:\n" +
      (importing
           ? std::string("  agent-memory-server import --data-dir ./memory-data ~/vault\n"
                         "  agent-memory-server import --data-dir ./memory-data memory.json\n")
           : std::string("  agent-memory-server export --data-dir ./memory-data memory.sqlite\n"
                         "  agent-memory-server export --data-dir ./memory-data vault/\n"));
  return program;
}

}  // namespace

bool IsMoveCommand(std::string_view word) { return word == "export" || word == "import"; }

int RunMove(const MoveHost& host, const std::vector<std::string>& words,
            const std::vector<std::string>& environment, std::ostream& out, std::ostream& err,
            bool terminal) {
  const bool importing = words.at(0) == "import";
  const base::Program program = MoveProgram(host.server, importing);
  const base::Invocation invocation = base::ReadCommandLine(program, words, environment);
  if (!invocation.run) {
    (invocation.exit_code == 0 ? out : err) << invocation.output;
    return invocation.exit_code;
  }
  base::StartLog(invocation);
  const Move move{host,
                  invocation.settings,
                  invocation.arguments.size() == 1 ? invocation.arguments[0] : "",
                  out,
                  err,
                  terminal};
  if (move.path.empty()) {
    return move.Fail(
        {Code::kInvalid, "name one " + std::string(importing ? "file or folder" : "target") +
                             ", there are " + std::to_string(invocation.arguments.size()) + "; '" +
                             words[0] + " --help' has examples"},
        kBadUsage);
  }
  return importing ? RunImport(move) : RunExport(move);
}

}  // namespace memory
