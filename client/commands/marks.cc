// pin, unpin, bury, unbury, merge: what a person says about memories that exist.
#include "lib/api/marks.h"

#include <algorithm>
#include <ostream>

#include "client/commands/runs.h"
#include "client/memory/calls.h"
#include "lib/api/memory_api.h"
#include "lib/base/text/text.h"

namespace client {
namespace {

using base::Json;
using base::Result;
using base::Status;

std::string PathOf(const std::string& id) { return "/observations/" + http::PercentEncode(id); }

int Mark(Call& call, const MemoryCalls& memory, const char* field, bool set, const char* words) {
  for (const std::string& id : call.arguments) {
    const auto row =
        memory.Send("PATCH", PathOf(id), {{field, set}, {"source", {{"origin", "user"}}}});
    if (!row) return call.Fail(base::Wrap("memory " + id, row.error()));
    if (call.json())
      call.out << base::DumpJson(*row) << "\n";
    else
      call.out << "memory " << Inert(id) << " " << words << ": "
               << Inert(base::StringAt(*row, {"title"})) << "\n";
  }
  return kOk;
}

// One row of several: the first has the title, all have their tags and their texts in it.
Json United(const std::vector<Json>& rows) {
  Json made = {{"source", {{"origin", "user"}}}};
  for (const char* field : {"title", "type", "project", "scope"})
    made[field] = rows[0].value(field, "");
  // A session has one project.
  made["session_id"] =
      base::Prefix("merged " + base::StringAt(made, {"project"}), api::kMaxSessionId);
  std::vector<std::string> texts;
  made["tags"] = Json::array();
  for (const Json& row : rows) {
    const std::string text = base::StringAt(row, {"content"});
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
    for (const Json& tag : row.value("tags", Json::array()))
      if (std::find(made["tags"].begin(), made["tags"].end(), tag) == made["tags"].end())
        made["tags"].push_back(tag);
  }
  made["content"] = base::Join(texts, "\n\n");
  return made;
}

// The marks that any of the rows has, as PATCH takes them: no POST sets one. A text that was buried
// must not come into prompts by a merge, nor one that was pinned expire.
Json MarksOf(const Json& tags) {
  Json marks = Json::object();
  for (const Json& tag : tags) {
    if (tag == api::kPinnedTag) marks["pinned"] = true;
    if (tag == api::kBuriedTag) marks["buried"] = true;
  }
  return marks;
}

// `rows` may have one project and one scope only: the merged one is found where each of them was.
Status CheckTogether(const std::vector<Json>& rows) {
  for (const char* field : {"project", "scope"}) {
    for (const Json& row : rows) {
      if (base::StringAt(row, {field}) != base::StringAt(rows[0], {field}))
        return base::Error{base::Code::kInvalid, std::string(field) + ": memories of one " + field +
                                                     " can be merged, these are of \"" +
                                                     base::StringAt(rows[0], {field}) +
                                                     "\" and \"" + base::StringAt(row, {field}) +
                                                     "\""};
    }
  }
  return {};
}

}  // namespace

int Pin(Call& call, const MemoryCalls& memory) {
  return Mark(call, memory, "pinned", true, "is pinned");
}
int Unpin(Call& call, const MemoryCalls& memory) {
  return Mark(call, memory, "pinned", false, "is not pinned");
}
int Bury(Call& call, const MemoryCalls& memory) {
  return Mark(call, memory, "buried", true, "is buried");
}
int Unbury(Call& call, const MemoryCalls& memory) {
  return Mark(call, memory, "buried", false, "is not buried");
}

int Merge(Call& call, const MemoryCalls& memory) {
  std::vector<std::string> ids;
  for (const std::string& id : call.arguments)
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  if (ids.size() < 2) return call.Usage("merge takes two or more different IDs");
  std::vector<Json> rows;
  for (const std::string& id : ids) {
    const auto row = memory.Get(PathOf(id));
    if (!row) return call.Fail(base::Wrap("memory " + id, row.error()));
    rows.push_back(*row);
  }
  if (const Status fits = CheckTogether(rows); !fits) return call.Fail(fits.error());
  Json made = United(rows);
  for (const char* field : {"title", "content"})
    if (call.settings.IsSet(field)) made[field] = call.Text(field);
  const auto saved = memory.Send("POST", "/observations", made);
  if (!saved) return call.Fail(saved.error());
  const Json* number = base::At(*saved, {"id"});
  const std::string merged = number == nullptr ? "" : number->dump();
  // The text may be that of one of them, which then is the merged one, and stays.
  const bool is_new = std::erase(ids, merged) == 0;
  const std::string undo = (is_new ? "agent-memory rm " + merged + " && " : "") +
                           "agent-memory rm --undo " + base::Join(ids, " ");
  if (Json marks = MarksOf(made["tags"]); !marks.empty()) {
    marks["source"] = made["source"];
    const auto marked = memory.Send("PATCH", PathOf(merged), marks);
    if (!marked)
      return call.Fail(base::Wrap("memory " + merged +
                                      " has all texts, but is not pinned or buried as they are; "
                                      "none of them is hidden",
                                  marked.error()));
  }
  for (const std::string& id : ids) {
    const auto hidden = memory.Send("DELETE", PathOf(id), nullptr);
    if (!hidden)
      return call.Fail(base::Wrap("memory " + merged + " has all texts, but memory " + id +
                                      " is not hidden; to undo: " + undo,
                                  hidden.error()));
  }
  if (call.json())
    call.out << base::DumpJson({{"id", base::ParseJson(merged).value_or(Json())},
                                {"hidden", ids},
                                {"undo", undo}})
             << "\n";
  else
    call.out << "memory " << merged << " has the texts of " << ids.size()
             << " others, which are hidden; '" << Inert(undo) << "' undoes it\n";
  return kOk;
}

}  // namespace client
