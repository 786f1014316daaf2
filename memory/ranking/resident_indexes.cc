// How resident indexes follow the engine: each transaction that changes rows increments a version
// and publishes the rows before its commit; a reader applies the changes up to the version of its
// snapshot and reads the texts from that snapshot. So repeated or rolled back changes are harmless,
// and none is missed.
#include "memory/ranking/resident_indexes.h"

#include <algorithm>
#include <tuple>

#include "lib/base/process/log.h"
#include "memory/model/embedded_text.h"
#include "memory/model/slots.h"
#include "memory/model/soft_match.h"

namespace memory {

using base::Result;
using base::Status;

namespace {

constexpr size_t kCatchUp = 64;        // rows that a query applies itself: about 2 ms
constexpr size_t kRefresh = 1024;      // pending changes of a range without queries
constexpr size_t kForget = 64 * 1024;  // pending changes after which an index is dropped
// Per snapshot of a build, which holds up checkpoints: texts are tokenized after the snapshot.
constexpr size_t kChunkRows = 2048;
constexpr int64_t kChunkWords = 64 * 1024;
constexpr size_t kBytesPerRow = 200;  // an estimate until the index is built
constexpr size_t kMaxRanges = 64;     // of one query
constexpr int64_t kCloseSlots = 8;    // between two rows that one statement reads

base::Error NoRoom() { return {base::Code::kFull, "the budget of the indexes in memory is full"}; }

}  // namespace

// Rows on their way into an index: cutting their texts takes most of the time, and needs no lock.
struct ResidentIndexes::NewRows {
  std::vector<IndexedRow> read;
  std::vector<RangeIndex::NewRow> words;
  std::vector<std::vector<Piece>> pieces;  // empty: the index keeps none

  NewRows(std::vector<IndexedRow> rows, const Candidates& reader, const PieceMeaning* meaning)
      : read(std::move(rows)) {
    for (const IndexedRow& row : read) {
      words.push_back({row.facts, reader.WordsOf(row)});
      if (meaning) pieces.push_back(meaning->PiecesOf(EmbeddedText(row.title, row.content)));
    }
  }
};

// The entry's mutex is held.
void ResidentIndexes::Put(Entry& entry, NewRows&& rows) const {
  entry.index.Put(std::move(rows.words));
  if (options_.dimensions > 0) {
    std::vector<RangeVectors::NewRow> vectors;
    for (const IndexedRow& row : rows.read)
      vectors.push_back({row.facts.slot, row.facts.session, row.facts.position, row.vector});
    entry.vectors.Put(vectors);
  }
  for (size_t i = 0; i < rows.pieces.size(); ++i)
    entry.pieces.Put(rows.read[i].facts.slot, rows.pieces[i]);
}

ResidentIndexes::~ResidentIndexes() {
  Stop();
  options_.budget->Leave(store_);
}

void ResidentIndexes::Publish(int64_t version, const std::vector<int64_t>& slots) {
  const std::lock_guard lock(mutex_);
  published_ = version;
  for (int64_t slot : slots) {
    const int64_t range = slot >> kRangeBits;
    const std::shared_ptr<Entry> entry = Known(range);
    if (!entry) continue;
    entry->pending.push_back({version, slot});
    if (entry->pending.size() % kRefresh == 0) Want(range);
    if (entry->pending.size() > kForget) Drop(*entry);
  }
}

std::shared_ptr<ResidentIndexes::Entry> ResidentIndexes::EntryFor(int64_t range, int64_t version,
                                                                  bool& behind) {
  const uint32_t asked = options_.budget->NoteQuery(PlaceOf(range));
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Entry> entry = Known(range);
  if (!entry) {
    // Not at every query, since an index that does not fit would be considered each time.
    if (asked >= 2 && (asked & (asked - 1)) == 0) Want(range);
    return nullptr;
  }
  if (!entry->ready) return nullptr;
  const auto later = std::find_if(entry->pending.begin(), entry->pending.end(),
                                  [&](const Change& change) { return change.version > version; });
  behind = later != entry->pending.begin();
  if (later - entry->pending.begin() <= static_cast<std::ptrdiff_t>(kCatchUp)) return entry;
  Want(range);
  return nullptr;
}

std::optional<ResidentIndexes::Pinned> ResidentIndexes::Pin(Candidates& reader,
                                                            std::vector<int64_t> ranges) {
  if (options_.budget->limit() == 0 || ranges.size() > kMaxRanges) return std::nullopt;
  std::sort(ranges.begin(), ranges.end());  // the lock order
  Result<int64_t> version = reader.Version();
  if (!version) return std::nullopt;
  std::vector<std::shared_ptr<Entry>> entries;
  for (int64_t range : ranges) {
    if (options_.build_at_once) (void)Build(range);
    if (options_.rows_at_once > 0) (void)BuildInSnapshot(range, reader, *version);
    bool behind = false;
    std::shared_ptr<Entry> entry = EntryFor(range, *version, behind);
    if (entry && behind && !CatchUp(*entry, reader, *version)) {
      const std::lock_guard lock(mutex_);
      Drop(*entry);
      entry = nullptr;
    }
    if (entry) entries.push_back(std::move(entry));
  }
  const bool complete = entries.size() == ranges.size();
  ++(complete ? served_ : missed_);
  if (!complete) return std::nullopt;
  // Only now, so that a holder of one index never waits for an update of another.
  Pinned pinned;
  for (auto& entry : entries)
    pinned.held_.push_back(std::make_shared<Pinned::Held>(std::move(entry)));
  return pinned;
}

Status ResidentIndexes::CatchUp(Entry& entry, Candidates& reader, int64_t version) {
  const std::unique_lock writing(entry.mutex);
  std::vector<int64_t> slots;
  {
    const std::lock_guard lock(mutex_);
    auto later = std::find_if(entry.pending.begin(), entry.pending.end(),
                              [&](const Change& change) { return change.version > version; });
    for (auto at = entry.pending.begin(); at != later; ++at) slots.push_back(at->slot);
    entry.pending.erase(entry.pending.begin(), later);
  }
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  std::vector<IndexedRow> rows;
  std::vector<int64_t> gone;
  for (size_t first = 0; first < slots.size();) {
    size_t end = first + 1;  // of slots that lie close together, which one statement reads
    while (end < slots.size() && slots[end] - slots[end - 1] <= kCloseSlots) ++end;
    size_t at = first;
    RETURN_IF_ERROR(
        reader.VisitIndexedRows(slots[first], slots[end - 1], options_.model, [&](IndexedRow row) {
          while (at < end && slots[at] < row.facts.slot) gone.push_back(slots[at++]);
          if (at == end || slots[at] != row.facts.slot) return true;
          ++at;
          rows.push_back(std::move(row));
          return true;
        }));
    while (at < end) gone.push_back(slots[at++]);
    first = end;
  }
  for (const int64_t slot : gone) {
    entry.index.Remove(slot);
    entry.vectors.Remove(slot);
    entry.pieces.Remove(slot);
  }
  Put(entry, NewRows(std::move(rows), reader, options_.pieces));
  if (options_.pieces) entry.pieces.CountSample();
  // An evicted index still answers the queries that hold it.
  if (!Weigh(entry, 0)) return {};
  const std::lock_guard lock(mutex_);
  if (entry.crowded) Want(entry.index.range());
  return {};
}

void ResidentIndexes::Want(int64_t range) {
  if (stopping_ || options_.build_at_once) return;
  if (std::find(wanted_.begin(), wanted_.end(), range) != wanted_.end()) return;
  wanted_.push_back(range);
  if (!builder_.joinable()) {
    builder_ = std::jthread([this] { Run(); });
    pthread_setname_np(builder_.native_handle(), "index-builder");
  }
  wake_.notify_one();
}

std::shared_ptr<ResidentIndexes::Entry> ResidentIndexes::Known(int64_t range) {
  auto at = entries_.find(range);
  if (at == entries_.end()) return nullptr;
  std::shared_ptr<Entry> entry = at->second.lock();
  if (entry && !entry->displaced()) return entry;
  entries_.erase(at);
  return nullptr;
}

void ResidentIndexes::Drop(const Entry& entry) {
  options_.budget->Drop(PlaceOf(entry.index.range()), entry);
}

bool ResidentIndexes::Weigh(Entry& entry, size_t at_least) {
  const size_t bytes =
      std::max(entry.index.bytes() + entry.vectors.bytes() + entry.pieces.bytes(), at_least);
  if (!options_.budget->Weigh(PlaceOf(entry.index.range()), entry, bytes)) return false;
  const std::lock_guard lock(mutex_);
  entry.crowded = entry.index.IsCrowded();
  return true;
}

// The entry, and whether it only has to catch up.
std::pair<std::shared_ptr<ResidentIndexes::Entry>, bool> ResidentIndexes::EntryToBuild(
    int64_t range) {
  std::shared_ptr<Entry> entry = Known(range);
  if (entry && !entry->crowded) return {std::move(entry), true};
  entry = std::make_shared<Entry>(range, options_.dimensions);
  options_.budget->Put(PlaceOf(range), entry);
  entries_[range] = entry;  // from here on Publish records its changes
  return {std::move(entry), false};
}

Status ResidentIndexes::Build(int64_t range) {
  std::shared_ptr<Entry> entry;
  bool refresh = false;
  int64_t published = 0;
  {
    const std::lock_guard lock(mutex_);
    std::tie(entry, refresh) = EntryToBuild(range);
    if (refresh && options_.build_at_once) return {};
    published = published_;
  }
  Status built = [&]() -> Status {
    ASSIGN_OR_RETURN(const std::unique_ptr<Candidates> reader, options_.open());
    if (!refresh) return Fill(*entry, *reader, published);
    RETURN_IF_ERROR(reader->Begin());
    ASSIGN_OR_RETURN(int64_t version, reader->Version());
    return CatchUp(*entry, *reader, version);
  }();
  if (!built) {
    const std::lock_guard lock(mutex_);
    Drop(*entry);
  }
  return built;
}

// A query of a small range that has no index makes one, beside which others wait for none.
Status ResidentIndexes::BuildInSnapshot(int64_t range, Candidates& reader, int64_t version) {
  {
    const std::lock_guard lock(mutex_);
    if (Known(range)) return {};
  }
  ASSIGN_OR_RETURN(const std::vector<RangeCounts> counts, reader.Count({&range, 1}));
  const auto rows = static_cast<int64_t>(counts.empty() ? 0 : counts.front().rows);
  if (rows > options_.rows_at_once) return {};
  std::shared_ptr<Entry> entry;
  {
    const std::lock_guard lock(mutex_);
    // What was published since the snapshot began is not recorded for an entry that is made now.
    if (Known(range) || published_ != version) return {};
    entry = EntryToBuild(range).first;
  }
  const Status built = [&]() -> Status {
    int64_t next = range << kRangeBits;
    const auto expected = static_cast<size_t>(rows) * (kBytesPerRow + options_.dimensions);
    for (bool more = true; more;) {
      ASSIGN_OR_RETURN(more, FillSome(*entry, reader, next, expected));
    }
    return {};
  }();
  if (!built) {
    const std::lock_guard lock(mutex_);
    Drop(*entry);
  }
  return built;
}

Status ResidentIndexes::Fill(Entry& entry, Candidates& reader, int64_t published) {
  const int64_t range = entry.index.range();
  int64_t next = range << kRangeBits;
  size_t expected = 0;  // reserved first, so that two builders do not use the same budget
  {
    ASSIGN_OR_RETURN(const std::vector<RangeCounts> counts, reader.Count({&range, 1}));
    const double rows = counts.empty() ? 0 : counts.front().rows;
    expected = static_cast<size_t>(rows) * (kBytesPerRow + options_.dimensions);
    const std::unique_lock writing(entry.mutex);
    if (!Weigh(entry, expected)) return NoRoom();
  }
  for (bool more = true; more;) {
    RETURN_IF_ERROR(reader.Begin());
    ASSIGN_OR_RETURN(int64_t version, reader.Version());
    // A change that was published before may not be committed yet: the next query retries.
    if (version < published) return base::Error{base::Code::kUnavailable, "a commit is under way"};
    ASSIGN_OR_RETURN(more, FillSome(entry, reader, next, expected));
    RETURN_IF_ERROR(reader.End());
  }
  return {};
}

// → whether rows are left, from `next` on.
Result<bool> ResidentIndexes::FillSome(Entry& entry, Candidates& reader, int64_t& next,
                                       size_t expected) {
  const int64_t end = ((entry.index.range() + 1) << kRangeBits) - 1;
  std::vector<IndexedRow> read;
  int64_t words = 0;
  bool more = false;
  RETURN_IF_ERROR(reader.VisitIndexedRows(next, end, options_.model, [&](IndexedRow row) {
    next = row.facts.slot + 1;
    words += row.facts.words;
    read.push_back(std::move(row));
    more = words >= kChunkWords || read.size() == kChunkRows;
    return !more;
  }));
  NewRows rows(std::move(read), reader, options_.pieces);
  const std::unique_lock writing(entry.mutex);
  Put(entry, std::move(rows));
  if (!more) entry.pieces.CountSample();
  if (!Weigh(entry, more ? expected : 0)) return NoRoom();
  const std::lock_guard lock(mutex_);
  if (stopping_) return base::Error{base::Code::kUnavailable, "the program is stopping"};
  entry.ready = !more;
  return more;
}

void ResidentIndexes::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stopping_ || !wanted_.empty(); });
    if (stopping_) return;
    const int64_t range = wanted_.front();
    wanted_.pop_front();
    lock.unlock();
    if (Status built = Build(range); !built) {
      base::Log(base::Level::kDebug, "an index in memory was not built",
                {{"range", range}, {"reason", built.error().message}});
    }
    lock.lock();
  }
}

void ResidentIndexes::Forget(int64_t range) {
  const std::lock_guard lock(mutex_);
  if (std::shared_ptr<Entry> entry = Known(range)) Drop(*entry);
}

void ResidentIndexes::ForgetUntil(int64_t version) {
  const std::lock_guard lock(mutex_);
  published_ = version;
  const auto entries = entries_;
  for (const auto& [range, known] : entries)
    if (const std::shared_ptr<Entry> entry = Known(range)) Drop(*entry);
}

ResidentIndexes::Figures ResidentIndexes::Read() const {
  const ResidentBudget::Share share = options_.budget->Of(store_);
  return {share.bytes, share.ranges, served_, missed_};
}

void ResidentIndexes::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (builder_.joinable()) builder_.join();
}

}  // namespace memory
