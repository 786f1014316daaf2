// The knowledge graph of the MCP memory server: entities and relations.
#include <algorithm>

#include "lib/api/memory_api.h"
#include "lib/base/text/text.h"
#include "memory/transfer/formats/converter.h"

namespace memory {

using base::Json;

namespace {

Json TagsOf(std::initializer_list<std::string> names) {
  Json tags = Json::array();
  for (const std::string& name : names)
    if (!base::IsBlank(name)) tags.push_back(base::Ellipsize(name, api::kMaxTag));
  return tags;
}

// Fields that no row of its own has.
Json OtherFields(const Json& element, std::initializer_list<std::string_view> known) {
  Json others = Json::object();
  for (const auto& [name, value] : element.items())
    if (std::find(known.begin(), known.end(), name) == known.end()) others[name] = value;
  return others;
}

// An observation is a text; some programs write objects with it and more.
Json ObservationFields(const Json& observation) {
  if (observation.is_string()) return {{"content", observation}};
  if (!observation.is_object()) return {{"content", base::DumpJson(observation)}};
  Json fields = observation;
  for (const char* text : {"content", "text", "observation", "value"}) {
    const std::string said = base::StringAt(observation, {text});
    if (said.empty()) continue;
    fields.erase(text);
    fields["content"] = said;
    return fields;
  }
  return {{"content", base::DumpJson(observation)}};
}

bool IsGraphElement(const Json& element) {
  if (!element.is_object()) return false;
  const std::string type = base::StringAt(element, {"type"});
  const bool entity = element.contains("name") &&
                      (element.contains("entityType") || element.contains("observations"));
  const bool relation = element.contains("relationType") ||
                        (type == "relation" && element.contains("from") && element.contains("to"));
  return entity || relation;
}

bool IsOfMcpMemory(const std::string& array, const Json& element) {
  return (array == "entities" || array == "relations" || array.empty()) && IsGraphElement(element);
}

std::optional<ForeignRows> RowsOfMcpMemory(const std::string&, const Json& element) {
  if (!IsGraphElement(element))
    return ForeignRows{.left_out = {"it is neither an entity nor a relation"}};
  ForeignRows made;
  if (element.contains("relationType") || element.contains("from")) {
    const std::string from = base::StringAt(element, {"from"}),
                      to = base::StringAt(element, {"to"});
    const std::string text = from + " " + base::StringAt(element, {"relationType"}, "→") + " " + to;
    Json row = OtherFields(element, {"type", "from", "to", "relationType", "id"});
    row.update(Json{
        {"type", "relation"}, {"title", text}, {"content", text}, {"tags", TagsOf({from, to})}});
    made.rows.push_back({.fields = std::move(row)});
    return made;
  }
  const std::string name = base::StringAt(element, {"name"});
  const std::string kind = base::StringAt(element, {"entityType"});
  const Json others = OtherFields(element, {"type", "name", "entityType", "observations", "id"});
  const Json* given = base::At(element, {"observations"});
  Json observations = given == nullptr || given->is_null() ? Json::array() : *given;
  if (!observations.is_array()) observations = Json::array({observations});
  if (observations.empty() || !others.empty())
    observations.insert(observations.begin(), name + (kind.empty() ? "" : " (" + kind + ")"));
  for (size_t i = 0; i < observations.size(); ++i) {
    Json row = ObservationFields(observations[i]);
    if (base::IsBlank(base::StringAt(row, {"content"}))) continue;
    if (i == 0) row.update(others);
    row["type"] = "fact";
    row["title"] = name.empty() ? TitleOf(base::StringAt(row, {"content"})) : name;
    row["tags"] = TagsOf({name, kind});
    made.rows.push_back({.fields = std::move(row)});
  }
  return made;
}

// By its first line, or what is there of one that is longer than what was looked at.
bool StartsAsMcpMemory(std::string_view beginning) {
  beginning = base::Trim(WithoutByteOrderMark(beginning));
  const std::string_view line = beginning.substr(0, beginning.find('\n'));
  if (const auto json = base::ParseJson(line)) {
    const std::string type = base::StringAt(*json, {"type"});
    return (type == "entity" || type == "relation") && IsGraphElement(*json);
  }
  std::string squeezed(line);
  std::erase_if(squeezed, [](char c) { return c == ' ' || c == '\t'; });
  return squeezed.starts_with("{\"type\":\"entity\",") ||
         squeezed.starts_with("{\"type\":\"relation\",") ||
         squeezed.starts_with("{\"entityType\":") ||
         (squeezed.starts_with("{\"name\":") && squeezed.find("\"entityType\":") != squeezed.npos);
}

}  // namespace

constinit const Converter kMcpMemory{"mcp-memory",  "the MCP memory server (JSON lines)",
                                     IsOfMcpMemory, RowsOfMcpMemory,
                                     false,         StartsAsMcpMemory};

}  // namespace memory
