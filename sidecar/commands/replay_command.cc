// Prints a line of JSON for each batch that the memory server has stored.
#include <ostream>

#include "lib/base/process/config.h"
#include "lib/base/process/file.h"
#include "lib/base/text/inert.h"
#include "sidecar/commands/commands.h"
#include "sidecar/replay/replay_run.h"

namespace sidecar {
namespace {

constexpr int kBadArguments = 64, kBadPlan = 65, kNoPlan = 66, kNoServer = 69;  // sysexits
constexpr size_t kMostPlanBytes = 256 << 20;

const base::Program& ReplayProgram() {
  static const base::Program program = {
      "agent-memory-sidecar replay",
      "Makes of transcripts what the hooks would have made of their sessions.",
      {{"plan", base::Setting::Kind::kString, "",
        "a JSON file: {server, since, projects: [{policy, state}], sessions: [{project, id, "
        "format, files, copied_from, grown}]}; without server nothing is stored"}},
      "Called by 'agent-memory import --transcripts'. Exit codes: 0 done, 64 bad flags, 65 the "
      "plan is not valid, 66 it cannot be read, 69 the memory server takes nothing.\n"};
  return program;
}

}  // namespace

int RunReplay(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  std::vector<std::string> argv = {ReplayProgram().name};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const base::Invocation invocation = base::ReadCommandLine(ReplayProgram(), argv, {});
  if (!invocation.run) {
    (invocation.exit_code == 0 ? out : err) << invocation.output;
    return invocation.exit_code;
  }
  const auto fail = [&](int code, const std::string& why) {
    err << base::Inert(why) << std::endl;
    return code;
  };
  const std::string file = invocation.settings.Text("plan");
  if (file.empty()) return fail(kBadArguments, "name the plan with --plan FILE");
  const auto text = base::ReadFile(file, kMostPlanBytes);
  if (!text) return fail(kNoPlan, text.error().message);
  const auto plan = DecodeReplayPlan(*text);
  if (!plan) return fail(kBadPlan, file + ": " + plan.error().message);
  const base::Status done =
      Replay(*plan, [&](const base::Json& line) { out << base::DumpJson(line) << std::endl; });
  return done ? 0 : fail(kNoServer, done.error().message);
}

}  // namespace sidecar
