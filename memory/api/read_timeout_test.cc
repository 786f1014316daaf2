// Every read ends at its time: no route holds a connection or the WAL for longer. Time is counted
// in looks at the clock, one for each 2,000 instructions of SQLite's machine.
#include <atomic>

#include "lib/sqlite/database.h"
#include "lib/testing/temporary_directory.h"
#include "memory/api/api_fixture.h"
#include "memory/api/gate.h"
#include "memory/sqlite/ranking/sqlite_candidates.h"
#include "memory/sqlite/store/sqlite_store.h"
#include "memory/sqlite/store/state.h"

namespace memory {
namespace {

// A millisecond passes with each look.
class TickingClock : public base::Clock {
 public:
  int64_t NowMs() const override { return kMidnight; }
  int64_t MonotonicMs() const override { return ++looks_; }

 private:
  mutable std::atomic<int64_t> looks_{0};
};

class ReadTimeout : public ApiTest {
 protected:
  static constexpr int kRows = 3000;

  ReadTimeout() { server_.reset(); }
  ~ReadTimeout() override { server_.reset(); }
  void StartWith(int64_t query_deadline_ms, int64_t read_timeout_ms) {
    server_.reset();
    ServerSettings settings;
    settings.data_dir = scratch_.File("data");
    settings.lock_wait_ms = 0;
    settings.store.index_bytes = 0;
    settings.store.query_deadline_ms = query_deadline_ms;
    settings.store.read_timeout_ms = read_timeout_ms;
    auto server = RunningServer::Start(settings, ticking_);
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    client_ = Connect(server_->api_address());
    admin_ = Connect(server_->admin_address());
  }
  // Rows of one session that all hold a word, the first with many texts; and many sessions.
  void Fill() {
    auto store = server_->engine().Open(kEverybody);
    ASSERT_TRUE(store);
    std::vector<api::Session> sessions;
    std::vector<ExportedRow> rows;
    for (int i = 1; i <= kRows; ++i) {
      api::Session session;
      session.id = "s" + std::to_string(i);
      session.project = "p";
      session.summary = "what was done";
      session.started_ms = session.ended_ms = i;
      sessions.push_back(std::move(session));
      ExportedRow made;
      made.row.id = i;
      made.row.session_id = "s1";
      made.row.project = "p";
      made.row.type = "note";
      made.row.title = "t";
      made.row.content = "zeppelin " + std::to_string(i);
      made.row.created_ms = made.row.updated_ms = made.row.last_seen_ms = kMidnight - kDay + i;
      made.row.revision_count = i == 1 ? kRows : 2;
      for (int64_t number = 1; number < made.row.revision_count; ++number)
        made.revisions.push_back(
            {number, made.row.updated_ms, number, "note", "t", "airship", "user", {}});
      rows.push_back(std::move(made));
    }
    auto known = (*store)->Import(sessions);
    ASSERT_TRUE(known) << known.error().message;
    auto imported = (*store)->Import(rows, {});
    ASSERT_TRUE(imported) << imported.error().message;
    ASSERT_EQ(IdsOf(Get("/observations/recent?limit=1").body), Ids{kRows});
  }
  void ExpectCutOff(const std::string& target) {
    const Answered answer = Get(target);
    ++cut_off_;
    EXPECT_EQ(answer.status, 503) << target;
    EXPECT_TRUE(answer.headers.Get("Retry-After")) << target;
    ASSERT_TRUE(answer.body.is_object()) << target;
    EXPECT_EQ(answer.body["code"], "unavailable") << target;
    EXPECT_TRUE(answer.body.value("error", "").starts_with("read-timeout: ")) << answer.body;
  }
  using Ids = std::vector<int64_t>;

  TickingClock ticking_;
  int cut_off_ = 0;  // reads that ExpectCutOff sent
};

TEST_F(ReadTimeout, TimeoutEndsEveryExpensiveRead) {
  StartWith(60'000'000, 3'600'000);
  Fill();
  if (HasFatalFailure()) return;
  StartWith(60'000'000, 4);
  const std::string all = "limit=1000";
  const std::string then = "&as_of=2026-04-11T00:00:00Z";
  const std::vector<std::string> targets = {
      "/observations/recent?" + all,     "/timeline?observation_id=1500&before=1000&after=1000",
      "/sessions/recent?" + all,         "/observations/1/revisions?" + all,
      "/search?q=zeppelin&" + all,       "/search?q=zeppelin&syntax=fts5&" + all,
      "/search?q=airship&" + all + then, "/context?query=zeppelin&" + all,
      "/context?sessions=1000&limit=0",  "/context?query=airship&" + all + then};
  for (const std::string& target : targets) ExpectCutOff(target);
  // What it ended, it ended cleanly: the connections read again.
  EXPECT_EQ(Get("/observations/2").status, 200);
  EXPECT_EQ(Send(*client_, "PUT", "/retention?project=p",
                 R"({"retention": [{"type": "*", "ttl": "1h"}]})")
                .status,
            200);
  ExpectCutOff("/stats");
  const Answered metrics = Send(*admin_, "GET", "/metrics", "");
  EXPECT_NE(metrics.body.get<std::string>().find(
                "agent_memory_server_reads_cut_off_total{limit=\"read-timeout\"} " +
                std::to_string(cut_off_)),
            std::string::npos);
}

TEST_F(ReadTimeout, SearchEndsPartialAtItsOwnDeadline) {
  StartWith(60'000'000, 3'600'000);
  Fill();
  if (HasFatalFailure()) return;
  StartWith(1, 3'600'000);
  const Answered answer = Get("/search?q=zeppelin&limit=3");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.Get("X-Partial"), "true");
  EXPECT_EQ(Get("/search?q=airship&limit=3&as_of=2026-04-11T00:00:00Z").headers.Get("X-Partial"),
            "true");
}

TEST(Readers, BusyReadersAre503AfterTheWaitLimit) {
  testing::TemporaryDirectory scratch;
  auto store = SqliteStore::Open(scratch.File("store"), {});
  ASSERT_TRUE(store) << store.error().message;
  int opened = 0;
  std::vector<std::string> cut_off;
  ReaderPool::Options options;
  options.most = 1;
  options.read_ms = 1;
  options.on_cut_off = [&](const char* limit) { cut_off.push_back(limit); };
  ReaderPool pool(
      [&]() -> base::Result<std::unique_ptr<Reader>> {
        ++opened;
        sqlite::Database::Options reading;
        reading.access = sqlite::Access::kReader;
        ASSIGN_OR_RETURN(auto database, sqlite::Database::Open(scratch.File("store"), reading));
        ASSIGN_OR_RETURN(auto candidates, SqliteCandidates::Make(std::move(database)));
        return std::make_unique<Reader>(std::move(candidates), nullptr);
      },
      options);
  {
    auto first = Snapshot::Begin(pool);
    ASSERT_TRUE(first) << first.error().message;
    auto second = Snapshot::Begin(pool);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, base::Code::kUnavailable);
    EXPECT_TRUE(second.error().message.starts_with("readers: all 1 connections"));
    EXPECT_EQ(http::ErrorResponse(second.error()).status, 503);
    EXPECT_TRUE(http::ErrorResponse(second.error()).headers.Get("Retry-After"));
  }
  EXPECT_TRUE(Snapshot::Begin(pool));
  EXPECT_EQ(opened, 1);
  EXPECT_EQ(cut_off, std::vector<std::string>{"readers"});
}

}  // namespace
}  // namespace memory
