// Rows of AgentOS that have no place here (documents, chunks, images, nodes and edges of its
// knowledge graph), kept as they came: as observations of type kKeptType, which no search, context
// or list has without that type, with the JSON as content, in parts where it is long. Pure.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "memory/store/trace.h"

namespace memory {

inline constexpr const char* kKeptType = "agentos";
inline constexpr const char* kKeptArrays[] = {"documents", "chunks", "images", "nodes", "edges"};

// The observations of an element of `array`.
std::vector<base::Json> KeptRows(const std::string& array, const base::Json& element,
                                 const std::string& project);

// The elements of one array again, of its observations in the order of their import.
class KeptElements {
 public:
  explicit KeptElements(std::string array) : array_(std::move(array)) {}
  // "": the observation is none; else the array of its element.
  static std::string ArrayOf(const std::string& type, const std::vector<std::string>& tags);
  // Calls `on_element` when all parts of one are there, unchanged. Memory: of an element at a time.
  base::Status Take(const std::string& title, const std::string& content,
                    const std::function<base::Status(const base::Json&)>& on_element);

 private:
  const std::string array_;
  std::string open_, text_;  // the element that has come in part, its text so far
  size_t parts_ = 0;
};

}  // namespace memory
