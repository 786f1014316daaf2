// Replicas of the server on one database: what one acknowledges the others answer with.
#include "memory/engines/postgres/postgres_engine.h"

#include <cstdlib>
#include <random>
#include <set>
#include <thread>

#include "memory/engines/postgres/store_fixture.h"

namespace memory {
namespace {

using base::Code;

std::set<int64_t> IdsOf(const base::Result<SearchResult>& found) {
  EXPECT_TRUE(found) << found.error().message;
  std::set<int64_t> ids;
  if (!found) return ids;
  EXPECT_FALSE(found->partial);
  for (const Found& one : found->rows) ids.insert(one.row.id);
  return ids;
}

Filter Of(const std::string& project, size_t limit = 20) {
  Filter filter;
  filter.project = project;
  filter.limit = limit;
  return filter;
}

TEST_F(PostgresEngineTest, WriteOfOneReplicaIsInTheNextAnswerOfAnyOther) {
  const auto one = StartReplica(), two = StartReplica(), three = StartReplica();
  const std::vector<std::shared_ptr<Store>> stores = {OpenIn(*one), OpenIn(*two), OpenIn(*three)};
  const unsigned seed = std::random_device()();
  RecordProperty("seed", std::to_string(seed));
  std::mt19937 random(seed);
  const auto any = [&]() -> Store& { return *stores[random() % stores.size()]; };
  std::set<int64_t> live;
  for (int i = 0; i < 150; ++i) {
    if (random() % 4 == 0 && !live.empty()) {
      const int64_t id = *live.begin();
      ASSERT_TRUE(any().Delete(id, random() % 2 == 0, clock_.NowMs()));
      live.erase(id);
    } else {
      const auto saved =
          any().Save(Note("kingfisher number " + std::to_string(i)), "", clock_.NowMs());
      ASSERT_TRUE(saved) << saved.error().message;
      live.insert(saved->id);
    }
    ASSERT_EQ(IdsOf(any().Search(Of("p", 200), "kingfisher", false)), live)
        << "step " << i << ", seed " << seed;
  }
}

TEST_F(PostgresEngineTest, IndexOlderThanTheClearedChangesIsMadeAnew) {
  const auto one = StartReplica(), two = StartReplica();
  const auto a = OpenIn(*one), b = OpenIn(*two);
  ASSERT_TRUE(a->Save(Note("kingfisher first"), "", clock_.NowMs()));
  ASSERT_EQ(IdsOf(b->Search(Of("p"), "kingfisher", false)).size(), 1u);
  ASSERT_TRUE(a->Save(Note("kingfisher second"), "", clock_.NowMs()));
  postgres::Database own = Own();
  Run(own,
      "BEGIN; SELECT agent_memory.enter(1, 0, '[]', true); "
      "DO $f$ BEGIN ASSERT agent_memory.clear_changes(0, 1000) > 0; END $f$; COMMIT");
  EXPECT_EQ(IdsOf(b->Search(Of("p"), "kingfisher", false)).size(), 2u);
}

TEST_F(PostgresEngineTest, RulesOfRetentionHoldOnEveryReplicaAtOnce) {
  const auto one = StartReplica(), two = StartReplica();
  const auto a = OpenIn(*one), b = OpenIn(*two);
  ASSERT_TRUE(a->Save(Note("kingfisher"), "", clock_.NowMs()));
  ASSERT_EQ(b->Recent(Of("p"))->size(), 1u);
  clock_.Advance(10 * kMinute);
  const base::Status set = a->SetRetention("p", {{"*", "project", kMinute, 0}});
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(b->Recent(Of("p"))->size(), 0u);
  EXPECT_EQ(b->Count(std::nullopt)->observations, 0);
  ASSERT_EQ(b->Retention("p")->size(), 1u);
  EXPECT_EQ(b->Retention("p")->front().ttl_ms, kMinute);
}

TEST_F(PostgresEngineTest, ManyWritersOfOneTopicOverReplicasMakeOneRow) {
  const auto one = StartReplica(), two = StartReplica(), three = StartReplica();
  const std::vector<std::shared_ptr<Store>> stores = {OpenIn(*one), OpenIn(*two), OpenIn(*three)};
  constexpr int kWriters = 64;
  std::vector<std::thread> writers;
  std::atomic<int> stored{0};
  for (int i = 0; i < kWriters; ++i) {
    writers.emplace_back([&, i] {
      api::NewObservation note = Note("text " + std::to_string(i));
      note.topic_key = "topic/one";
      if (stores[static_cast<size_t>(i) % stores.size()]->Save(note, "", clock_.NowMs())) ++stored;
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(stored, kWriters);
  const auto rows = stores[0]->Recent(Of("p"));
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->size(), 1u);
  EXPECT_EQ(rows->front().revision_count, kWriters);
}

TEST_F(PostgresEngineTest, TenantsSeeOnlyTheirOwn) {
  const auto engine = StartReplica();
  const auto a = OpenIn(*engine, "a"), b = OpenIn(*engine, "b");
  ASSERT_TRUE(a->Save(Note("kingfisher of a"), "", clock_.NowMs()));
  EXPECT_EQ(IdsOf(b->Search(Of("p"), "kingfisher", false)).size(), 0u);
  EXPECT_EQ(IdsOf(a->Search(Of("p"), "kingfisher", false)).size(), 1u);
  EXPECT_EQ(engine->Figures().tenants, 2);
}

// AGENT_MEMORY_TEST_TENANTS=10000 for the long run. An engine with a table or an index for each
// tenant would run out of locks.
TEST_F(PostgresEngineTest, AnyNumberOfTenantsIsOpenedAndWrites) {
  const char* asked = std::getenv("AGENT_MEMORY_TEST_TENANTS");
  const int tenants = asked ? std::atoi(asked) : 300;
  PostgresOptions options = Options();
  options.open_tenants = 64;
  const auto engine = StartReplica(options);
  ASSERT_TRUE(OpenIn(*engine, "t0"));
  postgres::Database own = Own();
  const int64_t objects = Number(own, "SELECT count(*) FROM pg_class");
  for (int i = 0; i < tenants; ++i) {
    const auto store = OpenIn(*engine, "t" + std::to_string(i));
    ASSERT_TRUE(store) << i;
    const auto saved = store->Save(Note("of " + std::to_string(i)), "", clock_.NowMs());
    ASSERT_TRUE(saved) << i << ": " << saved.error().message;
    ASSERT_EQ(saved->id, 1) << i;
  }
  for (const int i : {0, tenants / 2, tenants - 1}) {
    const auto rows = OpenIn(*engine, "t" + std::to_string(i))->Recent(Of("p"));
    ASSERT_TRUE(rows) << rows.error().message;
    ASSERT_EQ(rows->size(), 1u);
    EXPECT_EQ(rows->front().content, "of " + std::to_string(i));
  }
  EXPECT_EQ(engine->Figures().tenants, tenants);
  EXPECT_EQ(Number(own, "SELECT count(*) FROM pg_class"), objects);
}

TEST_F(PostgresEngineTest, HalfAnAddressEndsTheStart) {
  for (const char* dsn : {"host=db.example user=memory", "dbname=memory", "", "no address"}) {
    WriteDsn(dsn);
    const auto started = PostgresEngine::Start(Options(), metrics_);
    ASSERT_FALSE(started) << dsn;
    EXPECT_EQ(started.error().code, Code::kInvalid) << started.error().message;
  }
}

TEST_F(PostgresEngineTest, ServerThatIsAwayAtTheStartServesLater) {
  WriteDsn("host=" + scratch_.path() + " user=" + role_ + " dbname=" + name_);
  const auto engine = StartReplica();
  const auto opened = engine->Open("a");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::kUnavailable) << opened.error().message;
  EXPECT_EQ(engine->ProbeWrite().error().code, Code::kUnavailable);
  WriteDsn("host=" + directory_ + " user=" + role_ + " dbname=" + name_);
  EXPECT_TRUE(engine->ProbeWrite());
  ASSERT_TRUE(OpenIn(*engine)->Save(Note("kept"), "", clock_.NowMs()));
}

TEST_F(PostgresEngineTest, NothingIsAcknowledgedWithoutTheStandbyThatIsRequired) {
  PostgresOptions options = Options();
  ASSERT_TRUE(OpenIn(*StartReplica())->Save(Note("before"), "", clock_.NowMs()));
  options.require_sync = true;
  const auto engine = StartReplica(options);
  const base::Status ready = engine->ProbeWrite();
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().code, Code::kUnavailable);
  EXPECT_NE(ready.error().message.find("synchronous_standby_names is empty"), std::string::npos)
      << ready.error().message;
  const auto opened = engine->Open("a");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::kUnavailable) << opened.error().message;
}

class StandbyTest : public postgres::OwnServerTest {};

// A commit that waited would hold its tenant's lock until a standby comes.
TEST_F(StandbyTest, WithoutAStandbyThatIsConnectedAProbeIsRefusedAtOnceAndNoSessionWaits) {
  Start({"--set", "synchronous_standby_names=x", "--set", "synchronous_commit=local"});
  if (IsSkipped()) return;
  testing::TemporaryDirectory scratch;
  telemetry::Metrics metrics;
  PostgresOptions options;
  options.dsn_file = scratch.File("dsn");
  options.spools = scratch.path();
  std::ofstream(options.dsn_file) << "host=" << server_->directory()
                                  << " user=postgres dbname=postgres";
  ASSERT_TRUE(PostgresEngine::Start(options, metrics));
  options.require_sync = true;
  const auto engine = PostgresEngine::Start(options, metrics);
  ASSERT_TRUE(engine);
  const base::Status ready = (*engine)->ProbeWrite();
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().code, Code::kUnavailable);
  EXPECT_NE(ready.error().message.find("no standby is connected"), std::string::npos)
      << ready.error().message;
  postgres::Database admin = postgres::ConnectTo(server_->At());
  EXPECT_EQ(
      *postgres::Ask(admin, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"),
      0);
}

TEST_F(PostgresEngineTest, OneReplicaSweepsATenant) {
  const auto one = StartReplica(), two = StartReplica();
  const auto a = OpenIn(*one), b = OpenIn(*two);
  const base::Status set = a->SetRetention("p", {{"*", "project", kMinute, 0}});
  ASSERT_TRUE(set) << set.error().message;
  ASSERT_TRUE(a->Save(Note("kingfisher"), "", clock_.NowMs()));
  clock_.Advance(10 * kMinute);
  int64_t lapsed[2] = {0, 0};
  int at = 0;
  for (const auto& engine : {one.get(), two.get()}) {
    engine->Sweep({}, [&](const base::Result<Swept>& swept) {
      ASSERT_TRUE(swept) << swept.error().message;
      lapsed[at] += swept->lapsed;
    });
    ++at;
  }
  EXPECT_EQ(lapsed[0], 1);
  EXPECT_EQ(lapsed[1], 0);
  EXPECT_EQ(Number(*std::make_unique<postgres::Database>(Own()),
                   "SELECT sweep_number FROM agent_memory_rows.tenants"),
            1);
}

}  // namespace
}  // namespace memory
