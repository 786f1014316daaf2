// Shows that dead letters keep their reason and can be replayed, that the counters always balance,
// and the answers of the routes.
#include "sidecar/outbox/dead_letters.h"

#include <gtest/gtest.h>

#include <random>

#include "sidecar/sidecar_fixture.h"
#include "sidecar/upstream/outbox_fixture.h"

namespace sidecar {
namespace {

using base::Json;

class Replay : public OutboxTest {
 protected:
  void Kill(int64_t sequence, const std::string& cause) {
    Apply([&](sqlite::Database& db) { return MarkDead(db, sequence, cause, "because"); });
  }
  Replayed Do(const ReplayChoice& choice, OutboxLimits limits = {}) {
    return *state_->Write<Replayed>(
        [&](sqlite::Database& db) { return ReplayDeadLetters(db, choice, limits); });
  }
  std::vector<int64_t> Pending() {
    std::vector<int64_t> sequences;
    auto rows = state_->Read([](sqlite::Database& db) { return PendingRows(db, 0, 1'000); });
    for (const OutboxHead& head : *rows) sequences.push_back(head.sequence);
    return sequences;
  }
};

TEST_F(Replay, ChosenLettersBecomePendingUnchanged) {
  for (int i = 1; i <= 5; ++i) Add("lane", std::to_string(i));
  const auto before = *state_->Read([](sqlite::Database& db) { return LoadRow(db, 3); });
  Kill(1, "400");
  Kill(3, "destination");
  Kill(4, "400");
  EXPECT_EQ(Do({{3, 3, 99, 2}, ""}).replayed, 1);  // 2 is pending, 99 does not exist
  ExpectBalance();
  const auto after = *state_->Read([](sqlite::Database& db) { return LoadRow(db, 3); });
  ASSERT_TRUE(after);
  EXPECT_EQ(after->body, before->body);
  EXPECT_EQ(after->idempotency_key, before->idempotency_key);
  EXPECT_EQ(after->destination, before->destination);
  EXPECT_EQ(after->lane, before->lane);
  EXPECT_EQ(Do({{}, "404"}).replayed, 0);
  EXPECT_EQ(Do({{}, "400"}).replayed, 2);
  EXPECT_EQ(Pending(), (std::vector<int64_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(Totals().dead, 0);
  EXPECT_EQ(Totals().dead_bytes, 0);
  ExpectBalance();
}

TEST_F(Replay, RetentionLetterIsReplayedOnlyByNumber) {
  Add("lane", "1");
  ASSERT_TRUE(state_->Change([](sqlite::Database& db) {
    OutboxRow row;
    row.lane = row.kind = "retention";
    row.body = "{}";
    return Enqueue(db, row, {});
  }));
  Kill(1, "400");
  Kill(2, "400");
  EXPECT_EQ(Do({{}, ""}).replayed, 1);
  EXPECT_EQ(Do({{}, "400"}).replayed, 0);
  EXPECT_EQ(Do({{2}, ""}).replayed, 1);
  ExpectBalance();
}

TEST_F(Replay, FullOutboxReplaysOldestLettersOnly) {
  for (int i = 1; i <= 4; ++i) Add("lane", std::to_string(i));
  for (int i = 1; i <= 4; ++i) Kill(i, "400");
  const Replayed done = Do({}, {.rows = 3, .bytes = 1 << 20});
  EXPECT_EQ(done.replayed, 3);
  EXPECT_EQ(done.left, 1);
  EXPECT_EQ(Pending(), (std::vector<int64_t>{1, 2, 3}));
  ExpectBalance();
}

TEST_F(Replay, DeadLettersKeepBodiesAndCountInBytes) {
  const OutboxLimits limits{.rows = 100, .bytes = 30 << 20};
  const std::string large(6 << 20, 'x');
  for (int i = 1; i <= 4; ++i) ASSERT_TRUE(TryAdd("lane", std::to_string(i) + large, limits));
  for (int i = 1; i <= 4; ++i) Kill(i, "413");
  const auto letters = *state_->Read([](sqlite::Database& db) { return DeadLetters(db, 0, 10); });
  ASSERT_EQ(letters.size(), 4u);
  for (const DeadLetter& letter : letters) EXPECT_GT(letter.bytes, 6 << 20);
  const auto refused = TryAdd("lane", "5" + large, limits);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kFull);
  EXPECT_NE(refused.error().message.find("4 dead letters"), std::string::npos)
      << refused.error().message;
  EXPECT_EQ(Do({}, limits).replayed, 4);
  EXPECT_EQ(Totals().dead_bytes, 0);
  ExpectBalance();
}

// With random answers of the server, crashes of the process and replays, every write stays in
// exactly one of the four counters, and the server takes each delivered write once in effect.
TEST_F(Replay, CountersBalanceAtEveryMoment) {
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const OutboxLimits limits{.rows = 40, .bytes = 1 << 20};
  std::set<std::string> taken;
  int64_t accepted = 0, discarded = 0;
  bool away = false;
  auto server = [&](const std::string&,
                    http::ClientRequest request) -> base::Result<http::Response> {
    constexpr int kAnswers[] = {201, 201, 201, 200, 500, 503, 429, 401, 409, 400, 413, 422, 404};
    if (away || random() % 20 == 0) return base::Error{base::Code::kUnavailable, "refused"};
    const int status = kAnswers[random() % std::size(kAnswers)];
    if (status < 300) taken.insert(request.body);
    if (random() % 10 == 0) return base::Error{base::Code::kTimeout, "the answer was lost"};
    return Status(status);
  };
  auto delivery = std::make_unique<Delivery>(
      *state_, server, [&] { return random() % 30 ? "http://here:1" : "http://elsewhere:1"; },
      clock_, Delivery::Options{});
  for (int step = 0; step < 600; ++step) {
    switch (random() % 9) {
      case 0:
      case 1:
      case 2:
        for (uint64_t i = random() % 8; i > 0; --i) {
          accepted += TryAdd("lane" + std::to_string(random() % 4),
                             std::to_string(step) + "-" + std::to_string(i), limits)
                          .has_value();
        }
        break;
      case 3:
        away = random() % 3 == 0;
        break;
      case 4:
        Do({{}, random() % 2 ? "" : "400"}, limits);
        break;
      case 5:
        if (random() % 4 == 0) {
          delivery.reset();
          Open();
          delivery = std::make_unique<Delivery>(
              *state_, server, [] { return "http://here:1"; }, clock_, Delivery::Options{});
        }
        break;
      case 6:
        if (const auto letters =
                *state_->Read([](sqlite::Database& db) { return DeadLetters(db, 0, 1); });
            !letters.empty()) {
          Apply([&](sqlite::Database& db) { return DiscardDeadLetter(db, letters[0].sequence); });
          ASSERT_EQ(Totals().discarded, ++discarded) << "step " << step;
        }
        break;
      default:
        clock_.Advance(delivery->Round());
    }
    ASSERT_NO_FATAL_FAILURE(ExpectBalance());
    ASSERT_EQ(Totals().accepted, accepted) << "step " << step;
    ASSERT_LE(Totals().delivered, static_cast<int64_t>(taken.size())) << "step " << step;
    ASSERT_FALSE(HasFailure()) << "step " << step;
  }
}

class DeadLetterRoutes : public SidecarTest {
 protected:
  void LetAdmin() {
    directory_.Write("policy.json",
                     PolicyText(memory_.url(), {{"memory", {{"allowAdmin", true}}}}));
    Start();
  }
  // Makes one dead letter: a capture that the server refuses permanently.
  void MakeOne(const std::string& call = "t1") {
    memory_.With([](StubMemory& stub) { return stub.refuse_observations = 422; });
    Bash("error: no such file", call);
    ASSERT_TRUE(Until([&] { return Ask("GET", "/v1/status").body["dead"] == 1; }));
  }
};

TEST_F(DeadLetterRoutes, ListReasonsAndReplay) {
  MakeOne();
  const Json list = Ask("GET", "/v1/dead-letters").body["dead_letters"];
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0]["cause"], "422");
  EXPECT_EQ(list[0]["replayable"], true);
  EXPECT_FALSE(list[0]["reason"].get<std::string>().empty());
  const std::string one = "/v1/dead-letters/" + std::to_string(list[0]["sequence"].get<int64_t>());
  EXPECT_EQ(Ask("GET", one).body["body"]["type"], "bugfix");
  memory_.With([](StubMemory& stub) { return stub.refuse_observations = 0; });
  EXPECT_EQ(Ask("POST", "/v1/dead-letters/replay", {{"all", true}}).body,
            (Json{{"replayed", 1}, {"left", 0}}));
  ASSERT_TRUE(memory_.WaitForObservations(1));
  ASSERT_TRUE(Drained());
  const Json status = Ask("GET", "/v1/status").body;
  EXPECT_EQ(status["dead"], 0);
  EXPECT_EQ(status["accepted"], status["delivered"]);
  EXPECT_EQ(Ask("GET", one).status, 404);
}

TEST_F(DeadLetterRoutes, DiscardedLetterIsCountedAndNeverSent) {
  MakeOne();
  const Json list = Ask("GET", "/v1/dead-letters").body["dead_letters"];
  ASSERT_EQ(list.size(), 1u);
  const std::string one = "/v1/dead-letters/" + std::to_string(list[0]["sequence"].get<int64_t>());
  EXPECT_EQ(Ask("DELETE", one).status, 403) << "not the agent's to destroy";
  EXPECT_EQ(Ask("GET", one).status, 200);
  LetAdmin();
  EXPECT_EQ(Ask("DELETE", "/v1/dead-letters/0").status, 400);
  EXPECT_EQ(Ask("DELETE", "/v1/dead-letters/999").status, 404);
  EXPECT_EQ(Ask("DELETE", one).body["discarded"], true);
  EXPECT_EQ(Ask("DELETE", one).status, 404);
  EXPECT_EQ(Ask("GET", one).status, 404);
  memory_.With([](StubMemory& stub) { return stub.refuse_observations = 0; });
  EXPECT_EQ(Ask("POST", "/v1/dead-letters/replay", {{"all", true}}).body["replayed"], 0);
  Start();
  const Json status = Ask("GET", "/v1/status").body;
  EXPECT_EQ(status["dead"], 0);
  EXPECT_EQ(status["dead_bytes"], 0);
  EXPECT_EQ(status["discarded"], 1);
  EXPECT_EQ(status["accepted"], status["delivered"].get<int64_t>() + 1);
  EXPECT_EQ(memory_.CountCalls("POST /observations"), 1u);
}

TEST_F(DeadLetterRoutes, MistypedBodyReplaysNothing) {
  MakeOne();
  for (const Json& body :
       {Json::object(), Json::array(), Json{{"all", false}}, Json{{"all", "yes"}},
        Json{{"cause", ""}}, Json{{"sequences", Json::array()}}, Json{{"sequences", {"1"}}},
        Json{{"all", true}, {"cause", "422"}}, Json{{"everything", true}}}) {
    EXPECT_EQ(Ask("POST", "/v1/dead-letters/replay", body).status, 400) << body;
  }
  EXPECT_EQ(Ask("GET", "/v1/status").body["dead"], 1);
  for (const char* target : {"/v1/dead-letters?limit=0", "/v1/dead-letters?limit=1001",
                             "/v1/dead-letters?before=x", "/v1/dead-letters/x"}) {
    EXPECT_EQ(Ask("GET", target).status, 400) << target;
  }
}

TEST_F(DeadLetterRoutes, StatusAndMetricsBalanceUnderLoad) {
  LetAdmin();
  std::jthread agent([&](const std::stop_token& stop) {
    auto client = ClientOf(running_->api_address());
    for (int i = 0; !stop.stop_requested(); ++i) {
      memory_.With([&](StubMemory& stub) {
        constexpr int kAnswers[] = {0, 0, 500, 422, 0, 503};
        return stub.refuse_observations = kAnswers[i % std::size(kAnswers)];
      });
      http::ClientRequest request;
      request.method = "POST";
      request.target = "/v1/hooks";
      request.body = base::DumpJson({{"hook_event_name", "PostToolUse"},
                                     {"session_id", "c" + std::to_string(i % 3)},
                                     {"tool_name", "Bash"},
                                     {"tool_input", {{"command", "make"}}},
                                     {"tool_response", {{"stdout", "error " + std::to_string(i)}}},
                                     {"tool_use_id", "t" + std::to_string(i)}});
      (void)client->Send(request);
      if (i % 10 == 4) {
        request.target = "/v1/dead-letters?limit=1";
        request.method = "GET";
        request.body.clear();
        const auto letters = client->Send(request);
        const Json list = letters ? base::ParseJson(letters->body)->at("dead_letters") : Json();
        for (const Json& letter : list) {
          request.method = "DELETE";
          request.target = "/v1/dead-letters/" + letter["sequence"].dump();
          (void)client->Send(request);
        }
      }
      if (i % 10 == 9) {
        request.method = "POST";
        request.target = "/v1/dead-letters/replay";
        request.body = R"({"all": true})";
        (void)client->Send(request);
      }
    }
  });
  int64_t accepted = 0;
  for (int i = 0; i < 150; ++i) {
    const Json status = Ask("GET", "/v1/status").body;
    ASSERT_EQ(status["accepted"],
              status["delivered"].get<int64_t>() + status["pending"].get<int64_t>() +
                  status["dead"].get<int64_t>() + status["discarded"].get<int64_t>())
        << status;
    int64_t dead = 0;
    for (const auto& [cause, count] : status["dead_by_cause"].items()) dead += count.get<int64_t>();
    ASSERT_EQ(dead, status["dead"]) << status;
    accepted = status["accepted"];
    http::ClientRequest scrape;
    scrape.target = "/metrics";
    const auto metrics = admin_->Send(scrape);
    ASSERT_TRUE(metrics);
    auto gauge = [&](const char* state) {
      const std::string name =
          std::string("agent_memory_sidecar_outbox_writes{state=\"") + state + "\"} ";
      const size_t at = metrics->body.find(name);
      return at == std::string::npos ? -1 : std::atoll(metrics->body.c_str() + at + name.size());
    };
    ASSERT_EQ(gauge("accepted"),
              gauge("delivered") + gauge("pending") + gauge("dead") + gauge("discarded"));
  }
  EXPECT_GT(accepted, 0);
}

}  // namespace
}  // namespace sidecar
