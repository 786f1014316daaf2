// Cuts texts into the pieces of a vocabulary. Pure. Source: the uncased tokenizer of BERT (Devlin
// et al., 2019): the longest piece at the begin of a word, then the longest continuation ("##ing").
// testdata/ has results of its Python program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace embedding {

// Any thread. The vocabulary's text must outlive the object.
class WordPiece {
 public:
  // `vocabulary`: one piece per line; a piece's number is that of its line, from 0. Only the first
  // two million are known.
  explicit WordPiece(std::string_view vocabulary);
  // The pieces of the text's first kMostBytes, in order. A word with an unknown part has no piece;
  // skips bytes that are no UTF-8. Linear in the text.
  std::vector<uint32_t> Cut(std::string_view text) const;
  size_t size() const { return lines_.size() - 1; }

  static constexpr size_t kMostBytes = 8192;

 private:
  struct Word {
    std::string text;
    size_t characters = 0;
  };
  void CutWord(Word& word, std::vector<uint32_t>& pieces) const;  // clears `word`
  std::string_view PieceAt(uint32_t number) const;
  // The place in slots_ of a piece, without its ##, with this hash; an empty one if it is unknown.
  size_t SlotOf(std::string_view piece, bool goes_on, uint64_t hash) const;

  std::string_view vocabulary_;
  std::vector<uint32_t> lines_;  // where each piece begins; one more at the end
  // A hash table with linear probing; 0: empty. Twelve bytes a piece, where a map of the library
  // takes four times as many of an idle server.
  std::vector<uint32_t> slots_;
  // A bit of each piece's hash. It tells most texts that are no piece from a tenth of the memory:
  // a rare word asks for a dozen of them.
  std::vector<uint64_t> bits_;
  size_t BitOf(uint64_t hash) const { return (hash >> 24) & (64 * bits_.size() - 1); }
  bool MayBePiece(uint64_t hash) const {
    const size_t bit = BitOf(hash);
    return (bits_[bit / 64] >> (bit % 64) & 1) != 0;
  }
  size_t longest_ = 0;  // bytes
};

}  // namespace embedding
