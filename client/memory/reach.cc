// --file, else --url, else kubectl port-forward, else the server of `agent-memory up`.
#include "client/memory/reach.h"

#include <filesystem>

#include "client/laptop/control.h"
#include "client/laptop/project_files.h"
#include "client/laptop/repository.h"
#include "client/laptop/up_detached.h"
#include "lib/base/process/file.h"
#include "lib/base/text/text.h"

namespace client {
namespace {

using Kind = base::Setting::Kind;
using base::Code;
using base::Error;
using base::Result;

constexpr int64_t kStartMs = 8'000;
constexpr int64_t kForwardMs = 20'000, kTokenMs = 20'000;
constexpr size_t kToldLines = 5;

// The output of a child until `find` accepts a line.
struct Heard {
  std::mutex mutex;
  std::condition_variable changed;
  std::string found;
  std::vector<std::string> lines;
  bool ended = false;
};

struct Asked {
  std::vector<std::string> argv;
  std::function<std::string(std::string_view)> find;
  int64_t wait_ms = 0;
};

// Starts the child; returns it with the first non-empty result of `find`.
Result<std::pair<std::unique_ptr<Child>, std::string>> StartAndFind(const Asked& asked) {
  const auto heard = std::make_shared<Heard>();
  ChildOptions options{asked.argv, base::Environment(), false,
                       [heard, asked](std::string_view line) {
                         const std::lock_guard lock(heard->mutex);
                         if (heard->found.empty()) heard->found = asked.find(line);
                         if (heard->lines.size() < kToldLines) heard->lines.emplace_back(line);
                         heard->changed.notify_all();
                       }};
  ASSIGN_OR_RETURN(auto child, Child::Start(std::move(options)));
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(asked.wait_ms);
  std::unique_lock lock(heard->mutex);
  while (heard->found.empty() && child->running() && std::chrono::steady_clock::now() < end)
    heard->changed.wait_for(lock, std::chrono::milliseconds(50));
  if (!heard->found.empty()) return std::make_pair(std::move(child), heard->found);
  return Error{Code::kUnavailable,
               base::Join(asked.argv, " ") + " gave nothing: " + base::Join(heard->lines, " ")};
}

// kubectl's default namespace. kubectl prints nothing if the context has none: "default".
std::string NamespaceOfContext(const Call& call, const std::string& kubectl) {
  std::vector<std::string> argv = {kubectl, "config", "view", "--minify",
                                   "--output=jsonpath={..namespace}"};
  if (!call.Text("context").empty()) argv.push_back("--context=" + call.Text("context"));
  const auto name = [](std::string_view line) { return std::string(base::Trim(line)); };
  const auto found = StartAndFind({argv, name, kTokenMs});
  return found ? found->second : "default";
}

Result<std::string> TokenOf(const Call& call, const std::string& kubectl) {
  std::string audience = call.Text("audience");
  if (audience.empty()) {
    const std::string given = call.Text("n");
    audience =
        AudienceOf(given.empty() ? NamespaceOfContext(call, kubectl) : given, call.Text("target"));
  }
  if (audience.empty())
    return Error{Code::kInvalid,
                 "--service-account is for a Service (--target svc/NAME); the "
                 "sidecar of a pod asks for no token"};
  std::vector<std::string> argv = {
      kubectl,      "create", "token",      call.Text("service-account"),
      "--audience", audience, "--duration", "10m"};
  if (!call.Text("context").empty()) argv.push_back("--context=" + call.Text("context"));
  if (!call.Text("n").empty()) argv.push_back("--namespace=" + call.Text("n"));
  const auto token = [](std::string_view line) {
    return std::string(line.find(' ') == std::string_view::npos ? base::Trim(line) : "");
  };
  ASSIGN_OR_RETURN(auto found, StartAndFind({argv, token, kTokenMs}));
  return found.second;
}

Result<Reached> ThroughKubectl(const Call& call, http::ClientOptions options) {
  ASSIGN_OR_RETURN(const std::string kubectl, FindProgram("kubectl"));
  if (!call.Text("service-account").empty()) {
    ASSIGN_OR_RETURN(const std::string token, TokenOf(call, kubectl));
    options.bearer_token = [token] { return token; };
  }
  const auto argv =
      ForwardArguments(kubectl, call.Text("context"), call.Text("n"), call.Text("target"));
  ASSIGN_OR_RETURN(auto forward, StartAndFind({argv, ForwardedAddress, kForwardMs}));
  Reached reached;
  reached.forward = std::move(forward.first);
  reached.url = options.base_url = "http://" + forward.second;
  ASSIGN_OR_RETURN(reached.client, http::MakeClient(std::move(options)));
  return reached;
}

// The project of the current repository, for memories that the user adds.
std::string ProjectHere(const Home& home) {
  std::error_code error;
  const auto repository = RepositoryOf(std::filesystem::current_path(error).string());
  return repository ? ProjectFiles(home).Find(repository->root).name : "";
}

Result<Reached> OnThisMachine(const Call& call, http::ClientOptions options) {
  ASSIGN_OR_RETURN(const Home home, Home::Find(call.settings));
  std::error_code unknown;
  const bool used_before = std::filesystem::exists(home.folder(), unknown);
  const auto control = used_before ? ReachOrStart(home, kStartMs) : ControlClient::Reach(home);
  if (!control && control.error().code == Code::kNotFound) {
    if (home.stopped()) return StoppedByDown();
    return Error{Code::kInvalid,
                 "where is the memory? Start this machine's with 'agent-memory up', give --url (or "
                 "AGENT_MEMORY_URL), or --context and -n for a cluster"};
  }
  if (!control) return control.error();
  ASSIGN_OR_RETURN(const base::Json status, control->Status());
  Reached reached;
  reached.url = options.base_url = base::StringAt(status, {"server", "url"});
  reached.project = ProjectHere(home);
  ASSIGN_OR_RETURN(reached.client, http::MakeClient(std::move(options)));
  return reached;
}

}  // namespace

std::vector<base::Setting> ReachSettings() {
  return {
      {"url", Kind::kString, "",
       "address of a memory server or sidecar; for example http://127.0.0.1:7437"},
      {"file", Kind::kString, "",
       "look into an export, in any format that import takes, instead of a server"},
      {"token-file", Kind::kString, "", "file with a bearer token; it is read for each call"},
      {"context", Kind::kString, "", "kubectl context; reach a cluster by kubectl port-forward"},
      {"n", Kind::kString, "", "namespace there; reach a cluster by kubectl port-forward"},
      {"target", Kind::kString, "svc/agent-memory",
       "what to forward to: the memory server's Service, or pod/NAME of an agent"},
      {"service-account", Kind::kString, "",
       "ask kubectl for a token of this ServiceAccount, and act as it"},
      {"audience", Kind::kString, "",
       "audience of that token; default: agent-memory.NAMESPACE.SERVICE, as the server expects it"},
      HomeSetting(),
  };
}

std::vector<std::string> ForwardArguments(const std::string& kubectl, const std::string& context,
                                          const std::string& name_space,
                                          const std::string& target) {
  std::vector<std::string> argv = {kubectl, "port-forward", "--address=127.0.0.1"};
  if (!context.empty()) argv.push_back("--context=" + context);
  if (!name_space.empty()) argv.push_back("--namespace=" + name_space);
  argv.insert(argv.end(), {"--", target, ":7437"});
  return argv;
}

std::string AudienceOf(const std::string& name_space, const std::string& target) {
  for (const std::string_view kind : {"svc/", "service/", "services/"}) {
    if (target.starts_with(kind))
      return "agent-memory." + name_space + "." + target.substr(kind.size());
  }
  return "";
}

std::string ForwardedAddress(std::string_view line) {
  constexpr std::string_view kBegin = "Forwarding from ";
  if (!line.starts_with(kBegin)) return "";
  line.remove_prefix(kBegin.size());
  const size_t end = line.find(" -> ");
  return end == std::string_view::npos ? "" : std::string(line.substr(0, end));
}

Result<Reached> ReachMemory(const Call& call) {
  http::ClientOptions options;
  options.user_agent = "agent-memory-client";
  if (const std::string file = call.Text("token-file"); !file.empty()) {
    if (auto readable = base::ReadFile(file, 64 << 10); !readable)
      return base::Wrap("--token-file", readable.error());
    options.bearer_token = [file] {
      const auto token = base::ReadFile(file, 64 << 10);
      return token ? std::string(base::Trim(*token)) : std::string();
    };
  }
  if (const std::string file = call.Text("file"); !file.empty()) {
    Reached reached;
    ASSIGN_OR_RETURN(reached.file, FileServer::Open(file));
    reached.url = options.base_url = reached.file->url();
    ASSIGN_OR_RETURN(reached.client, http::MakeClient(std::move(options)));
    return reached;
  }
  options.base_url = call.Text("url");
  const bool cluster = !call.Text("context").empty() || !call.Text("n").empty();
  if (options.base_url.empty() && cluster) return ThroughKubectl(call, std::move(options));
  if (options.base_url.empty()) return OnThisMachine(call, std::move(options));
  if (options.base_url.find("://") == std::string::npos) {
    options.base_url = "http://" + options.base_url;
  }
  Reached reached;
  reached.url = options.base_url;
  ASSIGN_OR_RETURN(reached.client, http::MakeClient(std::move(options)));
  return reached;
}

}  // namespace client
