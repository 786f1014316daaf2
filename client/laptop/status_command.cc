// status: what runs, what is remembered.
#include <filesystem>
#include <ostream>

#include "client/command_runs.h"
#include "client/laptop/front.h"

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

int Status(Call& call) {
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
  Table table{{"PROJECT", "SIDECAR", "REPOSITORY"}, {}};
  for (const Json& project : standing->value("projects", Json::array())) {
    table.rows.push_back({Inert(base::StringAt(project, {"project"})),
                          base::StringAt(project, {"url"}),
                          Inert(base::StringAt(project, {"root"}))});
  }
  if (!table.rows.empty()) call.out << "\n" << table.Render(call.screen);
  return kOk;
}

}  // namespace client
