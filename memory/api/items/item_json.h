// Items as JSON and back, and the text of items for a prompt. Pure. Every error names the field,
// its limit and the value.
#pragma once

#include <span>
#include <string>

#include "lib/base/json/json.h"
#include "memory/store/items.h"

namespace memory {

// {"key", "value", "metadata", "created", "accessed", "ttl", "version"}; ttl in nanoseconds.
base::Json EncodeItem(const Item& item);
base::Status CheckItemKey(const std::string& key);
// Of a PUT: value, metadata and ttl. kTooLarge: of value or metadata.
base::Result<Item> DecodeItem(const std::string& key, const base::Json& body);
// Of a PATCH: at least one of value, metadata, ttl.
base::Result<ItemChange> DecodeItemChange(const base::Json& body);
// Of an export: an item with all its fields and its project.
base::Json EncodeExportedItem(const ExportedItem& item);
base::Result<ExportedItem> DecodeExportedItem(const base::Json& json);

// "Relevant past information:" and a line "- key: value" for each, which can neither close nor
// imitate the markup around it; no items: "".
std::string RenderItems(std::span<const FoundItem> items);

}  // namespace memory
