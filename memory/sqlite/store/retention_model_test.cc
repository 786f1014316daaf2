// Random writes, reads, rules and rounds compared with a model of retention; thirty days of growth;
// killed rounds.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <random>

#include "memory/sqlite/store/retention_fixture.h"

namespace memory {
namespace {

// What should be kept, told in plain containers. The one rule that a row has is looked up by the
// store's own RuleFor, which retention_test.cc is about.
class Model {
 public:
  enum class Gone { kNo, kTtl, kCap, kDeleted };
  struct Row {
    std::string project, scope, type, content, topic;
    int64_t written = 0, seen = 0, used = 0, content_at = 0, gone_at = 0;
    int duplicates = 0;
    Gone gone = Gone::kNo;
  };
  std::map<int64_t, Row> rows;
  std::map<std::string, RetentionRules> rules;
  int64_t now = 0, next = 1;
  bool rules_changed = true;

  const RetentionRule* RuleOf(const Row& row) {
    return RuleFor(rules[row.project], row.type, row.scope);
  }
  bool Over(const Row& row) {
    const RetentionRule* rule = RuleOf(row);
    return rule && rule->ttl_ms > 0 && now - std::max(row.written, row.seen) >= rule->ttl_ms;
  }
  bool Live(const Row& row) { return row.gone == Gone::kNo && !Over(row); }
  void Hide(Row& row, Gone why) {
    row.gone = why;
    row.gone_at = now;
  }
  int64_t Save(const api::NewObservation& note) {
    int64_t duplicate = 0;
    for (auto& [id, row] : rows) {
      if (row.gone != Gone::kNo || row.project != note.project || row.scope != note.scope) continue;
      if (!note.topic_key.empty()) {
        if (row.topic != note.topic_key) continue;
        if (Over(row)) {
          Hide(row, Gone::kTtl);
          continue;
        }
        if (row.content != note.content) row.content_at = now;
        row.content = note.content;
        row.type = note.type;
        row.written = row.seen = now;
        return id;
      }
      const bool same = row.content == note.content && row.type == note.type && Live(row);
      if (same && (duplicate == 0 || row.content_at > rows[duplicate].content_at)) duplicate = id;
    }
    if (duplicate != 0) {
      ++rows[duplicate].duplicates;
      rows[duplicate].seen = now;
      return duplicate;
    }
    rows[next] = {note.project, note.scope, note.type, note.content, note.topic_key, now, now, 0,
                  now,          0,          0,         Gone::kNo};
    return next++;
  }
  void Sweep(int64_t keep_used, int64_t deleted) {
    std::erase_if(rows, [&](const auto& entry) {
      const Row& row = entry.second;
      const bool unused = std::max({row.written, row.seen, row.used}) < now - keep_used;
      return row.gone != Gone::kNo && row.gone_at <= now - deleted &&
             (row.gone == Gone::kDeleted || unused);
    });
    if (std::exchange(rules_changed, false)) Restore();
    for (auto& [id, row] : rows)
      if (row.gone == Gone::kNo && Over(row)) Hide(row, Gone::kTtl);
    for (auto& [project, list] : rules)
      for (const RetentionRule& rule : list)
        if (rule.max_rows > 0) HoldCap(project, rule, keep_used);
  }

 private:
  void Restore() {
    // In the order of slots: range 0 holds what is global.
    for (const char* scope : {"global", "project"}) {
      for (auto& [id, row] : rows) {
        if (row.scope != scope || row.gone != Gone::kTtl || Over(row)) continue;
        const bool taken = std::ranges::any_of(rows, [&](const auto& other) {
          return other.second.gone == Gone::kNo && !row.topic.empty() &&
                 other.second.topic == row.topic && other.second.project == row.project &&
                 other.second.scope == row.scope;
        });
        if (!taken) row.gone = Gone::kNo;
      }
    }
  }
  void HoldCap(const std::string& project, const RetentionRule& rule, int64_t keep_used) {
    std::vector<std::pair<int64_t, int64_t>> may_go;  // last used, id
    int64_t live = 0;
    for (auto& [id, row] : rows) {
      const RetentionRule* of = RuleOf(row);
      if (row.project != project || !Live(row) || !of) continue;
      if (of->type != rule.type || of->scope != rule.scope) continue;
      ++live;
      const int64_t asked = std::max(row.used, row.duplicates > 0 ? row.seen : 0);
      if (asked < now - keep_used)
        may_go.emplace_back(std::max({row.used, row.written, row.seen}), id);
    }
    std::ranges::sort(may_go);
    for (auto [used, id] : may_go)
      if (live-- > rule.max_rows) Hide(rows[id], Gone::kCap);
  }
};

class RetentionModelTest : public RetentionTest {
 protected:
  uint64_t Below(uint64_t n) { return random_() % n; }
  api::NewObservation SomeNote() {
    api::NewObservation note = Note("word" + std::to_string(Below(40)), Below(2) ? "p" : "q");
    note.type = Below(3) ? "discovery" : "decision";
    note.scope = Below(4) ? "project" : "global";
    if (Below(3) == 0) note.topic_key = "topic" + std::to_string(Below(4));
    return note;
  }
  std::string SomeRules() {
    base::Json list = base::Json::array();
    for (const char* scope : {"project", "global"}) {
      for (const char* type : {"*", "decision"}) {
        if (Below(2)) continue;
        list.push_back({{"scope", scope},
                        {"type", type},
                        {"ttl", std::to_string(Below(3) * 5) + "h"},
                        {"maxRows", Below(2) * (2 + Below(6))}});
      }
    }
    return base::DumpJson(list);
  }
  void Step();
  void ExpectEqual() {
    std::set<int64_t> wanted;
    for (auto& [id, row] : model_.rows)
      if (model_.Live(row)) wanted.insert(id);
    const Ids listed = Listed(), exported = Exported();
    ASSERT_EQ(std::set(listed.begin(), listed.end()), wanted);
    ASSERT_EQ(std::set(exported.begin(), exported.end()), wanted);
    ASSERT_EQ(store_->Count({})->observations, static_cast<int64_t>(wanted.size()));
    ASSERT_EQ(InFile("SELECT count(*) FROM observations"),
              static_cast<int64_t>(model_.rows.size()));
  }

  uint64_t seed_ = std::random_device()();
  std::mt19937_64 random_{seed_};
  Model model_;
};

void RetentionModelTest::Step() {
  clock_.Advance(1 + static_cast<int64_t>(Below(static_cast<uint64_t>(kHour))));
  model_.now = clock_.NowMs();
  const int64_t id = 1 + static_cast<int64_t>(Below(static_cast<uint64_t>(model_.next)));
  auto row = model_.rows.find(id);
  const bool live = row != model_.rows.end() && model_.Live(row->second);
  switch (Below(12)) {
    case 0: {
      ASSERT_EQ(store_->Get(id).has_value(), live);
      if (live) row->second.used = model_.now;
      break;
    }
    case 1: {
      const std::string word = "word" + std::to_string(Below(40));
      std::set<int64_t> wanted;
      for (auto& [at, other] : model_.rows) {
        if (other.content != word || !model_.Live(other)) continue;
        wanted.insert(at);
        other.used = model_.now;
      }
      const Ids found = Find(word);
      ASSERT_LE(wanted.size(), 10u);
      ASSERT_EQ(std::set(found.begin(), found.end()), wanted);
      break;
    }
    case 2: {
      ASSERT_TRUE(store_->Delete(id, false, model_.now) || id >= model_.next);
      if (row == model_.rows.end()) break;
      if (row->second.gone == Model::Gone::kNo) row->second.gone_at = model_.now;
      row->second.gone = Model::Gone::kDeleted;
      break;
    }
    case 3: {
      const std::string rules = SomeRules(), project = Below(2) ? "p" : "q";
      SetRules(project, rules);
      model_.rules[project] = *DecodeRetention(*base::ParseJson(rules));
      model_.rules_changed = true;
      break;
    }
    case 4:
    case 5:
      MustSweep();
      model_.Sweep(options_.keep_used_ms, options_.deleted_ms);
      break;
    case 6:
      if (Below(4)) break;
      Start();
      model_.rules_changed = true;
      break;
    default: {
      const api::NewObservation note = SomeNote();
      ASSERT_EQ(MustSave(note, model_.now).id, model_.Save(note));
    }
  }
}

TEST_F(RetentionModelTest, RandomHistoriesKeepWhatTheModelKeeps) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  options_.dedup_window_ms = 1000 * kDay;
  options_.keep_used_ms = 8 * kHour;
  options_.deleted_ms = 20 * kHour;
  options_.index_at_once = true;
  Start();
  for (int step = 0; step < 500; ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    Step();
    ExpectEqual();
    if (HasFatalFailure()) return;
  }
  ExpectSound();
}

TEST_F(RetentionTest, ThirtyDaysStayWithinTheRulesAndKeepUsedRows) {
  SetRules("p", R"([{"type": "discovery", "ttl": "72h"}, {"type": "tool", "maxRows": 40}])");
  const int64_t treasured = Save("the treasured one", "tool");
  int64_t day_10_pages = 0;
  for (int quarter = 0; quarter < 4 * 30; ++quarter) {
    for (int i = 0; i < 8; ++i) {
      const std::string name = std::to_string(quarter) + "." + std::to_string(i);
      Save("finding " + name, "discovery");
      Save("output " + name, "tool");
    }
    EXPECT_EQ(Find("treasured"), Ids{treasured}) << "quarter " << quarter;
    clock_.Advance(6 * kHour);
    MustSweep();
    // 32 findings a day for three days, 40 outputs, the treasured one; hidden ones two days more.
    EXPECT_LE(Listed().size(), 96u + 40u);
    EXPECT_LE(InFile("SELECT count(*) FROM observations"), 96 + 40 + 2 * 2 * 32 + 16);
    if (quarter == 40) day_10_pages = InFile("PRAGMA page_count");
  }
  EXPECT_LE(InFile("PRAGMA page_count"), day_10_pages * 5 / 4) << "the file does not grow";
  ExpectSound();
}

// Ends the process, without any farewell, when it is asked for the time so many times.
class DeadlyClock : public base::Clock {
 public:
  DeadlyClock(int64_t now_ms, int asks) : now_ms_(now_ms), asks_(asks) {}
  int64_t NowMs() const override {
    if (--asks_ == 0) kill(getpid(), SIGKILL);
    return now_ms_;
  }
  int64_t MonotonicMs() const override { return now_ms_; }

 private:
  const int64_t now_ms_;
  mutable std::atomic<int> asks_;
};

TEST_F(RetentionTest, KilledSweepLosesNothingAndTheNextCompletesIt) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer starts no thread after a fork; the tier long runs this";
#endif
  SetRules("p", R"([{"type": "old", "ttl": "1h"}, {"type": "many", "maxRows": 20}])");
  for (int i = 0; i < 60; ++i) Save("to be removed " + std::to_string(i), "old");
  clock_.Advance(kHour);
  MustSweep();
  clock_.Advance(2 * kDay - kHour);
  for (int i = 0; i < 120; ++i) Save("to be hidden " + std::to_string(i), "old");
  clock_.Advance(kHour);
  for (int i = 0; i < 60; ++i) Save("one of many " + std::to_string(i), "many");
  for (int i = 0; i < 30; ++i) Save("stays " + std::to_string(i));
  store_.reset();
  const std::string path = scratch_.File("kept"), prepared = scratch_.File("prepared");
  std::filesystem::copy_file(path, prepared);
  int killed = 0;
  for (int asks = 1;; asks += 23) {
    SCOPED_TRACE("killed at ask " + std::to_string(asks));
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(path + end);
    std::filesystem::copy_file(prepared, path);
    const pid_t child = fork();
    if (child == 0) {
      const DeadlyClock clock(clock_.NowMs(), asks);
      StoreOptions options = options_;
      options.clock = &clock;
      auto store = SqliteStore::Open(path, options);
      _exit(store && (*store)->Sweep({}) ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    Start();
    EXPECT_EQ(store_->Count({})->observations, InFile("SELECT count(*) FROM observations o WHERE "
                                                      "deleted_ms IS NULL AND type <> 'old'"));
    EXPECT_EQ(InFile("SELECT count(*) FROM observations WHERE type = 'discovery'"), 30);
    ExpectSound();
    MustSweep();
    EXPECT_EQ(Listed().size(), 50u);
    EXPECT_EQ(InFile("SELECT count(*) FROM observations"), 120 + 60 + 30);
    ExpectSound();
    store_.reset();
    if (HasFailure() || !WIFSIGNALED(status)) break;
    ++killed;
  }
  EXPECT_GT(killed, 10);
}

}  // namespace
}  // namespace memory
