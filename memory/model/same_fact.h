// Whether two memories say one fact in different words. Pure. Words decide, not vectors: "staging"
// and "production" are near in meaning and two facts. One memory must have all words of the other
// but those that say little, in much the same order, with the same numbers, names, signs (<, %, ++)
// and negations, and not half of one clause with half of another. English and German; what is not
// recognized counts as another fact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memory {

enum class Saying {
  kOther,     // another fact, or a text that is too long or too short to be compared
  kWithin,    // the later memory says nothing that the earlier one does not say
  kReworded,  // it has few words more, no new number, no new identifier and no new reason
  kMore,      // it says that and more
};

// A memory, read for comparison: some hundred bytes each.
class SaidFact {
 public:
  static constexpr size_t kMostBytes = 2'000, kMostWords = 64;  // of title and content
  static constexpr size_t kMostInOrder = 2 * kMostWords;        // words that repeat, too
  SaidFact(std::string_view title, std::string_view content);

 private:
  friend Saying CompareSaid(const SaidFact& earlier, const SaidFact& later);
  friend class SaidReader;
  struct Word {
    std::string stem;
    bool telling = false;   // a number, an identifier, a weekday, a month
    bool weighs = false;    // a memory with it says more: a word after "because", "only"
    bool carries = false;   // a verb such as "use", which the other memory need not have
    uint8_t polarity = 0;   // bits: affirmed 1, negated 2; 0: of such a verb
    uint8_t direction = 0;  // bits: after "from" 1, after "to" 2
    uint64_t parts = 0;     // bits: the parts of the text that have it; the last bit: all further
  };
  const Word* Find(std::string_view stem) const;
  bool IsWithin(const SaidFact& larger) const;
  bool MixesPartsOf(const SaidFact& larger) const;
  using Order = std::vector<std::string>;
  std::vector<Word> words_;   // each stem once, in the order of their last occurrence
  Order order_;               // the stems that the title adds, then all of the content
  std::string signs_;         // of the content, in order: "< ++ "
  uint8_t tenses_ = 0;        // bits: past 1, present 2; not of reasons
  bool conditional_ = false;  // says when something holds
  bool comparable_ = false;
};

// Time: linear in the number of words, times 64.
Saying CompareSaid(const SaidFact& earlier, const SaidFact& later);

}  // namespace memory
