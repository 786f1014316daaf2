// Rows of an AgentOS brain, from its SQLite file or its JSON, under the names of our agentos-json,
// and rows that have no place here. Pure. A field of the wrong type stays as it is: the validation
// that every row passes names the error.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/base/json/json.h"

namespace memory {

// snake_case names become camelCase, tags, emotions and metadata that are JSON as text become JSON,
// the scopes session and global become thread and organization, a scope id in the metadata is the
// trace's.
base::Json TraceOfAgentOs(base::Json row);
bool IsDeletedThere(const base::Json& trace);
// source_id, target_id and type become from, to and kind.
base::Json EdgeOfAgentOs(base::Json row);
base::Json ConversationOfAgentOs(base::Json row);  // its title goes into the metadata
// Keeps its lack of a number, and loses the fields that our messages do not keep.
base::Json MessageOfAgentOs(base::Json row);

// Elements of documents, chunks, images, nodes and edges of its knowledge graph are kept as they
// came: as observations of this type, which no search, context or list returns without that type,
// with the JSON as content, in parts where it is long.
inline constexpr const char* kKeptType = "agentos";
inline constexpr const char* kKeptArrays[] = {"documents", "chunks", "images", "nodes", "edges"};

// The observations of an element of `array`.
std::vector<base::Json> KeptRows(const std::string& array, const base::Json& element,
                                 const std::string& project);

// The elements of one array, from their observations in the order of their import.
class KeptElements {
 public:
  explicit KeptElements(std::string array) : array_(std::move(array)) {}
  // The array whose element the observation has; "": none.
  static std::string ArrayOf(const std::string& type, const std::vector<std::string>& tags);
  // Calls `on_element` when all parts of one are there, unchanged. Holds one element at a time.
  base::Status Take(const std::string& title, const std::string& content,
                    const std::function<base::Status(const base::Json&)>& on_element);

 private:
  const std::string array_;
  std::string open_, text_;  // the element that has come in part, its text so far
  size_t parts_ = 0;
};

}  // namespace memory
