// recall: what a prompt with these words would get, and, with --explain, why: the parts of each
// rank, and what is found but not given.
#include <algorithm>
#include <cstdio>
#include <ostream>

#include "client/commands/runs.h"
#include "client/memory/calls.h"
#include "lib/api/marks.h"
#include "lib/base/text/text.h"

namespace client {
namespace {

using base::Json;

std::string TextIn(const Json& row, const char* field) {
  return Inert(base::StringAt(row, {field}));
}

std::string Rounded(const Json* number) {
  if (number == nullptr || !number->is_number()) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", number->get<double>());
  return text;
}

bool Has(const Json& rows, const Json& id) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const Json& row) { return row.value("id", Json()) == id; });
}

bool IsTagged(const Json& row, const char* tag) {
  const Json tags = row.value("tags", Json::array());
  return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

// Of a row that a search finds and a prompt does not get.
const char* ReasonOf(const Json& row) {
  return IsTagged(row, api::kBuriedTag) ? "buried" : "limit";
}

void AddRow(Table& table, const Json& row, const char* given) {
  const Json* rank = base::At(row, {"rank"});
  std::vector<std::string> cells = {row.value("id", Json()).dump(), given, Rounded(rank),
                                    TextIn(row, "method")};
  for (const char* part : {"lexical", "similarity", "soft", "session", "answer"})
    cells.push_back(Rounded(base::At(row, {"scores", part})));
  cells.push_back(TextIn(row, "trust"));
  cells.push_back(TextIn(row, "title"));
  table.rows.push_back(std::move(cells));
}

}  // namespace

int RecallFor(Call& call, const MemoryCalls& memory) {
  const std::string words = base::Join(call.arguments, " "), named = call.Text("project");
  const std::string project = named.empty() ? memory.project() : named;
  const Query asked = {{"query", words},
                       {"project", project},
                       {"type", call.Text("type")},
                       {"backfill", "false"},
                       {"sessions", "0"},
                       {"limit", std::to_string(call.settings.Int("limit"))}};
  const auto answer = memory.Get("/context", asked);
  if (!answer) return call.Fail(answer.error());
  const Json given = answer->value("recent_observations", Json::array());
  Json others = Json::array();
  if (call.settings.Bool("explain")) {
    const auto found = memory.Get(
        "/search",
        {{"q", words}, {"project", project}, {"type", call.Text("type")}, {"limit", "50"}});
    if (!found) return call.Fail(found.error());
    for (const Json& row : *found) {
      if (Has(given, row.value("id", Json()))) continue;
      others.push_back(row);
      others.back()["reason"] = ReasonOf(row);
    }
  }
  if (call.json()) {
    call.out << base::DumpJson({{"given", given}, {"not_given", others}}) << "\n";
    return kOk;
  }
  if (given.empty() && others.empty()) {
    call.out << "a prompt with these words gets no memory\n";
    return kOk;
  }
  if (!call.settings.Bool("explain")) {
    Table table{{"ID", "TYPE", "BY", "TITLE"}, {}};
    for (const Json& row : given)
      table.rows.push_back({row.value("id", Json()).dump(), TextIn(row, "type"),
                            TextIn(row, "trust"), TextIn(row, "title")});
    call.out << table.Render(call.screen);
    return kOk;
  }
  Table table{{"ID", "GIVEN", "RANK", "METHOD", "LEXICAL", "SIMILAR", "SOFT", "SESSION", "ANSWER",
               "BY", "TITLE"},
              {}};
  for (const Json& row : given) AddRow(table, row, "yes");
  for (const Json& row : others) AddRow(table, row, ReasonOf(row));
  call.out << table.Render(call.screen);
  return kOk;
}

}  // namespace client
