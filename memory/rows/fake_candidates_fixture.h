// Test code: the rows that a search may find, in memory. A text is cut at blanks, and words are
// equal or not: no stems, no scripts without blanks.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/text/text.h"
#include "memory/model/slots.h"
#include "memory/rows/candidates.h"

namespace memory {

class FakeCandidates final : public Candidates {
 public:
  struct Row {
    IndexedRow row;
    LiveRow live;
    std::string topic_key;
  };
  void Put(Row row) { rows_[row.row.facts.slot] = std::move(row), ++version_; }
  void Remove(int64_t slot) { rows_.erase(slot), ++version_; }
  void SetWaiting(bool waits) { waits_ = waits; }

  base::Result<std::vector<RangeCounts>> Count(std::span<const int64_t> ranges) override {
    std::map<int64_t, RangeCounts> counts;
    for (const auto& [slot, row] : rows_) {
      const int64_t range = slot >> kRangeBits;
      if (!ranges.empty() && std::find(ranges.begin(), ranges.end(), range) == ranges.end())
        continue;
      RangeCounts& count = counts[range];
      count.range = range, ++count.rows;
      count.words += static_cast<double>(row.row.facts.words);
    }
    std::vector<RangeCounts> found;
    for (const auto& [range, count] : counts) found.push_back(count);
    return found;
  }
  base::Result<bool> AnyOldTerms() override { return false; }
  base::Result<bool> AnyWaits(const std::vector<int64_t>&) override { return waits_; }
  base::Result<bool> FindWords(const Question& question, const SearchBounds& bounds,
                               Matches& found) override {
    for (const auto& [slot, row] : rows_) {
      if (!IsInside(slot, bounds.ranges)) continue;
      Match match{slot, found.words.size(), 0};
      for (uint32_t word = 0; word < question.words.size(); ++word) {
        WordHit hit{word, 0, false, false};
        for (const std::string& form : question.words[word].forms) {
          hit.content += CountOf(form, row.row.content + " " + row.row.grams);
          hit.title |= CountOf(form, row.row.title) > 0;
          hit.tag |= CountOf(form, row.row.tags) > 0;
        }
        if (hit.content || hit.title || hit.tag) found.words.push_back(hit);
      }
      match.count = found.words.size() - match.first;
      if (match.count > 0) found.rows.push_back(match);
    }
    return false;
  }
  base::Result<bool> FindExpression(const std::string&, const SearchBounds&, Matches&) override {
    return base::Error{base::Code::kInvalid, "this engine has no expressions"};
  }
  base::Result<std::vector<Record>> RecordsOf(const Matches& found,
                                              const std::vector<Match>& rows) override {
    std::vector<Record> records;
    for (const Match& match : rows) {
      records.push_back(rows_.at(match.slot).row.facts);
      records.back().hits = HitsOf(found, match);
    }
    return records;
  }
  base::Status AppendNeighbours(const std::vector<int64_t>& ranges,
                                const std::vector<Record>& records, int64_t reach,
                                std::vector<Record>& neighbours) override {
    for (const auto& [slot, row] : rows_) {
      const Record& facts = row.row.facts;
      const auto is_it = [&](const Record& record) { return record.slot == facts.slot; };
      const auto is_near = [&](const Record& record) {
        return record.session == facts.session &&
               std::abs(record.position - facts.position) <= reach;
      };
      if (IsInside(slot, ranges) && std::none_of(records.begin(), records.end(), is_it) &&
          std::any_of(records.begin(), records.end(), is_near))
        neighbours.push_back(facts);
    }
    return {};
  }
  base::Result<bool> AppendNear(const VectorQuery& query, const SearchBounds& bounds,
                                std::vector<Similarity>& near) override {
    std::map<int64_t, std::vector<RangeVectors::NewRow>> of_ranges;
    for (const auto& [slot, row] : rows_) {
      if (!row.row.vector.empty() && IsInside(slot, bounds.ranges))
        of_ranges[slot >> kRangeBits].push_back(
            {slot, row.row.facts.session, row.row.facts.position, row.row.vector});
    }
    for (const auto& [range, rows] : of_ranges) {
      RangeVectors vectors(range, query.values.size());
      vectors.Put(rows);
      vectors.AppendSimilarities(query.values, near);
    }
    return false;
  }
  base::Status VisitTopics(int64_t range, const std::string& first, const std::string& end,
                           const VisitTopic& visit) override {
    std::map<std::pair<std::string, int64_t>, bool> topics;
    for (const auto& [slot, row] : rows_) {
      if (slot >> kRangeBits == range && row.topic_key >= first && row.topic_key < end)
        topics[{row.topic_key, slot}] = true;
    }
    for (const auto& [topic, there] : topics) {
      ASSIGN_OR_RETURN(const bool more, visit(topic.second, topic.first));
      if (!more) break;
    }
    return {};
  }
  base::Result<std::unordered_map<int64_t, LiveRow>> FindLive(
      std::span<const int64_t> slots) override {
    std::unordered_map<int64_t, LiveRow> live;
    for (const int64_t slot : slots)
      if (const auto at = rows_.find(slot); at != rows_.end()) live[slot] = at->second.live;
    return live;
  }

  base::Result<int64_t> Version() override { return version_; }
  base::Status Begin() override { return {}; }
  base::Status End() override { return {}; }
  base::Status VisitIndexedRows(int64_t first, int64_t last, int64_t,
                                const VisitIndexed& visit) override {
    for (auto at = rows_.lower_bound(first); at != rows_.end() && at->first <= last; ++at)
      if (!visit(at->second.row)) break;
    return {};
  }
  std::vector<RangeIndex::Word> WordsOf(const IndexedRow& row) const override {
    std::map<WordKey, WordHit> words;
    for (const std::string& word : WordsIn(row.content + " " + row.grams))
      ++words[KeyOf(word)].content;
    for (const std::string& word : WordsIn(row.title)) words[KeyOf(word)].title = true;
    for (const std::string& word : WordsIn(row.tags)) words[KeyOf(word)].tag = true;
    std::vector<RangeIndex::Word> found;
    for (const auto& [key, hit] : words) found.push_back({key, hit});
    return found;
  }
  std::optional<std::vector<WordKeys>> KeysOf(const Question& question) const override {
    std::vector<WordKeys> words;
    for (const QuestionWord& word : question.words) {
      WordKeys& keys = words.emplace_back();
      for (const std::string& form : word.forms) keys.push_back(KeyOf(form));
    }
    return words;
  }

 private:
  static bool IsInside(int64_t slot, const std::vector<int64_t>& ranges) {
    return ranges.empty() ||
           std::find(ranges.begin(), ranges.end(), slot >> kRangeBits) != ranges.end();
  }
  static WordKey KeyOf(const std::string& word) { return std::hash<std::string>()(word); }
  static std::vector<std::string> WordsIn(const std::string& text) {
    std::vector<std::string> words;
    std::istringstream in(base::FoldCase(text));
    for (std::string word; in >> word;) words.push_back(word);
    return words;
  }
  static uint32_t CountOf(const std::string& word, const std::string& text) {
    const std::vector<std::string> words = WordsIn(text);
    return static_cast<uint32_t>(std::count(words.begin(), words.end(), word));
  }

  std::map<int64_t, Row> rows_;  // by slot
  int64_t version_ = 0;
  bool waits_ = false;
};

}  // namespace memory
