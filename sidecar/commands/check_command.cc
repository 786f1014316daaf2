// Reads files and prints the reports of check_report.h.
#include <istream>
#include <map>
#include <ostream>
#include <string>
#include <utility>

#include "lib/base/process/config.h"
#include "lib/base/process/file.h"
#include "lib/base/text/inert.h"
#include "lib/base/text/text.h"
#include "sidecar/commands/check_report.h"
#include "sidecar/commands/commands.h"
#include "sidecar/turn/hooks.h"

namespace sidecar {
namespace {

using base::Json;

constexpr int kBadUsage = 64, kBadContents = 65, kNoInput = 66;  // sysexits
constexpr size_t kMaxEventsBytes = 64 << 20;

const base::Program& CheckProgram() {
  static const base::Program program = {
      "agent-memory-sidecar check",
      "Says what a policy would do with recorded hook events, and why. Asks and writes nothing.",
      {{"policy", base::Setting::Kind::kString, "", "the policy file, policy.json of `render`"},
       {"event", base::Setting::Kind::kString, "",
        "a hook event in the format of /v1/hooks, or one per line; - is standard input, and the "
        "word after the flags is the same"},
       {"output", base::Setting::Kind::kString, "text", "text or json"}},
      "Exit codes: 0 checked, 64 bad flags, 65 the policy or an event is not valid, 66 a file "
      "cannot be read.\nExamples:\n  agent-memory-sidecar check --policy policy.json event.json\n"
      "  my-recorder | agent-memory-sidecar check --policy policy.json -\n",
      {},
      {},
      true};
  return program;
}

base::Result<std::string> ReadInput(std::istream& in) {
  std::string text, piece(1 << 16, '\0');
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())), in.gcount() > 0) {
    text.append(piece, 0, static_cast<size_t>(in.gcount()));
    if (text.size() > kMaxEventsBytes)
      return base::Error{base::Code::kTooLarge,
                         "more than " + std::to_string(kMaxEventsBytes) + " bytes of events"};
  }
  return text;
}

// The events of a file: one JSON object, or one a line.
base::Result<std::vector<base::MendedJson>> ReadEvents(const std::string& text) {
  std::vector<base::MendedJson> events;
  if (auto whole = base::ReadMendedJson(text, kMaxHookBytes)) {
    events.push_back(std::move(*whole));
    return events;
  }
  int64_t number = 0;
  for (const std::string& line : base::Split(text, '\n')) {
    ++number;
    if (base::IsBlank(line)) continue;
    auto event = base::ReadMendedJson(line, kMaxHookBytes);
    if (!event) return base::Wrap("line " + std::to_string(number), event.error());
    events.push_back(std::move(*event));
  }
  if (events.empty()) return base::Error{base::Code::kInvalid, "it has no event"};
  return events;
}

base::Result<Json> CheckAll(const std::string& policy_file, const std::string& events_file) {
  auto policy = CompilePolicy(policy_file, 0);
  if (!policy) return base::Wrap("--policy", policy.error());
  auto events = ReadEvents(events_file);
  if (!events) return base::Wrap("--event", events.error());
  Json reports = Json::array();
  std::map<std::string, SessionAccount> sessions;  // by conversation
  for (size_t i = 0; i < events->size(); ++i) {
    // A recording may have the event in a member "event".
    base::MendedJson& read = (*events)[i];
    const Json* inner = base::At(read.value, {"event"});
    if (inner && inner->is_object()) read.value = Json(*inner);
    auto event = ReadHookEvent(std::move(read));
    if (!event) return base::Wrap("--event: number " + std::to_string(i + 1), event.error());
    const std::string conversation = event->session_id;
    const bool ends = event->kind == api::HookEvent::Kind::kSessionEnd;
    auto at = sessions.find(conversation);
    if (at == sessions.end()) {
      ASSIGN_OR_RETURN(auto account, SessionAccount::Begin(conversation, 0, (*policy)->policy));
      at = sessions.emplace(conversation, std::move(account)).first;
    }
    reports.push_back(CheckEvent(**policy, std::move(*event), at->second));
    if (ends) sessions.erase(at);
  }
  return Json{{"policy",
               {{"digest", (*policy)->digest},
                {"agent", (*policy)->policy.agent},
                {"project", (*policy)->policy.project}}},
              {"events", std::move(reports)}};
}

std::string Describe(const Json& checked) {
  std::string text = "policy " + base::StringAt(checked, {"policy", "digest"}) + " of agent " +
                     base::Inert(base::StringAt(checked, {"policy", "agent"})) + ", project " +
                     base::Inert(base::StringAt(checked, {"policy", "project"})) + "\n";
  for (const Json& report : checked["events"]) text += "\n" + DescribeReport(report);
  return text;
}

}  // namespace

int RunCheck(const std::vector<std::string>& arguments, std::istream& in, std::ostream& out,
             std::ostream& err) {
  std::vector<std::string> argv = {CheckProgram().name};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const base::Invocation invocation = base::ReadCommandLine(CheckProgram(), argv, {});
  if (!invocation.run) {
    (invocation.exit_code == 0 ? out : err) << invocation.output;
    return invocation.exit_code;
  }
  auto fail = [&](int code, const std::string& why) {
    err << CheckProgram().name << ": " << base::Inert(why) << "\n";
    return code;
  };
  const base::Settings& settings = invocation.settings;
  const std::string output = settings.Text("output"), policy_path = settings.Text("policy");
  if (output != "text" && output != "json")
    return fail(kBadUsage, "--output: '" + output + "' is neither text nor json");
  std::vector<std::string> events = invocation.arguments;
  if (settings.IsSet("event")) events.push_back(settings.Text("event"));
  if (policy_path.empty()) return fail(kBadUsage, "name the policy file with --policy FILE");
  auto policy = base::ReadFile(policy_path, kMaxEventsBytes);
  if (!policy) return fail(kNoInput, policy_path + ": " + policy.error().message);
  if (events.size() != 1)
    return fail(kBadUsage, "name one file of events, or - for standard input; " +
                               std::to_string(events.size()) + " are named");
  auto recorded = events[0] == "-" ? ReadInput(in) : base::ReadFile(events[0], kMaxEventsBytes);
  if (!recorded) return fail(kNoInput, events[0] + ": " + recorded.error().message);
  const auto checked = CheckAll(*policy, *recorded);
  if (!checked) return fail(kBadContents, checked.error().message);
  out << (output == "json" ? base::DumpJson(*checked) + "\n" : Describe(*checked));
  return 0;
}

}  // namespace sidecar
