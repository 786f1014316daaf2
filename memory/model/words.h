// The search terms of a query, and the facts about a record for its ranking. Pure. terms.h cuts
// both; the full-text index tokenizes terms with FTS5's unicode61 and porter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memory {

// Flags of a record's content, kept beside it (the column marks).
inline constexpr int64_t kFlagQuestion = 1;  // ends in a question mark
inline constexpr int64_t kFlagTime = 2;      // names a time: a day, a month, a year, "yesterday"
inline constexpr int64_t kFlagAsks = 4;      // has a question mark
inline constexpr int64_t kFlagNumber = 8;    // has a number: 7, "two"

// A word of a query with all its forms, which count as one: "go" finds "went".
struct QuestionWord {
  std::vector<std::string> forms;
  double weight = 1;  // less: a part of a word that counts as a whole
};

struct Question {
  std::vector<QuestionWord> words;
  bool asks_when = false;      // "when …", "how long …", "what date …"
  bool asks_how_many = false;  // "how many …", "how old …"
};

// Whether rows of the file are not cut by terms.h yet.
enum class Rows { kCut, kSomeUncut };
// The words of a text; function words dropped unless nothing else is left; repeated words once;
// runs of scripts without blanks as overlapping pairs; at most `max_words`. Of an identifier only
// the whole, so that an unknown one finds nothing.
inline constexpr size_t kMostWords = 32;
Question ReadQuestion(std::string_view text, size_t max_words = kMostWords, Rows rows = Rows::kCut);
std::vector<double> WeightsOf(const Question& question);

// The FTS5 expression that finds rows with any of the words: every form quoted, so that nothing in
// it is an operator. Empty when there is no word. Phrase i of the expression belongs to word
// `owner[i]`.
struct MatchText {
  std::string expression;
  std::vector<size_t> owner;
};
MatchText AnyWordOf(const Question& question);

// The stored facts about a record's text.
struct TextFacts {
  int64_t words = 0, flags = 0;  // of the content
  std::string grams;             // AddedTerms of both
  int64_t model = 0;             // that made `vector`
  std::vector<int8_t> vector;    // of both, by lib/embedding; empty: none is known
};
// All but the vector.
TextFacts FactsOf(std::string_view title, std::string_view content);
int64_t CountWords(std::string_view text);
int64_t FlagsOf(std::string_view content);
// AddedTerms of a row with these tags, which are a JSON list.
std::string WithTags(const std::string& grams, std::string_view tags);
// Its former function for rows that are not cut yet: single characters and overlapping pairs of the
// CJK runs of a text, separated by blanks; else "".
std::string FormerGrams(std::string_view text);

}  // namespace memory
