// The limit of bytes of one answer. Reads stop at the row that exceeds the limit, so that no
// further rows are loaded; the caller computes the same sum to mark the answer as partial. Pure.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "lib/api/memory_api.h"
#include "memory/store/reads.h"

namespace memory {

// An answer ends with the row that exceeds it: with that row, of at most 0.5 MiB, it has at most 8.
inline constexpr size_t kAnswerBytes = (size_t{8} << 20) - (size_t{1} << 19);

// The length of a text in JSON, where control characters take up to six bytes.
inline size_t JsonBytes(std::string_view text) {
  size_t bytes = text.size();
  for (char c : text) {
    if (c == '"' || c == '\\') bytes += 1;
    if (static_cast<unsigned char>(c) < 0x20) bytes += 5;
  }
  return bytes;
}

inline size_t AnswerBytes(const api::Observation& row) {
  size_t bytes = 700 + JsonBytes(row.title) + JsonBytes(row.content) + JsonBytes(row.session_id) +
                 JsonBytes(row.project) + JsonBytes(row.type) + JsonBytes(row.topic_key) +
                 JsonBytes(row.source.tool) + JsonBytes(row.source.rule) +
                 JsonBytes(row.source.tool_call_id);
  for (const std::string& tag : row.tags) bytes += 3 + JsonBytes(tag);
  return bytes;
}

inline size_t AnswerBytes(const api::Session& row) {
  return 300 + JsonBytes(row.id) + JsonBytes(row.project) + JsonBytes(row.summary) +
         JsonBytes(row.predecessor);
}

inline size_t AnswerBytes(const Revision& row) {
  size_t bytes = 300 + JsonBytes(row.type) + JsonBytes(row.title) + JsonBytes(row.content);
  for (const std::string& tag : row.tags) bytes += 3 + JsonBytes(tag);
  return bytes;
}

template <class Row>
size_t AnswerBytes(const std::vector<Row>& rows) {
  size_t bytes = 0;
  for (const Row& row : rows) bytes += AnswerBytes(row);
  return bytes;
}

// Keeps the rows up to the one that exceeds the limit.
template <class Row>
void KeepAnswer(std::vector<Row>& rows) {
  size_t bytes = 0, kept = 0;
  while (kept < rows.size() && bytes <= kAnswerBytes) bytes += AnswerBytes(rows[kept++]);
  rows.resize(kept);
}

}  // namespace memory
