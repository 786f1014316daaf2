// Traces of a store, their runs and the rows of its file. Test code.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/sqlite/database.h"
#include "lib/testing/fake_clock.h"
#include "memory/sqlite/store/store_fixture.h"

namespace memory {

class TraceStoreTest : public StoreTest {
 protected:
  TraceStoreTest() {
    Open();
    context_.project = "p";
  }
  ~TraceStoreTest() override { store_.reset(); }
  void Open(std::shared_ptr<const Embedder> embedder = nullptr) {
    StoreOptions options;
    options.clock = &clock_;
    options.embedder = std::move(embedder);
    options.erase_after = std::chrono::milliseconds(0);
    options.readers = 8;
    Reopen(std::move(options));
  }
  TraceContext Of(const std::string& user) const {
    TraceContext context = context_;
    context.user = user;
    return context;
  }
  std::string AddTo(const TraceContext& context, const std::string& content) {
    NewTrace trace;
    trace.content = content;
    auto added = store_->traces().Add(context, trace);
    EXPECT_TRUE(added) << added.error().message;
    return added ? added->id : "";
  }
  std::string Add(const std::string& content) { return AddTo(context_, content); }
  // Many of one user in one commit → their ids.
  std::vector<std::string> AddMany(const std::string& user, size_t count,
                                   const std::string& content,
                                   std::optional<int64_t> remind_ms = {}) {
    auto many = std::make_shared<std::vector<WholeTrace>>();
    for (size_t i = 0; i < count; ++i) {
      WholeTrace one;
      one.trace.kind = remind_ms ? kProspective : kEpisodic;
      one.trace.scope = kUserScope;
      one.trace.scope_id = user;
      one.trace.project = context_.project;
      one.trace.content = content + " " + std::to_string(i);
      one.trace.created_ms = clock_.NowMs();
      one.trace.remind_ms = remind_ms;
      one.trace.id = OtherTraceId(user, one.trace.content);
      many->push_back(std::move(one));
    }
    auto taken = store_->traces().Import(many, {}).get();
    EXPECT_TRUE(taken) << taken.error().message;
    std::vector<std::string> ids;
    for (const TraceTaken& one : *taken) ids.push_back(one.id);
    EXPECT_EQ(ids.size(), count);
    return ids;
  }
  base::Status Link(const std::string& from, const std::string& to, double weight = 1,
                    const std::string& kind = "about") {
    auto put = store_->traces().PutEdge(context_, from, {to, kind, weight});
    if (!put) return put.error();
    EXPECT_TRUE(*put) << from << " " << to;
    return {};
  }
  std::string MustMerge(const std::vector<std::string>& ids) {
    auto merged = store_->traces().Merge(context_, ids, "", {}, {});
    EXPECT_TRUE(merged) << merged.error().message;
    return merged ? merged->id : "";
  }
  // Nullopt: not live.
  std::optional<TraceView> Get(const std::string& id) {
    auto got = store_->traces().Get(context_, id, false);
    EXPECT_TRUE(got) << got.error().message;
    return got ? *got : std::nullopt;
  }
  bool IsLive(const std::string& id) { return Get(id).has_value(); }
  // The ends of its edges, the heaviest first.
  std::vector<std::string> Ends(const std::string& id) {
    std::vector<std::string> ends;
    if (const auto view = Get(id))
      for (const TraceEdge& edge : view->edges) ends.push_back(edge.to);
    return ends;
  }
  std::string MergedInto(const std::string& id) {
    auto got = store_->traces().Get(context_, id, true);
    EXPECT_TRUE(got && *got);
    return got && *got ? (*got)->trace.merged_into : "";
  }
  int64_t RowOf(const std::string& id) {
    auto got = store_->traces().Get(context_, id, true);
    EXPECT_TRUE(got && *got) << id;
    return got && *got ? (*got)->trace.observation : 0;
  }
  ConsolidationRun Reflect() { return ReflectOf(context_); }
  ConsolidationRun ReflectOf(const TraceContext& context) {
    auto run = store_->consolidation().Reflect(context, false, api::kOriginUser);
    EXPECT_TRUE(run) << run.error().message;
    return run ? *run : ConsolidationRun();
  }
  ConsolidationCounts MustUndo(const std::string& run) {
    auto undone = store_->consolidation().Undo(context_, run);
    EXPECT_TRUE(undone && *undone) << (undone ? "" : undone.error().message);
    return undone && *undone ? **undone : ConsolidationCounts();
  }
  // Of the file, beside the store.
  int64_t CountOf(const std::string& sql) {
    auto file = sqlite::Database::Open(scratch_.File("store"), {sqlite::Access::kReader});
    EXPECT_TRUE(file) << file.error().message;
    auto read = file->Prepare(sql);
    EXPECT_TRUE(read && read->Step()) << sql;
    return read->Int(0);
  }
  // While the store is closed.
  void Write(const std::string& sql) {
    store_.reset();
    {
      auto file = sqlite::Database::Open(scratch_.File("store"), {sqlite::Access::kWriter});
      ASSERT_TRUE(file) << file.error().message;
      const base::Status done = file->Execute(sql.c_str());
      ASSERT_TRUE(done) << done.error().message;
    }
    Open();
  }

  ::testing::FakeClock clock_;
  TraceContext context_;
};

}  // namespace memory
