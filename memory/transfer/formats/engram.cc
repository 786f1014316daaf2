// engram: sessions, observations and prompts.
#include "memory/transfer/formats/converter.h"

namespace memory {

using base::Json;

namespace {

// Its export has no other field in every row of each array.
bool IsOfEngram(const std::string& array, const Json& element) {
  if (array == "sessions") return element.contains("directory");
  return array == "prompts" || (array == "observations" && element.contains("sync_id"));
}

ForeignRow RowOfEngram(const Json& row, bool prompt) {
  ForeignRow made{.fields = row};
  if (!row.is_object()) return made;
  for (const char* bookkeeping : {"id", "sync_id", "tool_name", "deleted_at"})
    made.fields.erase(bookkeeping);
  if (prompt) made.fields["type"] = "prompt";
  made.tool = base::StringAt(row, {"tool_name"});
  return made;
}

std::optional<ForeignRows> RowsOfEngram(const std::string& array, const Json& element) {
  if (array == "sessions") return ForeignRows{.sessions = {element}};
  if (array != "observations" && array != "prompts") return std::nullopt;
  const bool deleted = !base::StringAt(element, {"deleted_at"}).empty();
  if (deleted && array == "observations") return ForeignRows{.deleted = true};
  return ForeignRows{.rows = {RowOfEngram(element, array == "prompts")}};
}

}  // namespace

constinit const Converter kEngram{"engram", "engram", IsOfEngram, RowsOfEngram};

}  // namespace memory
