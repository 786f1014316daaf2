// Test code: rounds of retention on a file and on the fake, by one switch.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "memory/keeping/hiding.h"
#include "memory/keeping/observations_fixture.h"
#include "memory/keeping/sweeping.h"
#include "memory/rows/fake_sweep_fixture.h"
#include "memory/sqlite/removal/sweep_rows.h"

namespace memory {

inline constexpr int64_t kHourMs = 60 * kMinute;
inline constexpr int64_t kDeletedMs = 2 * kDay, kKeepUsedMs = kDay, kKeyMs = 7 * kDay;

// Tells a test of each write before it happens, as if it was another one's turn.
class ToldHost final : public SweepHost {
 public:
  explicit ToldHost(SweepRows& rows) : rows_(rows) {}
  base::Status Admit() override { return {}; }
  base::Status Read(const Work& work) override { return work(rows_); }
  base::Status ReadUnhurried(const Work& work) override { return work(rows_); }
  base::Status Write(const Work& work, Space space) override {
    EXPECT_EQ(space, Space::kFrees) << "a full volume must not refuse it";
    ++writes;
    if (before_write) before_write();
    return work(rows_);
  }
  std::function<void()> before_write;
  int writes = 0;

 private:
  SweepRows& rows_;
};

// Observations of one engine, under rules and a clock that a test sets.
class SweptRows {
 public:
  explicit SweptRows(RowEngine engine) {
    if (engine == RowEngine::kSqlite) {
      file_ = std::make_unique<MigratedFile>();
      EXPECT_TRUE(Liveness::RegisterFunction(liveness_, file_->database()));
      observations_ = std::make_unique<SqliteObservations>(file_->database());
      sweep_ = std::make_unique<SqliteSweep>(file_->database(), *liveness_);
    }
    host_.emplace(sweep_ ? *sweep_ : static_cast<SweepRows&>(fake_sweep_));
  }
  ToldHost& host() { return *host_; }
  Observations& rows() {
    return observations_ ? *observations_ : static_cast<Observations&>(fake_);
  }
  void SetRules(int64_t project, const RetentionRules& rules) {
    policy_.of_project[project] = rules;
    if (rules.empty()) policy_.of_project.erase(project);
    fake_sweep_.policy = policy_;
    liveness_->Set(policy_);
    state.rules_changed = true;
  }
  int64_t Save(const std::string& content, const std::string& type = "discovery",
               const std::string& topic = "", const std::string& project = "p",
               const std::string& scope = "project") {
    api::NewObservation made = Note(content, project);
    made.type = type;
    made.topic_key = topic;
    made.scope = scope;
    const auto saved = SaveTo(rows(), made, clock.NowMs());
    EXPECT_TRUE(saved) << saved.error().message;
    return saved ? saved->id : 0;
  }
  RowId RowOf(int64_t id) { return (*rows().Find(id))->row; }
  // A read whose time the store wrote.
  void Use(int64_t id) {
    if (!file_) {
      fake_sweep_.used_ms[RowOf(id)] = clock.NowMs();
      return;
    }
    Execute("REPLACE INTO uses VALUES(" + std::to_string(RowOf(id)) + ", " +
            std::to_string(clock.NowMs()) + ")");
  }
  void UseJustNow(int64_t id) {
    fake_sweep_.just_used_ms[RowOf(id)] = clock.NowMs();
    liveness_->Use({&id, 1});
  }
  void AddKeys(int count) {
    for (int i = 0; i < count; ++i) {
      fake_sweep_.keys_used_ms.push_back(clock.NowMs());
      if (file_)
        Execute("INSERT INTO idempotency VALUES('k" + std::to_string(i) +
                "', 1, 'created', 1, 0, " + std::to_string(clock.NowMs()) + ", NULL)");
    }
  }
  void ForgetDeletions() { file_ ? Execute("DELETE FROM deletions") : fake_.ForgetDeletions(); }
  void HideByClient(int64_t id) { EXPECT_TRUE(HideObservation(rows(), id, kSalt, clock.NowMs())); }
  Swept MustSweep(std::stop_token stop = {}) {
    const auto swept = SweepObservations(
        {*host_, clock, salt_, [this] { return std::make_shared<const RetentionPolicy>(policy_); },
         kDeletedMs, kKeyMs, kKeepUsedMs, uses_kept},
        state, std::move(stop));
    EXPECT_TRUE(swept) << swept.error().message;
    return swept ? *swept : Swept();
  }
  // live, hidden, removed or never.
  std::string StateOf(int64_t id) {
    const auto place = *rows().Find(id);
    if (!place) return *rows().WasRemoved(id) ? "removed" : "never";
    return place->hidden ? "hidden" : "live";
  }
  FakeSweep& fake_sweep() { return fake_sweep_; }

  ::testing::FakeClock clock{kMidnight};
  SweepState state;
  bool uses_kept = true;

 private:
  void Execute(const std::string& sql) {
    EXPECT_TRUE(file_->database().Execute(sql.c_str())) << sql;
  }
  const std::string salt_ = kSalt;
  RetentionPolicy policy_;
  const std::shared_ptr<Liveness> liveness_ = std::make_shared<Liveness>(clock);
  FakeObservations fake_;
  FakeSweep fake_sweep_{fake_, clock};
  std::unique_ptr<MigratedFile> file_;
  std::unique_ptr<Observations> observations_;
  std::unique_ptr<SweepRows> sweep_;
  std::optional<ToldHost> host_;
};

}  // namespace memory
