// Validates items and renders them for prompts.
#include "memory/api/items/item_json.h"

#include <algorithm>

#include "lib/api/memory_api.h"
#include "lib/base/process/clock.h"
#include "lib/base/process/ttl.h"
#include "lib/base/text/inert.h"
#include "lib/base/text/text.h"
#include "memory/api/preconditions.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {

Error InvalidItem(std::string message) { return Error{Code::kInvalid, std::move(message)}; }

Status CheckBytes(const char* field, const Json& value, size_t most) {
  const size_t bytes = base::DumpJson(value).size();
  if (bytes <= most) return {};
  return Error{Code::kTooLarge, std::string(field) + " has " + std::to_string(bytes) +
                                    " bytes of JSON, the limit is " + std::to_string(most)};
}

Result<Json> DecodeMetadata(const Json& metadata) {
  if (!metadata.is_object()) return InvalidItem("metadata must be an object");
  RETURN_IF_ERROR(CheckBytes("metadata", metadata, kMaxItemMetadata));
  return metadata;
}

Result<int64_t> ItemTime(const Json& json, const char* field) {
  ASSIGN_OR_RETURN(const std::string text, base::RequiredString(json, field));
  const Result<int64_t> time = base::ParseTime(text);
  if (!time) return InvalidItem(std::string(field) + " is not an RFC 3339 time");
  return *time;
}

}  // namespace

Json EncodeItem(const Item& item) {
  return {{"key", item.key},
          {"value", item.value},
          {"metadata", item.metadata},
          {"created", base::FormatTime(item.created_ms)},
          {"accessed", base::FormatTime(item.accessed_ms)},
          {"ttl", item.ttl_ns},
          {"version", item.version}};
}

Status CheckItemKey(const std::string& key) {
  RETURN_IF_ERROR(api::RequiredText({{"key", key}}, "key", kMaxItemKey));
  // Keys that no path can name, or that are the path of another route.
  if (key == "." || key == ".." || key == "render")
    return InvalidItem("key must not be \".\", \"..\" or \"render\", it is \"" + key + "\"");
  return {};
}

Result<Item> DecodeItem(const std::string& key, const Json& body) {
  RETURN_IF_ERROR(CheckItemKey(key));
  const auto value = body.find("value");
  if (value == body.end()) return InvalidItem("value is required: any JSON");
  Item item;
  item.key = key;
  RETURN_IF_ERROR(CheckBytes("value", *value, kMaxItemValue));
  item.value = *value;
  if (const auto given = body.find("metadata"); given != body.end() && !given->is_null()) {
    ASSIGN_OR_RETURN(item.metadata, DecodeMetadata(*given));
  }
  if (const auto given = body.find("ttl"); given != body.end() && !given->is_null()) {
    ASSIGN_OR_RETURN(item.ttl_ns, base::DecodeTtl(*given));
  }
  return item;
}

Result<ItemChange> DecodeItemChange(const Json& body) {
  ItemChange change;
  if (const auto value = body.find("value"); value != body.end()) {
    RETURN_IF_ERROR(CheckBytes("value", *value, kMaxItemValue));
    change.value = *value;
  }
  if (const auto given = body.find("metadata"); given != body.end() && !given->is_null()) {
    ASSIGN_OR_RETURN(change.metadata, DecodeMetadata(*given));
  }
  if (const auto given = body.find("ttl"); given != body.end() && !given->is_null()) {
    ASSIGN_OR_RETURN(change.ttl_ns, base::DecodeTtl(*given));
  }
  if (change.value || change.metadata || change.ttl_ns) return change;
  return InvalidItem("give at least one of value, metadata, ttl");
}

Json EncodeExportedItem(const ExportedItem& item) {
  Json json = EncodeItem(item.item);
  json["project"] = item.project;
  return json;
}

Result<ExportedItem> DecodeExportedItem(const Json& json) {
  if (!json.is_object()) return InvalidItem("an item must be an object");
  ExportedItem read;
  ASSIGN_OR_RETURN(const std::string key, base::RequiredString(json, "key"));
  ASSIGN_OR_RETURN(read.item, DecodeItem(key, json));
  ASSIGN_OR_RETURN(read.project, api::RequiredText(json, "project", api::kMaxProject));
  ASSIGN_OR_RETURN(read.item.created_ms, ItemTime(json, "created"));
  ASSIGN_OR_RETURN(read.item.accessed_ms, ItemTime(json, "accessed"));
  ASSIGN_OR_RETURN(const std::optional<int64_t> version, base::OptionalInt(json, "version"));
  read.item.version = version.value_or(0);
  return read;
}

std::string RenderItems(std::span<const FoundItem> items) {
  std::string text = items.empty() ? "" : "Relevant past information:\n";
  for (const FoundItem& found : items) {
    const Json& value = found.item.value;
    const std::string shown = value.is_string() ? value.get<std::string>() : base::DumpJson(value);
    text += "- " + base::Inert(found.item.key) + ": " + base::Inert(shown) + "\n";
  }
  return text;
}

}  // namespace memory
