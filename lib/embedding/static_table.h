// A file with a table of token vectors: the vector of a text is the sum of the rows of its pieces.
// Processes share the mapped file.
//
// The file, numbers little-endian: "amtable1"; 32 bytes, the SHA-256 of all that follows; uint32
// tokens, dimensions, vocabulary bytes; the vocabulary, one piece a line; tokens × dimensions int8
// values. scripts/embeddings/train.py writes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/embedding/word_piece.h"

namespace embedding {

// Any thread.
class StaticTable {
 public:
  // kNotFound: no such file; kInvalid: another format, or damaged. Reads the whole file once, for
  // its checksum. The file must not shrink while it is open.
  static base::Result<std::unique_ptr<StaticTable>> Open(const std::string& path);
  ~StaticTable();
  StaticTable(const StaticTable&) = delete;
  StaticTable& operator=(const StaticTable&) = delete;

  // The sum of the rows of the text's pieces, scaled to a largest value of ±127; empty: the text
  // has no piece, or its rows cancel each other out.
  std::vector<int8_t> Embed(std::string_view text) const;
  // The pieces of a text, in order.
  std::vector<uint32_t> Cut(std::string_view text) const { return pieces_.Cut(text); }
  // Of a piece below size().
  std::span<const int8_t> RowOf(uint32_t piece) const {
    return {rows_ + piece * dimensions_, dimensions_};
  }
  size_t size() const { return pieces_.size(); }
  std::string_view vocabulary() const { return vocabulary_; }  // one piece a line
  int64_t model() const { return model_; }  // > 0, from the checksum: differs between tables
  size_t dimensions() const { return dimensions_; }

 private:
  struct Head;
  StaticTable(std::string_view file, const Head& head);
  static std::string Check(std::string_view bytes, Head& head);  // returns the fault; empty: none
  std::string_view file_;                                        // mapped
  std::string_view vocabulary_;                                  // in it
  int64_t model_ = 0;
  size_t dimensions_;
  WordPiece pieces_;
  const int8_t* rows_;
};

}  // namespace embedding
