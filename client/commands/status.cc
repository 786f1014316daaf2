// status: shows the server, the sidecars and the number of memories.
#include <algorithm>
#include <filesystem>
#include <ostream>

#include "client/commands/runs.h"
#include "client/laptop/front.h"
#include "client/laptop/repository.h"
#include "client/memory/last_injections.h"

namespace client {
namespace {

using base::Json;

Json StatsOf(const std::string& server) {
  http::ClientOptions options;
  options.base_url = server;
  const auto client = http::MakeClient(std::move(options));
  if (!client) return {};
  const auto stats = MemoryCalls(**client, server).Get("/stats");
  return stats ? *stats : Json();
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
  const auto front = Front::Reach(*home);
  if (!front && front.error().code == base::Code::kNotFound) return NotUp(call, *home);
  if (!front) return call.Fail(front.error());
  auto standing = front->Standing();
  if (!standing) return call.Fail(standing.error());
  const std::string server = base::StringAt(*standing, {"server", "url"});
  const Json stats = StatsOf(server);
  if (call.json()) {
    (*standing)["up"] = true;
    (*standing)["stats"] = stats;
    call.out << base::DumpJson(*standing) << "\n";
    return kOk;
  }
  const Json* memories = base::At(stats, {"total_observations"});
  call.out << "memory is up, in " << home->folder() << "\n"
           << "server   " << server
           << (memories == nullptr ? ", which does not answer"
                                   : ", " + memories->dump() + " memories")
           << "\npolicy   " << home->File("policy.json") << "\n";
  const std::string given = LastGiven(standing->value("projects", Json::array()));
  if (!given.empty()) call.out << "given    " << given << "\n";
  Table table{{"PROJECT", "SIDECAR", "REPOSITORY"}, {}};
  for (const Json& project : standing->value("projects", Json::array())) {
    table.rows.push_back({Inert(base::StringAt(project, {"project"})),
                          base::StringAt(project, {"url"}),
                          Inert(base::StringAt(project, {"root"}))});
  }
  if (!table.rows.empty()) call.out << "\n" << table.Render(call.screen);
  Table others{{"OTHER PROJECT", "REPOSITORY"}, {}};
  bool gone = false;
  for (const Json& known : standing->value("known", Json::array())) {
    const Json running = standing->value("projects", Json::array());
    const std::string name = base::StringAt(known, {"project"});
    if (std::any_of(running.begin(), running.end(),
                    [&](const Json& one) { return base::StringAt(one, {"project"}) == name; }))
      continue;
    const bool there = known.value("there", false);
    gone = gone || !there;
    others.rows.push_back({Inert(name), Inert(base::StringAt(known, {"root"})) +
                                            (there ? "" : " (no longer there)")});
  }
  if (!others.rows.empty()) call.out << "\n" << others.Render(call.screen);
  if (gone) {
    call.out << "\nA moved repository finds its memory by its first commit. If one does not, run\n"
                "'agent-memory up --project NAME' in it: it joins that project.\n";
  }
  return kOk;
}

}  // namespace client
