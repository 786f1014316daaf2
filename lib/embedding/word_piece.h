// Cuts texts into the pieces of a vocabulary. Pure. Source: the uncased tokenizer of BERT (Devlin
// et al., 2019): the longest piece at the begin of a word, then the longest continuation ("##ing").
// testdata/ has results of its Python program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace embedding {

// Any thread. The vocabulary's text must outlive the object.
class WordPiece {
 public:
  // `vocabulary`: one piece per line; a piece's number is that of its line, from 0.
  explicit WordPiece(std::string_view vocabulary);
  // The pieces of the text's first kMostBytes, in order. A word with an unknown part has no piece;
  // skips bytes that are no UTF-8. Linear in the text.
  std::vector<uint32_t> Cut(std::string_view text) const;
  size_t size() const { return size_; }

  static constexpr size_t kMostBytes = 8192;

 private:
  struct Word {
    std::string text;
    size_t characters = 0;
  };
  void CutWord(Word& word, std::vector<uint32_t>& pieces) const;     // clears `word`
  std::unordered_map<std::string_view, uint32_t> begins_, goes_on_;  // without ##
  size_t size_ = 0, longest_ = 0;                                    // bytes
};

}  // namespace embedding
