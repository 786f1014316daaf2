// The cost of lists, in calls of the clock (one per 2,000 instructions of SQLite's VM), and their
// equality with a sort of all rows.
#include <algorithm>
#include <atomic>
#include <map>
#include <random>

#include "lib/sqlite/database.h"
#include "lib/testing/fake_clock.h"
#include "lib/testing/temporary_directory.h"
#include "memory/sqlite/store/sqlite_store.h"
#include "memory/sqlite/store/store_fixture.h"
#include "memory/sqlite/tables/schema.h"

namespace memory {
namespace {

class CountingClock : public base::Clock {
 public:
  int64_t NowMs() const override { return kMidnight; }
  int64_t MonotonicMs() const override { return ++looks, 1; }
  mutable std::atomic<int> looks = 0;
};

// ?1 rows of p in one session, the newest half audit records, the oldest three of a rare type; as
// many of scope global, all but the two oldest of q; as many sessions with summaries.
constexpr const char* kRows[] = {
    "INSERT INTO projects VALUES(1, 'p', 'p'), (2, 'q', 'q')",
    "INSERT INTO ranges(number) VALUES(1), (2)",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) "
    "INSERT INTO sessions(id, project, started_ms, summarized_ms, summary) "
    "SELECT 's' || i, 1, i, i, 'done' FROM n",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) "
    "INSERT INTO observations(slot, id, range, project, session, position, words, marks, "
    "created_ms, updated_ms, seen_ms, content_ms, type, scope, hash, rule, tool, tool_call_id, "
    "origin, tags, title, grams, content) "
    "SELECT (1 << 32) + i, i, 1, 1, 1, i, 1, 0, ?2 + i, ?2 + i, ?2 + i, ?2 + i, "
    "CASE WHEN i <= 3 THEN 'rare' WHEN i > ?1 / 2 THEN 'audit' ELSE 'note' END, 'project', i, '', "
    "'', '', 'user', '[]', 't', '', 'c' FROM n",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) "
    "INSERT INTO observations(slot, id, range, project, session, position, words, marks, "
    "created_ms, updated_ms, seen_ms, content_ms, type, scope, hash, rule, tool, tool_call_id, "
    "origin, tags, title, grams, content) "
    "SELECT i, ?1 + i, 0, iif(i <= 2, 1, 2), iif(i <= 2, 2, 3), i, 1, 0, ?2 + i, ?2 + i, ?2 + i, "
    "?2 + i, 'note', 'global', 'g' || i, '', '', '', 'user', '[]', 't', '', 'c' FROM n"};

class ListCost : public ::testing::Test {
 protected:
  void Fill(int64_t rows) {
    store_.reset();
    scratch_.Remove("file");
    {
      auto database = sqlite::Database::Open(scratch_.File("file"), {});
      ASSERT_TRUE(database) << database.error().message;
      ASSERT_TRUE(sqlite::Migrate(*database, SchemaSteps()));
      ASSERT_TRUE(database->Execute("BEGIN"));
      for (const char* sql : kRows) {
        auto add = database->Prepare(sql);
        ASSERT_TRUE(add) << add.error().message;
        if (std::string_view(sql).find("?1") != std::string_view::npos) add->Bind(rows);
        if (std::string_view(sql).find("?2") != std::string_view::npos) add->Bind(kMidnight - kDay);
        auto added = add->Run();
        ASSERT_TRUE(added) << added.error().message;
      }
      ASSERT_TRUE(database->Execute("COMMIT"));
    }
    StoreOptions options;
    options.clock = &clock_;
    options.query_deadline_ms = options.read_timeout_ms = 1'000'000;
    options.retention = *DecodeRetention(*base::ParseJson(R"([{"type": "*", "ttl": "720h"}])"));
    auto store = SqliteStore::Open(scratch_.File("file"), options);
    ASSERT_TRUE(store) << store.error().message;
    store_ = std::move(*store);
  }
  template <class Call>
  int Cost(const Call& call) {
    auto first = call();  // opens a reader and compiles
    EXPECT_TRUE(first) << first.error().message;
    clock_.looks = 0;
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(call());
    return clock_.looks;
  }
  static Filter Of(const char* project, const char* type = nullptr, const char* scope = nullptr) {
    Filter filter;
    if (project) filter.project = project;
    if (type) filter.type = type;
    if (scope) filter.scope = scope;
    filter.limit = 3;
    return filter;
  }
  // The costs of everything that lists.
  std::map<std::string, int> Costs() {
    std::map<std::string, int> costs;
    costs["recent"] = Cost([&] { return store_->Recent(Of(nullptr)); });
    costs["recent of a type"] = Cost([&] { return store_->Recent(Of("p", "rare")); });
    costs["recent of a type, all projects"] =
        Cost([&] { return store_->Recent(Of(nullptr, "rare")); });
    costs["recent of a type that is none"] = Cost([&] { return store_->Recent(Of("p", "zzz")); });
    costs["recent of a project among all global"] =
        Cost([&] { return store_->Recent(Of("p", nullptr, "global")); });
    costs["recall without logs"] = Cost([&] { return store_->Recall(Of("p"), ""); });
    costs["timeline"] = Cost([&] { return store_->Timeline(50, 3, 3); });
    costs["sessions"] = Cost([&] { return store_->RecentSessions({}, 5); });
    costs["sessions of a project"] = Cost([&] { return store_->RecentSessions("p", 5); });
    costs["summaries"] = Cost([&] { return store_->Summaries({}, 3); });
    costs["summaries of a project"] = Cost([&] { return store_->Summaries("p", 3); });
    costs["summaries until a time"] = Cost([&] { return store_->Summaries("p", 3, 50); });
    costs["stats"] = Cost([&] { return store_->Count({}); });
    costs["stats of a project"] = Cost([&] { return store_->Count("p"); });
    return costs;
  }

  CountingClock clock_;
  testing::TemporaryDirectory scratch_;
  std::unique_ptr<SqliteStore> store_;
};

TEST_F(ListCost, CostFollowsTheAnswerNotTheStore) {
  Fill(300);
  if (HasFatalFailure()) return;
  auto few = Costs();
  Fill(9'000);
  if (HasFatalFailure()) return;
  for (const auto& [name, cost] : Costs()) EXPECT_LE(cost, few[name] + 10) << name;
  EXPECT_EQ(store_->Recent(Of("p", "rare"))->size(), 3u);
  EXPECT_EQ(store_->Recent(Of("p", nullptr, "global"))->size(), 2u);
  EXPECT_EQ(store_->Recall(Of("p"), "")->rows.size(), 3u);
  EXPECT_EQ(store_->Count({})->observations, 18'000);
  EXPECT_EQ(store_->Count("p")->observations, 9'002);
  EXPECT_EQ(store_->Count("p")->sessions, 9'000);
}

class Lists : public StoreTest {
 protected:
  // Everything that shows, by a sort.
  std::vector<api::Observation> Sorted(const Filter& filter) {
    std::vector<api::Observation> rows;
    for (const api::Observation& row : all_) {
      auto now = store_->Get(row.id);
      if (!now) continue;
      if (filter.project && now->project != *filter.project) continue;
      if (filter.type && now->type != *filter.type) continue;
      if (filter.scope && now->scope != *filter.scope) continue;
      rows.push_back(*now);
    }
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
      return std::pair(a.updated_ms, a.id) > std::pair(b.updated_ms, b.id);
    });
    return rows;
  }
  static Ids IdsOf(const std::vector<api::Observation>& rows) {
    Ids ids;
    for (const auto& row : rows) ids.push_back(row.id);
    return ids;
  }
  void Fill(std::mt19937_64& random, int count) {
    std::vector<ExportedRow> rows;
    for (int i = 1; i <= count; ++i) {
      ExportedRow made;
      made.row.id = 1 + static_cast<int64_t>(random() % 10'000);
      made.row.project = random() % 3 ? "p" : "q";
      made.row.session_id = made.row.project + std::to_string(random() % 2);
      made.row.type = std::vector{"a", "b", "audit"}[random() % 3];
      made.row.scope = random() % 3 ? "project" : "global";
      made.row.title = "t";
      made.row.content = std::to_string(i);
      made.row.normalized_hash = api::NormalizedHash(made.row.content);
      made.row.created_ms = kMidnight + static_cast<int64_t>(random() % 40);
      made.row.updated_ms = made.row.created_ms + static_cast<int64_t>(random() % 20);
      made.row.last_seen_ms = made.row.updated_ms;
      made.row.source.origin = "user";
      rows.push_back(std::move(made));
    }
    ASSERT_TRUE(store_->Import(rows, {}));
    for (int64_t id = 1; id <= 20'000; ++id) {
      if (auto row = store_->Get(id)) all_.push_back(*row);
    }
    for (size_t i = 0; i < all_.size(); i += 7)
      EXPECT_TRUE(store_->Delete(all_[i].id, i % 2, kMidnight));
  }
  std::vector<api::Observation> all_;
};

TEST_F(Lists, PagesTogetherEqualTheSortedRows) {
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  Fill(random, 150);
  const std::optional<std::string> none;
  using Text = std::optional<std::string>;
  for (const Text& project : {none, Text("p"), Text("q"), Text("never")}) {
    for (const Text& type : {none, Text("a"), Text("audit")}) {
      for (const Text& scope : {none, Text("global"), Text("project")}) {
        Filter filter;
        filter.project = project, filter.type = type, filter.scope = scope;
        filter.limit = 7;
        const Ids wanted = IdsOf(Sorted(filter));
        Ids found;
        for (;;) {
          auto page = store_->Recent(filter);
          ASSERT_TRUE(page) << page.error().message;
          for (const auto& row : *page) found.push_back(row.id);
          if (page->size() < filter.limit) break;
          filter.before = RowKey{page->back().updated_ms, page->back().id};
        }
        EXPECT_EQ(found, wanted) << project.value_or("-") << type.value_or("-")
                                 << scope.value_or("-");
      }
    }
  }
}

TEST_F(Lists, TimelineIsOrderedByTimeForAnyWriteOrder) {
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  Fill(random, 60);
  for (int i = 0; i < 20; ++i) {  // in the order of time, some deleted
    api::NewObservation note = Note("ordered " + std::to_string(i));
    note.session_id = "ordered";
    const int64_t id = MustSave(note, kMidnight + i / 3).id;
    all_.push_back(*store_->Get(id));
    if (i % 5 == 4) {
      EXPECT_TRUE(store_->Delete(id, false, kMidnight));
    }
  }
  std::map<std::string, std::vector<api::Observation>> sessions;
  for (const auto& row : all_) {
    if (store_->Get(row.id)) sessions[row.session_id].push_back(row);
  }
  ASSERT_GE(sessions.size(), 4u);
  for (auto& [session, rows] : sessions) {
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
      return std::pair(a.created_ms, a.id) < std::pair(b.created_ms, b.id);
    });
    const Ids ids = IdsOf(rows);
    for (size_t at = 0; at < ids.size(); ++at) {
      const size_t first = at < 2 ? 0 : at - 2, last = std::min(ids.size(), at + 4);
      auto window = store_->Timeline(ids[at], 2, 3);
      ASSERT_TRUE(window);
      EXPECT_EQ(IdsOf(*window), Ids(ids.begin() + static_cast<std::ptrdiff_t>(first),
                                    ids.begin() + static_cast<std::ptrdiff_t>(last)));
      auto behind = store_->Timeline(ids[0], 0, 2, ids[at]);
      ASSERT_TRUE(behind);
      EXPECT_EQ(IdsOf(*behind),
                Ids(ids.begin() + static_cast<std::ptrdiff_t>(at + 1),
                    ids.begin() + static_cast<std::ptrdiff_t>(std::min(ids.size(), at + 3))));
      auto before = store_->Timeline(ids[0], 2, 0, ids[at]);
      ASSERT_TRUE(before);
      EXPECT_EQ(IdsOf(*before), Ids(ids.begin() + static_cast<std::ptrdiff_t>(first),
                                    ids.begin() + static_cast<std::ptrdiff_t>(at)));
    }
  }
  const Ids ordered = IdsOf(sessions["ordered"]), other = IdsOf(sessions["p0"]);
  EXPECT_EQ(store_->Timeline(ordered[0], 0, 3, other[0]).error().code, base::Code::kInvalid);
  // Its row was deleted since, softly: the place is there still.
  EXPECT_TRUE(store_->Delete(ordered[1], false, kMidnight));
  EXPECT_EQ(store_->Timeline(ordered[0], 0, 1, ordered[1])->at(0).id, ordered[2]);
}

}  // namespace
}  // namespace memory
