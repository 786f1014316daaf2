// Validates items and renders them for prompts.
#include "memory/api/items/item_json.h"

#include <algorithm>

#include "lib/api/limits.h"
#include "lib/api/memory_api.h"
#include "lib/base/process/clock.h"
#include "lib/base/process/ttl.h"
#include "lib/base/text/inert.h"
#include "lib/base/text/text.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {

Error InvalidItem(std::string message) { return Error{Code::kInvalid, std::move(message)}; }

struct Limits {
  size_t bytes = 0, levels = 0;
};

Result<std::string> TextOf(const char* field, const Json& value, const Limits& most) {
  RETURN_IF_ERROR(base::CheckLevels(field, value, most.levels));
  std::string text = base::DumpJson(value);
  if (text.size() <= most.bytes) return text;
  return Error{Code::kTooLarge, std::string(field) + " has " + std::to_string(text.size()) +
                                    " bytes of JSON, the limit is " + std::to_string(most.bytes)};
}

// Of a PUT or a PATCH.
Result<ItemChange> DecodeFields(const Json& body, size_t levels) {
  ItemChange given;
  if (const auto value = body.find("value"); value != body.end()) {
    ASSIGN_OR_RETURN(given.value, TextOf("value", *value, {api::kMaxItemValue, levels}));
  }
  if (const auto metadata = body.find("metadata"); metadata != body.end() && !metadata->is_null()) {
    if (!metadata->is_object()) return InvalidItem("metadata must be an object");
    ASSIGN_OR_RETURN(given.metadata,
                     TextOf("metadata", *metadata, {api::kMaxItemMetadata, levels}));
  }
  if (const auto ttl = body.find("ttl"); ttl != body.end() && !ttl->is_null()) {
    ASSIGN_OR_RETURN(given.ttl_ns, base::DecodeTtl(*ttl));
  }
  return given;
}

Result<int64_t> ItemTime(const Json& json, const char* field) {
  ASSIGN_OR_RETURN(const std::string text, base::RequiredString(json, field));
  const Result<int64_t> time = base::ParseTime(text);
  if (!time) return InvalidItem(std::string(field) + " is not an RFC 3339 time");
  return *time;
}

}  // namespace

Result<Json> EncodeItem(const Cell& item) {
  ASSIGN_OR_RETURN(Json value, base::ParseJson(item.value));
  ASSIGN_OR_RETURN(Json metadata, base::ParseJson(item.metadata));
  return Json{{"key", item.key},
              {"value", std::move(value)},
              {"metadata", std::move(metadata)},
              {"created", base::FormatTime(item.created_ms)},
              {"accessed", base::FormatTime(item.accessed_ms)},
              {"ttl", item.ttl_ns},
              {"version", item.version}};
}

Status CheckItemKey(const std::string& key) {
  RETURN_IF_ERROR(api::RequiredText({{"key", key}}, "key", api::kMaxItemKey));
  // Keys that no path can name, or that are the path of another route.
  if (key == "." || key == ".." || key == "render")
    return InvalidItem("key must not be \".\", \"..\" or \"render\", it is \"" + key + "\"");
  return {};
}

Result<Cell> DecodeItem(const std::string& key, const Json& body, size_t levels) {
  RETURN_IF_ERROR(CheckItemKey(key));
  if (!body.contains("value")) return InvalidItem("value is required: any JSON");
  ASSIGN_OR_RETURN(ItemChange given, DecodeFields(body, levels));
  Cell item{"", key, *std::move(given.value)};
  item.metadata = given.metadata.value_or(item.metadata);
  item.ttl_ns = given.ttl_ns.value_or(kItemTtlNs);
  return item;
}

Result<ItemChange> DecodeItemChange(const Json& body) {
  ASSIGN_OR_RETURN(ItemChange change, DecodeFields(body, base::kMaxStoredLevels));
  if (change.value || change.metadata || change.ttl_ns) return change;
  return InvalidItem("give at least one of value, metadata, ttl");
}

Result<Json> EncodeExportedItem(const Cell& item) {
  ASSIGN_OR_RETURN(Json json, EncodeItem(item));
  json["project"] = item.owner;
  if (item.expires_ms) json["expires_at"] = base::FormatTime(*item.expires_ms);
  return json;
}

Result<Cell> DecodeExportedItem(const Json& json) {
  if (!json.is_object()) return InvalidItem("an item must be an object");
  ASSIGN_OR_RETURN(const std::string key, base::RequiredString(json, "key"));
  ASSIGN_OR_RETURN(Cell read, DecodeItem(key, json, base::kMaxImportedLevels));
  ASSIGN_OR_RETURN(read.owner, api::RequiredText(json, "project", api::kMaxProject));
  ASSIGN_OR_RETURN(read.created_ms, ItemTime(json, "created"));
  ASSIGN_OR_RETURN(read.accessed_ms, ItemTime(json, "accessed"));
  if (json.contains("expires_at")) {
    ASSIGN_OR_RETURN(read.expires_ms, ItemTime(json, "expires_at"));
  }
  ASSIGN_OR_RETURN(const std::optional<int64_t> version, base::OptionalInt(json, "version"));
  read.version = version.value_or(0);
  return read;
}

std::string RenderItems(std::span<const FoundItem> items) {
  std::string text = items.empty() ? "" : "Relevant past information:\n";
  for (const FoundItem& found : items) {
    const Json value = base::ParseJson(found.item.value).value_or(Json());
    const std::string shown = value.is_string() ? value.get<std::string>() : found.item.value;
    text += "- " + base::Inert(found.item.key) + ": " + base::Inert(shown) + "\n";
  }
  return text;
}

}  // namespace memory
