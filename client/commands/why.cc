// why: shows the last injections of this repository, and their queries.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <ostream>
#include <string_view>
#include <utility>

#include "client/commands/runs.h"
#include "client/laptop/control.h"
#include "client/laptop/repository.h"
#include "client/memory/calls.h"

namespace client {
namespace {

using base::Json;
using base::Result;

std::string NumberAt(const Json& item, const char* field) {
  const Json* value = base::At(item, {field});
  if (value == nullptr || !value->is_number()) return "";
  if (value->is_number_integer()) return value->dump();
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value->get<double>());
  return text;
}

// A word of the record in a person's words; an unknown one as it is.
std::string InWords(std::string_view word) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"ok", "answered"},
      {"off", "contextLimit is 0 in policy.json: nothing was asked for"},
      {"unavailable", "the memory server did not answer: 'agent-memory doctor' says why"},
      {"timeout", "the memory server did not answer in time; the turn went on without"},
      {"breaker_open", "the memory server failed lately, and is asked again in a moment"},
      {"fts5_bm25", "its words"},
      {"embedding", "its meaning"},
      {"fused", "words and meaning"},
      {"recency", "one of the newest"},
      {"due", "it is due"}};
  for (const auto& [known, words] : kWords)
    if (word == known) return std::string(words);
  return Inert(word);
}

void Show(Call& call, const Json& injection, int64_t turn) {
  const std::string query = base::StringAt(injection, {"query"});
  call.out << Coloured(call.screen, Colour::kBold,
                       base::StringAt(injection, {"at"}) + "  turn " + std::to_string(turn) + ", " +
                           Inert(base::StringAt(injection, {"event"})) + " " +
                           Inert(base::StringAt(injection, {"tool_name"})))
           << "\n"
           << (query.empty() ? "asked for the newest memories"
                             : "asked for: " + FitTo(Inert(query), 100))
           << " (" << InWords(base::StringAt(injection, {"outcome"})) << ")\n";
  const Json items = injection.value("items", Json::array());
  const bool by_meaning = std::any_of(items.begin(), items.end(),
                                      [](const Json& item) { return item.contains("scores"); });
  Table table{{"PLACE", "ID", "GIVEN", "FOUND BY", "TRUST", "TITLE"}, {}};
  // docs/memory-api.md describes the parts of a rank.
  constexpr std::pair<const char*, const char*> kParts[] = {{"WORDS", "lexical"},
                                                            {"MEANING", "similarity"},
                                                            {"NEAR WORDS", "soft"},
                                                            {"SESSION", "session"},
                                                            {"ANSWERS", "answer"}};
  if (by_meaning) {
    auto place = table.head.begin() + 4;
    for (const auto& [head, part] : kParts) place = table.head.insert(place, head) + 1;
  }
  for (const Json& item : items) {
    std::vector<std::string>& row = table.rows.emplace_back(std::vector<std::string>{
        std::to_string(table.rows.size() + 1), NumberAt(item, "id"),
        item.value("injected", false) ? "yes" : "no", InWords(base::StringAt(item, {"method"})),
        Inert(base::StringAt(item, {"trust"})), Inert(base::StringAt(item, {"title"}))});
    if (!by_meaning) continue;
    const Json scores = item.value("scores", Json::object());
    auto place = row.begin() + 4;
    for (const auto& [head, part] : kParts) place = row.insert(place, NumberAt(scores, part)) + 1;
  }
  call.out << (table.rows.empty() ? "nothing was found\n" : table.Render(call.screen)) << "\n";
}

Result<Project> ThisProject(const Call& call) {
  ASSIGN_OR_RETURN(const Home home, Home::Find(call.settings));
  ASSIGN_OR_RETURN(const ControlClient control, ControlClient::Reach(home));
  std::error_code error;
  ASSIGN_OR_RETURN(const auto repository,
                   RepositoryOf(std::filesystem::current_path(error).string()));
  return control.Use(repository.root);
}

}  // namespace

int Why(Call& call) {
  const auto project = ThisProject(call);
  if (!project) return call.Fail(project.error());
  http::ClientOptions options;
  options.base_url = project->url;
  const auto client = http::MakeClient(std::move(options));
  if (!client) return call.Fail(client.error());
  const auto found =
      LastInjections(MemoryCalls(**client, project->url), call.settings.Int("limit"));
  if (!found) return call.Fail(found.error());
  if (call.json()) {
    call.out << base::DumpJson(*found) << "\n";
    return kOk;
  }
  if (found->empty())
    call.out << "the agent of project " << Inert(project->name) << " was given nothing yet\n";
  for (const Json& record : *found) {
    for (const Json& injection : record.value("injections", Json::array()))
      Show(call, injection, record.value("turn", int64_t{0}));
  }
  if (!found->empty()) {
    call.out
        << "Not given: what the conversation has already (given before in the same revision, "
           "or saved by itself), what repeats another memory, more than two of the newest, and "
           "what exceeds the policy's budgetTokens.\n";
  }
  return kOk;
}

}  // namespace client
