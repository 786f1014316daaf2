// The steps, in this order: FTS5 merges all its segments into one, which drops the words of deleted
// rows (or rebuilds a small index); pages that an earlier version wrote are cleaned, once per file;
// the WAL is checkpointed and truncated. Each step is repeated after a crash.
#include "memory/sqlite/removal/eraser.h"

#include <algorithm>

#include "memory/sqlite/removal/fts_levels.h"

namespace memory {

using base::Result;
using base::Status;
using sqlite::Statement;
using sqlite::Transaction;
using Chore = sqlite::Writer::Chore;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr int64_t kMergePages = 64;   // of a step, 4 KiB each
constexpr int64_t kCleanPages = 512;  // of a step: all are read, few are written
constexpr milliseconds kPauseWithoutRoom{5'000};
constexpr int kMostMerges = 3;

Result<int64_t> OneOf(Statement read) {
  ASSIGN_OR_RETURN(bool row, read.Step());
  return row ? read.Int(0) : 0;
}

Result<int64_t> CounterOf(sqlite::Database& database, const char* name) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare("SELECT value FROM counters WHERE name = ?1"));
  read.Bind(name);
  return OneOf(std::move(read));
}

Status SetCounter(sqlite::Database& database, const char* name, int64_t value) {
  ASSIGN_OR_RETURN(Statement set, database.Prepare("REPLACE INTO counters VALUES(?1, ?2)"));
  return set.Bind(name).Bind(value).Run();
}

Result<FtsLevels> LevelsOf(sqlite::Database& database) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare("SELECT block FROM words_data WHERE id = 10"));
  ASSIGN_OR_RETURN(bool row, read.Step());
  if (!row) return FtsLevels();
  return ReadFtsLevels(read.Text(0));
}

// A negative number starts a merge of all segments into one; calls with a positive number continue.
Status Merge(sqlite::Database& database, int64_t pages) {
  ASSIGN_OR_RETURN(Statement merge,
                   database.Prepare("INSERT INTO words(words, rank) VALUES('merge', ?1)"));
  return merge.Bind(pages).Run();
}

// Inserts and deletes a word at an unused slot: two segments on the first level, so that FTS5
// merges the others, which may be alone on their level, into a new last level.
Status AddAndTakeAway(sqlite::Database& database) {
  return database.Execute(
      "INSERT INTO words(rowid, title, content, tags, grams) VALUES(0, 'a', '', '', '');"
      "INSERT INTO words(words, rowid, title, content, tags, grams) "
      "VALUES('delete', 0, 'a', '', '', '');");
}

Status InTransaction(sqlite::Database& database, const std::function<Status()>& work) {
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
  RETURN_IF_ERROR(work());
  return transaction.Commit();
}

}  // namespace

Status Eraser::Request(sql::Database& writer, int64_t range) {
  perhaps_ = true;
  ++due_;  // Begin counts again, since the transaction may roll back
  ranges_.insert(range);
  ASSIGN_OR_RETURN(Statement raise,
                   writer.Prepare("INSERT INTO counters VALUES('erase_asked', 1) ON CONFLICT(name) "
                                  "DO UPDATE SET value = value + 1"));
  return raise.Run();
}

// On a full volume deletes need the remaining space; a damaged index waits for its rebuild.
bool Eraser::MustWait(sqlite::Database& writer) {
  if (options_.index_damaged && *options_.index_damaged) return true;
  if (!options_.space) return false;
  Result<int64_t> reusable = writer.ReusableBytes();
  return reusable && !options_.space->Admit(*reusable);
}

Result<Chore> Eraser::Begin(sqlite::Database& writer, bool closing) {
  if (!perhaps_) return Chore{};
  ASSIGN_OR_RETURN(int64_t asked, CounterOf(writer, "erase_asked"));
  ASSIGN_OR_RETURN(int64_t done, CounterOf(writer, "erase_done"));
  due_ = asked - done;
  perhaps_ = due_ > 0;
  if (!perhaps_) return Chore{};
  const auto now = steady_clock::now();
  if (!std::exchange(seen_, true)) begins_ = now + options_.after;
  if (!closing && now < begins_) {
    const auto left = std::chrono::duration_cast<milliseconds>(begins_ - now);
    return Chore{Chore::Next::kStep, left + milliseconds(1)};
  }
  asked_ = asked;
  again_ = 0;
  phase_ = Phase::kWords;
  return Chore{Chore::Next::kStep};
}

Result<Chore> Eraser::Step(sqlite::Database& writer, const sqlite::Writer::ChoreCall& call) {
  if (phase_ == Phase::kIdle) return Begin(writer, call.closing);
  if (phase_ == Phase::kLog && !call.log_emptied) return Chore{Chore::Next::kEmptyLog};
  if (phase_ != Phase::kLog && MustWait(writer))
    return call.closing ? Chore{} : Chore{Chore::Next::kStep, kPauseWithoutRoom};
  const bool met_before = writer.MetDamage();
  const Status done = [&] {
    switch (phase_) {
      case Phase::kWords:
        return Words(writer);
      case Phase::kMerging:
        return MergeOn(writer);
      case Phase::kPages:
        return Pages(writer);
      default:
        return Finish(writer);
    }
  }();
  if (done) return Chore{Chore::Next::kStep};
  const bool of_index = phase_ == Phase::kWords || phase_ == Phase::kMerging;
  if (of_index && !met_before && writer.MetDamage() && options_.index_damaged)
    *options_.index_damaged = true;
  phase_ = Phase::kIdle;  // restarts
  return done.error();
}

Status Eraser::Words(sqlite::Database& writer) {
  ASSIGN_OR_RETURN(FtsLevels levels, LevelsOf(writer));
  const FtsErasure erasure = ErasureOf(levels);
  RETURN_IF_ERROR(InTransaction(writer, [&]() -> Status {
    if (erasure == FtsErasure::kMerge) return Merge(writer, -kMergePages);
    if (erasure == FtsErasure::kNothing) return {};
    return writer.Execute("INSERT INTO words(words) VALUES('rebuild')");
  }));
  next_page_ = 0;
  phase_ = erasure == FtsErasure::kMerge ? Phase::kMerging : Phase::kPages;
  return {};
}

Status Eraser::MergeOn(sqlite::Database& writer) {
  int64_t changes = 0;
  RETURN_IF_ERROR(InTransaction(writer, [&]() -> Status {
    ASSIGN_OR_RETURN(Statement before, writer.Prepare("SELECT total_changes()"));
    ASSIGN_OR_RETURN(int64_t was, OneOf(std::move(before)));
    RETURN_IF_ERROR(Merge(writer, kMergePages));
    ASSIGN_OR_RETURN(Statement after, writer.Prepare("SELECT total_changes()"));
    ASSIGN_OR_RETURN(int64_t is, OneOf(std::move(after)));
    changes = is - was;
    return {};
  }));
  if (changes >= 2) return {};  // FTS5 documents: less than 2 means no work was done
  ASSIGN_OR_RETURN(FtsLevels levels, LevelsOf(writer));
  phase_ = Phase::kPages;
  if (OldestIsLast(levels)) return {};
  phase_ = Phase::kWords;
  if (++again_ < kMostMerges) return InTransaction(writer, [&] { return AddAndTakeAway(writer); });
  // A fallback that tests never reached: a rebuild takes long, but drops the words.
  phase_ = Phase::kPages;
  return InTransaction(
      writer, [&] { return writer.Execute("INSERT INTO words(words) VALUES('rebuild')"); });
}

Status Eraser::Pages(sqlite::Database& writer) {
  ASSIGN_OR_RETURN(int64_t clean, CounterOf(writer, "clean_pages"));
  if (clean == 0) {
    ASSIGN_OR_RETURN(next_page_, writer.CleanPages(next_page_, kCleanPages));
    if (next_page_ != 0) return {};
    RETURN_IF_ERROR(InTransaction(writer, [&] { return SetCounter(writer, "clean_pages", 1); }));
  }
  phase_ = Phase::kLog;
  return {};
}

Status Eraser::Finish(sqlite::Database& writer) {
  ASSIGN_OR_RETURN(int64_t done, CounterOf(writer, "erase_done"));
  RETURN_IF_ERROR(InTransaction(writer, [&] { return SetCounter(writer, "erase_done", asked_); }));
  phase_ = Phase::kIdle;  // which checks for new deletes
  seen_ = false;
  due_ -= asked_ - done;
  if (options_.resident)
    for (int64_t range : std::exchange(ranges_, {})) options_.resident->Forget(range);
  if (options_.on_erased) options_.on_erased(asked_ - done);
  return {};
}

}  // namespace memory
