// The arithmetic of the ranker: BM25 with the project's own statistics, lent to session neighbours.
// Pure. Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond"
// (2009), with constants and the window measured on long conversations (docs/adr: the ranker).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace memory {

// How often a question's word stands in a record.
struct WordHit {
  uint32_t word = 0;     // index in the question
  uint32_t content = 0;  // occurrences in the content
  bool title = false, tag = false;
};

struct Record {
  int64_t slot = 0;
  int64_t session = 0, position = 0;  // place: neighbours are within three positions
  int64_t words = 0;                  // length of the content
  int64_t flags = 0;                  // words.h
  int64_t created_ms = 0;
  std::span<const WordHit> hits;  // the caller's; empty: a neighbour that holds no word itself
};

// A row lends to rows of its session within so many positions, and borrows from them.
inline constexpr int64_t kNeighbourReach = 3;

// What a row lends to another one of its session: half, unless both were written in one dialogue.
double GapFactor(const Record& a, const Record& b);

// By place: (session, position).
bool IsBefore(const Record& a, const Record& b);

struct Statistics {
  double rows = 0;                // of the searched ranges
  double average_words = 1;       // a content's mean length there
  std::vector<double> rows_with;  // per word of the question
  std::vector<double> weights;    // of the words; those beyond: 1
};

struct Scored {
  int64_t slot = 0;
  double score = 0;    // > 0
  double own = 0;      // of the words in the record itself
  double covered = 0;  // the share of the question that the window holds: 0 … 1
};

// Of records in order of places, in that order; records with nothing to score are left out.
std::vector<Scored> Score(std::span<const Record> records, const Statistics& statistics,
                          bool asks_when);
// The order of results: best first, ties by slot (the newer first).
bool RanksBefore(const Scored& a, const Scored& b);

// Of each word, times its weight: 1 + ln(1 + (N - df + .5) / (df + .5)): never 0, so that every
// word counts.
std::vector<double> InverseFrequencies(const Statistics& statistics);
// Of a word in the record that holds it, whose content is so many times the mean length.
double OwnStrength(const WordHit& hit, double length);

}  // namespace memory
