// Snapshots of the shared database, and words without an index of the engine.
#include "memory/engines/postgres/postgres_candidates.h"

#include <utility>

#include "lib/base/check.h"
#include "memory/model/slots.h"
#include "memory/sqlite/items/item_rows.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sql::Statement;

namespace {

constexpr int64_t kBeginMs = 2000;  // of a snapshot
constexpr int kMostTries = 4;       // of a snapshot that others overtake

}  // namespace

TextIndex& PostgresCandidates::texts() const {
  if (texts_) return *texts_;
  Result<std::unique_ptr<TextIndex>> taken = tenant_->texts().Take();
  CHECK(taken);  // fails without memory only
  texts_ = std::move(*taken);
  return *texts_;
}

Status PostgresCandidates::Begin() {
  ASSIGN_OR_RETURN(lease_, tenant_->Checkout(tenant_->Reading()));
  const sql::TimeLimit limit(database(), kBeginMs, {});
  Status begun = BeginAhead();
  if (!begun) (void)End();
  return begun;
}

// A snapshot that no index in memory is ahead of.
Status PostgresCandidates::BeginAhead() {
  for (int tries = 0; tries < kMostTries; ++tries) {
    RETURN_IF_ERROR(database().BeginReading());
    ASSIGN_OR_RETURN(const std::optional<int64_t> version, tenant_->Follow(database()));
    if (version) {
      version_ = *version;
      return {};
    }
    RETURN_IF_ERROR(database().EndReading());
    lease_->Use(tenant_->Reading());
  }
  return Error{Code::kUnavailable, "the indexes in memory are ahead of each snapshot"};
}

Status PostgresCandidates::Renew() {
  RETURN_IF_ERROR(database().EndReading());
  lease_->Use(tenant_->Reading());
  return BeginAhead();
}

Status PostgresCandidates::End() {
  tenant_->texts().GiveBack(std::move(texts_));
  if (!lease_) return {};
  const Status ended = database().EndReading();
  lease_.reset();
  return ended;
}

Result<std::vector<RangeCounts>> PostgresCandidates::Count(std::span<const int64_t> ranges) {
  if (lease_) return SqlCandidates::Count(ranges);
  RETURN_IF_ERROR(Begin());
  Result<std::vector<RangeCounts>> counts = SqlCandidates::Count(ranges);
  RETURN_IF_ERROR(End());
  return counts;
}

Result<bool> PostgresCandidates::Read(const SearchBounds& bounds) {
  // A statement that the deadline ends leaves the snapshot usable.
  ASSIGN_OR_RETURN(const sql::Transaction savepoint, sql::Transaction::Begin(database()));
  const sql::TimeLimit limit(database(), bounds.deadline_ms, bounds.stop);
  std::vector<int64_t> ranges = bounds.ranges;
  if (ranges.empty()) {
    ASSIGN_OR_RETURN(const std::vector<RangeCounts> all, Count({}));
    for (const RangeCounts& one : all) ranges.push_back(one.range);
  }
  Status added;
  const auto add = [&](const IndexedRow& row) {
    added = texts().Add(row.facts.slot, row.title, row.content, row.tags, row.grams);
    return added.has_value();
  };
  for (const int64_t range : ranges) {
    const Status read =
        VisitIndexedRows(range << kRangeBits, ((range + 1) << kRangeBits) - 1, 0, add);
    RETURN_IF_ERROR(added);
    if (!read && read.error().code == Code::kTimeout) return true;
    RETURN_IF_ERROR(read);
  }
  return false;
}

Result<bool> PostgresCandidates::FindWords(const Question& question, const SearchBounds& bounds,
                                           Matches& found) {
  ASSIGN_OR_RETURN(const bool read, Read(bounds));
  ASSIGN_OR_RETURN(const bool cut, texts().Find(AnyWordOf(question), bounds, found));
  return read || cut;
}

Result<bool> PostgresCandidates::FindExpression(const std::string& expression,
                                                const SearchBounds& bounds, Matches& found) {
  ASSIGN_OR_RETURN(const bool read, Read(bounds));
  const Result<bool> cut = texts().Find({expression, {}}, bounds, found);
  if (!cut && cut.error().code == Code::kInvalid)
    return Error{Code::kInvalid, "q is not a valid FTS5 expression: " + cut.error().message};
  if (!cut) return cut.error();
  return read || *cut;
}

std::vector<RangeIndex::Word> PostgresCandidates::WordsOf(const IndexedRow& row) const {
  return texts().tokens().OfRow(row.title, row.content, row.tags, row.grams);
}

std::optional<std::vector<WordKeys>> PostgresCandidates::KeysOf(const Question& question) const {
  return texts().tokens().OfQuestion(question);
}

class PostgresCandidates::ItemTexts final : public SqlItemTexts {
 public:
  ItemTexts(PostgresCandidates& candidates, int64_t now_ms)
      : SqlItemTexts(candidates.database(), now_ms), candidates_(candidates) {}
  Result<bool> AnyOldTerms() override { return false; }
  Result<bool> FindWords(const Question& question, const SearchBounds& bounds,
                         Matches& found) override {
    const sql::TimeLimit limit(candidates_.database(), bounds.deadline_ms, bounds.stop);
    TextIndex& texts = candidates_.texts();
    bool late = false;
    for (const int64_t project : bounds.ranges) {
      const Status read = VisitItemTexts(
          candidates_.database(), project, [&](const ItemText& item) -> Result<bool> {
            RETURN_IF_ERROR(texts.Add(item.slot, item.key, item.content, item.tags, item.grams));
            return true;
          });
      if (!read && read.error().code != Code::kTimeout) return read.error();
      late = late || !read;
    }
    ASSIGN_OR_RETURN(const bool cut, texts.Find(AnyWordOf(question), bounds, found));
    return late || cut;
  }

 private:
  PostgresCandidates& candidates_;
};

std::unique_ptr<TextCandidates> PostgresCandidates::Items(int64_t now_ms) {
  return std::make_unique<ItemTexts>(*this, now_ms);
}

}  // namespace memory
