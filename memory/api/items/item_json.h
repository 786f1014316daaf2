// Items as JSON and back, and the text of items for a prompt. Pure. Every error names the field,
// its limit and the value.
#pragma once

#include <span>
#include <string>

#include "lib/base/json/stored.h"
#include "memory/keeping/items.h"

namespace memory {

// {"key", "value", "metadata", "created", "accessed", "ttl", "version"}; ttl in nanoseconds.
base::Result<base::Json> EncodeItem(const Cell& item);
base::Status CheckItemKey(const std::string& key);
// Of a PUT: value, metadata and ttl. kTooLarge: of value or metadata. `levels`: those that each of
// them may nest.
base::Result<Cell> DecodeItem(const std::string& key, const base::Json& body,
                              size_t levels = base::kMaxStoredLevels);
// Of a PATCH: at least one of value, metadata, ttl.
base::Result<ItemChange> DecodeItemChange(const base::Json& body);
// Of an export: an item with all its fields and its project.
base::Result<base::Json> EncodeExportedItem(const Cell& item);
base::Result<Cell> DecodeExportedItem(const base::Json& json);

// "Relevant past information:" and a line "- key: value" for each, which can neither close nor
// imitate the markup around it; no items: "".
std::string RenderItems(std::span<const FoundItem> items);

}  // namespace memory
