// The rows that a search may find: the seam between ranking (memory/ranking) and an engine. A verb
// finds rows or says what a rank depends on; which rows are the best it does not decide.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/base/result.h"
#include "memory/model/postings.h"
#include "memory/model/range_vectors.h"
#include "memory/model/scoring.h"
#include "memory/model/words.h"

namespace memory {

// Where a search looks, and for how long.
struct SearchBounds {
  std::vector<int64_t> ranges;  // of slots (model/slots.h); empty: all
  int64_t deadline_ms = 250;    // then what was found so far is the answer
  std::stop_token stop;         // the same when the client is gone
};

// The live rows of a range, and the words of their contents.
struct RangeCounts {
  int64_t range = 0;
  double rows = 0, words = 0;
};

// The vector of a query, and which vectors of rows it is compared with.
struct VectorQuery {
  std::span<const int8_t> values;
  int64_t model = 0;
  bool remote = false;  // of the remote model
};

struct LiveRow {
  std::string type;
  int64_t project = 0;  // that wrote it
  int64_t flags = 0;    // words.h, marks.h
};

// A row as a resident index takes it.
struct IndexedRow {
  Record facts;  // without hits
  std::string title, content, tags, grams;
  std::vector<int8_t> vector;  // of the asked model; empty: none
};

// Bound to one snapshot, which only Begin and End move. One thread. Errors: kUnavailable, kTimeout,
// kInternal, and those that a verb names.
class Candidates {
 public:
  virtual ~Candidates() = default;

  // The ranges, or all, that have a live row.
  virtual base::Result<std::vector<RangeCounts>> Count(std::span<const int64_t> ranges) = 0;
  // Whether a row has index terms of an earlier version.
  virtual base::Result<bool> AnyOldTerms() = 0;
  // Whether a row of these ranges, or of any, is not found by its words yet.
  virtual base::Result<bool> AnyWaits(const std::vector<int64_t>& ranges) = 0;
  // Appends the rows that hold any of the words, in any order. → whether the bounds cut the search.
  virtual base::Result<bool> FindWords(const Question& question, const SearchBounds& bounds,
                                       Matches& found) = 0;
  // The same by an expression in the engine's own syntax; kInvalid: malformed.
  virtual base::Result<bool> FindExpression(const std::string& expression,
                                            const SearchBounds& bounds, Matches& found) = 0;
  // The places and facts of these rows of `found`, which are in order of slots.
  virtual base::Result<std::vector<Record>> RecordsOf(const Matches& found,
                                                      const std::vector<Match>& rows) = 0;
  // Appends the rows of these ranges, or of all, within `reach` positions of `records`, which are
  // in order of places; without `records` themselves.
  virtual base::Status AppendNeighbours(const std::vector<int64_t>& ranges,
                                        const std::vector<Record>& records, int64_t reach,
                                        std::vector<Record>& neighbours) = 0;
  // Appends the rows of `bounds.ranges` with a vector of the query's model, in order of slots.
  // → whether the bounds cut the search.
  virtual base::Result<bool> AppendNear(const VectorQuery& query, const SearchBounds& bounds,
                                        std::vector<Similarity>& near) = 0;
  // The live rows of a range with topic keys from `first` to before `end`, until `visit` returns
  // false.
  using VisitTopic = std::function<base::Result<bool>(int64_t slot, std::string_view topic_key)>;
  virtual base::Status VisitTopics(int64_t range, const std::string& first, const std::string& end,
                                   const VisitTopic& visit) = 0;
  // Those of these rows that are live.
  virtual base::Result<std::unordered_map<int64_t, LiveRow>> FindLive(
      std::span<const int64_t> slots) = 0;

  // Of resident indexes. The version of the snapshot: each transaction that changes rows has a
  // higher one.
  virtual base::Result<int64_t> Version() = 0;
  virtual base::Status Begin() = 0;  // a snapshot of a connection without one
  virtual base::Status End() = 0;
  // The rows from `first` to `last` that are not hidden, in order of slots, with their vectors of a
  // model, until `visit` returns false.
  using VisitIndexed = std::function<bool(IndexedRow row)>;
  virtual base::Status VisitIndexedRows(int64_t first, int64_t last, int64_t model,
                                        const VisitIndexed& visit) = 0;
  // The words of a row, once each, and of a question as the index of the engine cuts them; nullopt:
  // only FindWords finds one of them.
  virtual std::vector<RangeIndex::Word> WordsOf(const IndexedRow& row) const = 0;
  virtual std::optional<std::vector<WordKeys>> KeysOf(const Question& question) const = 0;
};

// The rows of another kind with texts, in ranges as observations are. They have no neighbours.
class TextCandidates {
 public:
  virtual ~TextCandidates() = default;
  virtual base::Result<bool> AnyOldTerms() = 0;
  virtual base::Result<RangeCounts> Count(int64_t project) = 0;
  // As of Candidates; in `bounds.ranges`.
  virtual base::Result<bool> FindWords(const Question& question, const SearchBounds& bounds,
                                       Matches& found) = 0;
  // The facts of these rows, which are in order of slots, that are live.
  virtual base::Result<std::vector<Record>> RecordsOf(const Matches& found,
                                                      const std::vector<Match>& rows) = 0;
};

}  // namespace memory
