// ls, search, show: read memories.
#include <ostream>

#include "client/commands/runs.h"
#include "client/laptop/control.h"
#include "client/memory/calls.h"
#include "lib/base/text/text.h"

namespace client {
namespace {

using base::Json;

std::string At(const Json& row, const char* field) { return Inert(base::StringAt(row, {field})); }

std::string Number(const Json& row, const char* field) {
  const Json* value = base::At(row, {field});
  return value != nullptr && value->is_number_integer() ? value->dump() : "";
}

std::string Origin(const Json& row) {
  const std::string trust = base::StringAt(row, {"trust"});
  return Inert(trust.empty() ? base::StringAt(row, {"source", "origin"}) : trust);
}

void ShowRows(Call& call, const Json& rows) {
  if (call.json()) {
    call.out << base::DumpJson(rows) << "\n";
    return;
  }
  if (rows.empty()) {
    call.out << "nothing is remembered that fits\n";
    return;
  }
  const bool hidden = rows[0].contains("hidden_at");
  Table table{{"ID", "TYPE", "PROJECT", "BY", hidden ? "HIDDEN" : "UPDATED", "TITLE"}, {}};
  for (const Json& row : rows) {
    std::string time = At(row, hidden ? "hidden_at" : "updated_at");
    if (time.empty()) time = At(row, "created_at");
    const bool global = base::StringAt(row, {"scope"}) == "global";
    table.rows.push_back({Number(row, "id"), At(row, "type"), global ? "(all)" : At(row, "project"),
                          Origin(row), time.substr(0, 16), At(row, "title")});
  }
  call.out << table.Render(call.screen);
}

Json ListOf(const Json& answer) { return answer.is_array() ? answer : Json::array(); }

// The URL of a project's sidecar on this machine; empty: none, or the flags name another memory.
std::string SidecarHere(const Call& call, const std::string& project) {
  for (const char* elsewhere : {"url", "context", "n", "file"})
    if (!call.Text(elsewhere).empty()) return "";
  const auto home = Home::Find(call.settings);
  if (!home) return "";
  const auto control = ControlClient::Reach(*home);
  const auto status = control ? control->Status() : control.error();
  if (!status) return "";
  for (const Json& known : status->value("projects", Json::array()))
    if (base::StringAt(known, {"project"}) == project) return base::StringAt(known, {"url"});
  return "";
}

// The injections of the row into prompts. Only a sidecar knows them; null: no sidecar.
Json GivenAt(const Call& call, const MemoryCalls& memory, const Json& row) {
  const Json* id = base::At(row, {"id"});
  if (id == nullptr || !id->is_number_integer()) return nullptr;
  const std::string url = SidecarHere(call, base::StringAt(row, {"project"}));
  if (url.empty()) {
    const auto found = InjectionsOf(memory, id->get<int64_t>());
    return found ? *found : Json();
  }
  http::ClientOptions options;
  options.base_url = url;
  const auto client = http::MakeClient(std::move(options));
  if (!client) return nullptr;
  const auto found = InjectionsOf(MemoryCalls(**client, url), id->get<int64_t>());
  return found ? *found : Json();
}

void ShowGiven(const Call& call, const Json& given) {
  if (given.is_null()) return;
  call.out << "\n"
           << Coloured(call.screen, Colour::kDim,
                       given.empty() ? "given to no prompt of late" : "given to prompts")
           << "\n";
  for (const Json& one : given) {
    const std::string query = At(one, "query");
    call.out << At(one, "at").substr(0, 16) << "  conversation " << At(one, "conversation")
             << ", turn " << Number(one, "turn") << (query.empty() ? "" : ": " + FitTo(query, 60))
             << "\n";
  }
}

}  // namespace

int List(Call& call, const MemoryCalls& memory) {
  const auto rows = memory.Get(
      call.settings.Bool("hidden") ? "/observations/hidden" : "/observations/recent",
      {{"project", call.Text("project")},
       {"type", call.Text("type")},
       {"scope", call.Text("scope")},
       {"limit",
        call.settings.IsSet("limit") ? std::to_string(call.settings.Int("limit")) : "20"}});
  if (!rows) return call.Fail(rows.error());
  ShowRows(call, ListOf(*rows));
  return kOk;
}

int Search(Call& call, const MemoryCalls& memory) {
  const auto rows = memory.Get("/search", {{"q", base::Join(call.arguments, " ")},
                                           {"project", call.Text("project")},
                                           {"type", call.Text("type")},
                                           {"limit", std::to_string(call.settings.Int("limit"))}});
  if (!rows) return call.Fail(rows.error());
  ShowRows(call, ListOf(*rows));
  return kOk;
}

int Show(Call& call, const MemoryCalls& memory) {
  const std::string path = "/observations/" + http::PercentEncode(call.arguments[0]);
  auto row = memory.Get(path);
  if (!row) return call.Fail(row.error());
  const auto revisions = memory.Get(path + "/revisions");
  if (!revisions) return call.Fail(revisions.error());
  const Json given = GivenAt(call, memory, *row);
  if (call.json()) {
    (*row)["revisions"] = *revisions;
    if (!given.is_null()) (*row)["given"] = given;
    call.out << base::DumpJson(*row) << "\n";
    return kOk;
  }
  call.out << Coloured(call.screen, Colour::kBold, At(*row, "title")) << "\n";
  Table fields{{"FIELD", "VALUE"}, {}};
  for (const char* field : {"type", "project", "scope", "topic_key", "session_id", "created_at",
                            "updated_at", "last_seen_at"}) {
    if (const std::string value = At(*row, field); !value.empty())
      fields.rows.push_back({field, value});
  }
  fields.rows.push_back({"by", Origin(*row)});
  if (const std::string rule = base::StringAt(*row, {"source", "rule"}); !rule.empty())
    fields.rows.push_back({"rule", Inert(rule)});
  std::vector<std::string> tags;
  for (const Json& tag : row->value("tags", Json::array())) {
    if (tag.is_string()) tags.push_back(Inert(tag.get<std::string>()));
  }
  if (!tags.empty()) fields.rows.push_back({"tags", base::Join(tags, ", ")});
  call.out << fields.Render(call.screen) << "\n"
           << Inert(base::StringAt(*row, {"content"}), true) << "\n";
  for (const Json& revision : ListOf(*revisions)) {
    call.out << "\n"
             << Coloured(call.screen, Colour::kDim, "revision " + Number(revision, "revision"))
             << ": " << At(revision, "title") << "\n"
             << Inert(base::StringAt(revision, {"content"}), true) << "\n";
  }
  ShowGiven(call, given);
  return kOk;
}

}  // namespace client
