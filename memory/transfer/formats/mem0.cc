// mem0: memories of get_all, of a search or of the platform's export.
#include "lib/api/memory_api.h"
#include "lib/base/text/text.h"
#include "memory/transfer/formats/converter.h"

namespace memory {

using base::Json;

namespace {

Json FieldsOfMem0(const Json& memory) {
  if (!memory.is_object()) return memory;
  Json fields = memory;
  for (const char* left_out : {"id", "hash", "score", "version", "immutable"})
    fields.erase(left_out);
  RenameFields(fields);
  if (auto metadata = memory.find("metadata"); metadata != memory.end() && metadata->is_object()) {
    fields.erase("metadata");
    for (const auto& [name, value] : metadata->items()) {
      if (!fields.contains(name) || IsEmptyField(fields[name])) fields[name] = value;
    }
  }
  if (std::string run = base::StringAt(memory, {"run_id"}); !run.empty())
    fields["session_id"] = base::Ellipsize("mem0-" + run, api::kMaxSessionId);
  for (const char* who : {"user", "agent", "app"}) {
    const std::string name = std::string(who) + "_id";
    const std::string id = base::StringAt(memory, {name.c_str()});
    if (id.empty()) continue;
    fields.erase(name);
    AddTag(fields, base::Ellipsize(std::string(who) + ":" + id, api::kMaxTag));
  }
  fields.erase("run_id");
  return fields;
}

bool IsOfMem0(const std::string& array, const Json& element) {
  return array == "results" ||
         ((array.empty() || array == "memories") && element.contains("memory"));
}

std::optional<ForeignRows> RowsOfMem0(const std::string& array, const Json& element) {
  if (!array.empty() && array != "results" && array != "memories") return std::nullopt;
  return ForeignRows{.rows = {{.fields = FieldsOfMem0(element)}}};
}

}  // namespace

constinit const Converter kMem0{"mem0", "mem0", IsOfMem0, RowsOfMem0};

}  // namespace memory
