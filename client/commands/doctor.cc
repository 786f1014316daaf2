// doctor: finds faults of memory on this machine and suggests repairs.
#include <cstdlib>
#include <filesystem>
#include <ostream>

#include "client/agents/edits.h"
#include "client/agents/json_text.h"
#include "client/commands/runs.h"
#include "client/laptop/control.h"
#include "client/laptop/repository.h"
#include "client/laptop/starter_policy.h"
#include "client/programs/child.h"
#include "lib/base/process/file.h"

namespace client {
namespace {

using base::Code;
using base::Json;
using base::Result;

class Findings {
 public:
  explicit Findings(Call& call) : call_(call) {}

  void Good(const std::string& what) { Add(true, what, ""); }
  void Bad(const std::string& what, const std::string& mend) { Add(false, what, mend); }
  void Judge(const std::string& what, const base::Status& status, const std::string& mend) {
    if (status) return Good(what);
    Bad(what + ": " + status.error().message, mend);
  }
  int Finish() {
    if (call_.json()) call_.out << base::DumpJson(rows_) << "\n";
    return bad_ ? kFailed : kOk;
  }

 private:
  void Add(bool good, const std::string& what, const std::string& mend) {
    bad_ |= !good;
    if (call_.json()) {
      rows_.push_back({{"ok", good}, {"what", what}, {"mend", mend}});
      return;
    }
    call_.out << Coloured(call_.screen, good ? Colour::kGreen : Colour::kRed,
                          good ? "ok  " : "bad ")
              << Inert(what) << "\n";
    if (!mend.empty()) call_.out << "    " << Inert(mend) << "\n";
  }
  Call& call_;
  Json rows_ = Json::array();
  bool bad_ = false;
};

base::Status Answers(const std::string& url, const std::string& path) {
  http::ClientOptions options;
  options.base_url = url;
  ASSIGN_OR_RETURN(const auto client, http::MakeClient(std::move(options)));
  ASSIGN_OR_RETURN(const Json answer, MemoryCalls(*client, url).Get(path));
  return {};
}

void LookAtPrograms(Findings& findings) {
  for (const char* name : {"agent-memory-server", "agent-memory-sidecar"}) {
    const auto found = FindProgram(name);
    findings.Judge(found ? *found : std::string(name), found ? base::Status() : found.error(),
                   "install it in the directory of agent-memory");
  }
}

void LookAtFiles(const Home& home, Findings& findings) {
  std::error_code ignored;
  if (!std::filesystem::exists(home.folder(), ignored))
    return findings.Bad(home.folder() + " is not there", "run 'agent-memory up'");
  findings.Judge(home.folder() + " is yours alone", home.Make(), "run chmod 700 " + home.folder());
  const std::string file = home.File("policy.json");
  const auto policy = base::ReadFile(file, 1 << 20);
  if (!policy) return findings.Bad(policy.error().message, "run 'agent-memory up'");
  const auto made = PolicyFor(*policy, "http://127.0.0.1:1", "p");
  findings.Judge(file, made ? base::Status() : made.error(),
                 "mend the field, or remove the file and run 'agent-memory up' for a new one");
}

void LookAtWhatRuns(const Home& home, Findings& findings) {
  const auto control = ControlClient::Reach(home);
  if (!control) {
    return findings.Bad(control.error().message,
                        home.stopped() ? "'agent-memory down' was said: hooks do nothing "
                                         "until 'agent-memory up'"
                                       : "run 'agent-memory up --detach'; hooks do it, "
                                         "too");
  }
  const auto status = control->Status();
  if (!status) return findings.Bad(status.error().message, "run 'agent-memory down', then up");
  const std::string server = base::StringAt(*status, {"server", "url"});
  findings.Judge("the memory server at " + server, Answers(server, "/stats"),
                 "look into " + home.File("server.log"));
  std::error_code error;
  const auto repository = RepositoryOf(std::filesystem::current_path(error).string());
  if (!repository) return findings.Bad(repository.error().message, "go to a directory");
  const auto project = control->Use(repository->root);
  const std::string mend =
      "look into " + home.File("projects/") + RepositoryKey(repository->root) + "/sidecar.log";
  if (!project) return findings.Bad(project.error().message, mend);
  findings.Judge("the sidecar of project " + project->name + " at " + project->url,
                 Answers(project->url, "/v1/status"), mend);
}

// True if a file has entries of `setup`.
bool IsConnected(const std::vector<FileEdit>& edits) {
  for (const FileEdit& edit : edits) {
    const auto text = base::ReadFile(edit.file);
    const auto without = text ? edit.without(*text, "") : text;
    if (without && *without != *text) return true;
  }
  return false;
}

// Whether the user's settings of Claude Code enable our plugin, which has hooks and server of its
// own.
bool HasPlugin(const FileEdit& settings) {
  const auto text = base::ReadFile(settings.file);
  const auto read = text ? ReadSettings(*text) : base::Result<Settings>(text.error());
  return read && read->is_object() &&
         read->value("/enabledPlugins/agent-memory@agent-memory"_json_pointer, false);
}

// Checks the agents that this user has. An unconnected agent is a fault only if none is connected.
void LookAtAgents(Findings& findings) {
  const char* user = std::getenv("HOME");
  const auto program = ThisProgram();
  if (user == nullptr || !program) return;
  std::error_code ignored;
  const bool any = IsConnected(EditsOf("claude-code", user, *program)) ||
                   IsConnected(EditsOf("codex", user, *program));
  const auto claude = EditsOf("claude-code", user, *program);
  const bool plugin = HasPlugin(claude[0]);
  if (plugin && IsConnected(claude)) {
    findings.Bad("claude-code has the plugin and the entries of setup: the plugin does nothing",
                 "keep one of both: run 'agent-memory setup claude-code --undo'");
  } else if (plugin) {
    findings.Good(claude[0].file + " enables the plugin agent-memory");
  }
  for (const std::string agent : {"claude-code", "codex"}) {
    const auto edits = EditsOf(agent, user, *program);
    if (plugin && !IsConnected(edits)) continue;
    if (any && !IsConnected(edits)) continue;
    if (!std::filesystem::exists(std::filesystem::path(edits[0].file).parent_path(), ignored))
      continue;
    for (const FileEdit& edit : edits) {
      auto text = base::ReadFile(edit.file);
      if (!text && text.error().code == Code::kNotFound) text = std::string();
      const auto with = text ? edit.with(*text) : text;
      const std::string mend = "run 'agent-memory setup " + agent + "'";
      if (!with) {
        findings.Bad(edit.file + ": " + with.error().message, mend);
      } else if (*with != *text) {
        findings.Bad(edit.file + " does not connect " + agent + " to this program", mend);
      } else {
        findings.Good(edit.file + " connects " + agent);
      }
    }
  }
}

}  // namespace

int Doctor(Call& call) {
  const auto home = Home::Find(call.settings);
  if (!home) return call.Fail(home.error());
  Findings findings(call);
  LookAtPrograms(findings);
  LookAtFiles(*home, findings);
  LookAtWhatRuns(*home, findings);
  LookAtAgents(findings);
  return findings.Finish();
}

}  // namespace client
