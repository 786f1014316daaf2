// status: shows the server, the sidecars and the number of memories.
#include <algorithm>
#include <filesystem>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "client/commands/runs.h"
#include "client/laptop/control.h"
#include "client/laptop/repository.h"
#include "client/memory/calls.h"
#include "lib/base/text/text.h"

namespace client {
namespace {

using base::Json;

constexpr size_t kMostProjects = 50;  // two calls each

// Adds to the server's /stats what each project has: {"project", "memories", "newest"}, the newest
// first; "memories_of" has at most kMostProjects.
Json StatsOf(const std::string& server) {
  http::ClientOptions options;
  options.base_url = server;
  const auto client = http::MakeClient(std::move(options));
  if (!client) return Json::object();
  const MemoryCalls memory(**client, server);
  auto stats = memory.Get("/stats");
  if (!stats || !stats->is_object()) return Json::object();
  std::vector<Json> found;
  for (const Json& name : stats->value("projects", Json::array())) {
    if (!name.is_string() || found.size() >= kMostProjects) continue;
    const auto one = memory.Get("/stats", {{"project", name.get<std::string>()}});
    const auto rows =
        memory.Get("/observations/recent", {{"project", name.get<std::string>()}, {"limit", "1"}});
    if (!one || !rows) continue;
    const std::string newest =
        rows->is_array() && !rows->empty() ? base::StringAt((*rows)[0], {"updated_at"}) : "";
    found.push_back({{"project", name},
                     {"memories", one->value("total_observations", int64_t{0})},
                     {"newest", newest}});
  }
  std::stable_sort(found.begin(), found.end(), [](const Json& a, const Json& b) {
    return base::StringAt(a, {"newest"}) > base::StringAt(b, {"newest"});
  });
  (*stats)["memories_of"] = found;
  return *stats;
}

// All projects that have memories, a sidecar or a repository.
Table ProjectsOf(const Json& status, const Json& stats) {
  struct Line {
    std::string memories, newest, sidecar, repository;
  };
  std::vector<std::string> order;
  std::map<std::string, Line> lines;
  // The server's names are equal without case.
  const auto line = [&](const std::string& name) -> Line& {
    const std::string key = base::FoldCase(name);
    if (!lines.contains(key)) order.push_back(name);
    return lines[key];
  };
  for (const Json& one : stats.value("memories_of", Json::array())) {
    Line& of = line(base::StringAt(one, {"project"}));
    of.memories = one["memories"].dump();
    of.newest = base::StringAt(one, {"newest"}).substr(0, 16);
  }
  for (const Json& running : status.value("projects", Json::array())) {
    Line& of = line(base::StringAt(running, {"project"}));
    of.sidecar = base::StringAt(running, {"url"});
    of.repository = base::StringAt(running, {"root"});
  }
  for (const Json& known : status.value("known", Json::array())) {
    Line& of = line(base::StringAt(known, {"project"}));
    of.repository =
        base::StringAt(known, {"root"}) + (known.value("there", false) ? "" : " (no longer there)");
  }
  Table table{{"PROJECT", "MEMORIES", "NEWEST", "SIDECAR", "REPOSITORY"}, {}};
  for (const std::string& name : order) {
    const Line& of = lines[base::FoldCase(name)];
    table.rows.push_back({Inert(name), of.memories.empty() ? "0" : of.memories, Inert(of.newest),
                          of.sidecar.empty() ? "-" : of.sidecar,
                          of.repository.empty() ? "-" : Inert(of.repository)});
  }
  return table;
}

// The last injection of this repository and its query, if its sidecar runs.
std::string LastGiven(const Json& projects) {
  std::error_code error;
  const auto here = RepositoryOf(std::filesystem::current_path(error).string());
  for (const Json& project : projects) {
    if (!here || base::StringAt(project, {"root"}) != here->root) continue;
    http::ClientOptions options;
    options.base_url = base::StringAt(project, {"url"});
    const auto client = http::MakeClient(options);
    if (!client) return "";
    const auto found = LastInjections(MemoryCalls(**client, options.base_url), 1);
    if (!found || found->empty()) return "nothing yet";
    const Json injections = (*found)[0].value("injections", Json::array());
    if (injections.empty()) return "nothing yet";
    const Json& injection = injections.back();
    const Json items = injection.value("items", Json::array());
    size_t given = 0;
    for (const Json& item : items) given += item.value("injected", false) ? 1 : 0;
    const std::string query = base::StringAt(injection, {"query"});
    return std::to_string(given) + " of " + std::to_string(items.size()) + " found memories for " +
           (query.empty() ? "a new session" : "\"" + FitTo(Inert(query), 60) + "\"") +
           " ('agent-memory why' shows them)";
  }
  return "";
}

int NotUp(Call& call, const Home& home) {
  if (call.json()) {
    call.out << base::DumpJson({{"up", false}, {"home", home.folder()}}) << "\n";
  } else {
    call.out << "memory is not up" << (home.stopped() ? " ('agent-memory down' was said)" : "")
             << ": start it with 'agent-memory up'\n";
  }
  return kFailed;
}

}  // namespace

int ShowStatus(Call& call) {
  const auto home = Home::Find(call.settings);
  if (!home) return call.Fail(home.error());
  const auto control = ControlClient::Reach(*home);
  if (!control && control.error().code == base::Code::kNotFound) return NotUp(call, *home);
  if (!control) return call.Fail(control.error());
  auto status = control->Status();
  if (!status) return call.Fail(status.error());
  const std::string server = base::StringAt(*status, {"server", "url"});
  const Json stats = StatsOf(server);
  if (call.json()) {
    (*status)["up"] = true;
    (*status)["stats"] = stats;
    call.out << base::DumpJson(*status) << "\n";
    return kOk;
  }
  const Json* memories = base::At(stats, {"total_observations"});
  call.out << "memory is up, in " << home->folder() << "\n"
           << "server   " << server
           << (memories == nullptr ? ", which does not answer"
                                   : ", " + memories->dump() + " memories")
           << "\npolicy   " << home->File("policy.json") << "\n";
  const std::string given = LastGiven(status->value("projects", Json::array()));
  if (!given.empty()) call.out << "given    " << given << "\n";
  const Table projects = ProjectsOf(*status, stats);
  if (!projects.rows.empty()) call.out << "\n" << projects.Render(call.screen);
  const size_t names = stats.value("projects", Json::array()).size();
  if (names > kMostProjects) {
    call.out << names - kMostProjects
             << " more projects have memories; 'agent-memory status -o json' names all\n";
  }
  const Json known = status->value("known", Json::array());
  const bool gone = std::any_of(known.begin(), known.end(),
                                [](const Json& one) { return !one.value("there", false); });
  if (gone) {
    call.out << "\nA moved repository finds its memory by its first commit. If one does not, run\n"
                "'agent-memory up --project NAME' in it: it joins that project.\n";
  }
  return kOk;
}

}  // namespace client
