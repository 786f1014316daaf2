// state.db, the one file of the sidecar on the agent's volume, opened with the schema of all its
// tables. Each table is declared beside its schema.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/guarded.h"
#include "lib/base/result.h"
#include "lib/sqlite/database.h"
#include "lib/sqlite/writer.h"

namespace sidecar {

// The migrations of everything in state.db.
const std::vector<const char*>& StateSteps();

class State {
 public:
  // Opens or creates `<directory>/state.db`. A damaged file is quarantined and salvaged
  // (salvage.h); the file of a newer program is kInvalid and stays untouched. Calls `on_failure`
  // once, when a sync fails or the file proves damaged: the program must exit, and the next start
  // recovers.
  static base::Result<std::unique_ptr<State>> Open(
      const std::string& directory, std::function<void(const base::Error&)> on_failure);

  using Space = sqlite::Writer::Space;
  // Blocks until the commit is synced; see sqlite::Writer::Run.
  template <class T>
  base::Result<T> Write(std::function<base::Result<T>(sqlite::Database&)> work,
                        Space space = Space::kConsumes) {
    base::Result<T> answer = base::Error{base::Code::kInternal, "the work did not run"};
    const base::Status done = Change(
        [&](sqlite::Database& db) -> base::Status {
          answer = work(db);
          return answer ? base::Status() : answer.error();
        },
        space);
    if (!done) return done.error();
    return answer;
  }
  base::Status Change(std::function<base::Status(sqlite::Database&)> work,
                      Space space = Space::kConsumes);
  // Runs `use` in a read transaction, a snapshot of the committed state; one reader at a time.
  template <class F>
  auto Read(F&& use) {
    std::vector<sqlite::UnsoundRow> unsound;
    auto answer = reader_.With([&](sqlite::Database& db) {
      const Moment moment(db);
      auto found = use(db);
      unsound = db.TakeUnsoundRows();
      return found;
    });
    if (!unsound.empty()) Remember(std::move(unsound));
    return answer;
  }
  // Truncates the WAL, so that what was overwritten in the file is not in it. Waits for readers a
  // moment; kUnavailable: they hold it.
  base::Status EmptyLog();
  bool Failed() const { return writer_->Failed(); }
  void Close() { writer_->Stop(); }  // commits the queue; later writes are refused

 private:
  class Moment {
   public:
    explicit Moment(sqlite::Database& db) : db_(db), begun_(db.Execute("BEGIN")) {}
    ~Moment() {
      if (begun_) begun_ = db_.Execute("COMMIT");
    }

   private:
    sqlite::Database& db_;
    base::Status begun_;
  };
  State(sqlite::Database writer, sqlite::Database reader,
        std::function<void(const base::Error&)> on_failure);
  void Remember(std::vector<sqlite::UnsoundRow> rows);
  // Known damaged rows, so that each is recorded and logged once.
  base::Guarded<std::set<std::pair<std::string, int64_t>>> damaged_;
  base::Guarded<sqlite::Database> reader_;
  std::unique_ptr<sqlite::Writer> writer_;  // declared last: stops before the reader closes
};

}  // namespace sidecar
