// Readiness fails with the file and the remedy while a file is corrupt, and recovers after a
// repair.
#include "memory/sqlite/engine/soundness.h"

#include "lib/http/client/client.h"
#include "lib/testing/fake_clock.h"
#include "lib/testing/temporary_directory.h"
#include "memory/api/api_fixture.h"
#include "memory/sqlite/store/damage_fixture.h"

namespace memory {
namespace {

class SoundnessTest : public ::testing::Test {
 protected:
  SoundnessTest() : clock_(kMidnight) {}

  void Start(int64_t check_every_ms = kDay) {
    server_.reset();
    ServerSettings settings;
    settings.data_dir = data_;
    settings.lock_wait_ms = 0;
    settings.check_every_ms = check_every_ms;
    settings.store.index_bytes = 0;  // searches ask FTS5
    auto server = RunningServer::Start(settings, clock_);
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    client_ = ApiTestAccess::Connect(server_->api_address());
    admin_ = ApiTestAccess::Connect(server_->admin_address());
  }
  // Fifty rows on the disk, and no server.
  void Fill() {
    Start(0);
    for (int i = 0; i < 50; ++i) {
      auto note = api::EncodeNewObservation(Note("zeppelin " + std::to_string(i)));
      ASSERT_EQ(Ask(*client_, "POST", "/observations", base::DumpJson(note)).status, 201);
    }
    ASSERT_TRUE(Eventually([&] {  // new rows wait for the index until they are asked for
      return Ask(*client_, "GET", "/search?q=zeppelin&limit=100").body.size() == 50;
    }));
    server_.reset();
    file_ = TheFileIn(data_);
    ASSERT_FALSE(file_.empty());
  }
  static Answered Ask(http::Client& client, const std::string& method, const std::string& target,
                      const std::string& body = "") {
    return ApiTestAccess::Send(client, method, target, body, "");
  }
  Answered Readiness() { return Ask(*admin_, "GET", "/readyz"); }
  double Metric(const std::string& series) {
    const std::string text = Ask(*admin_, "GET", "/metrics").body.get<std::string>();
    const size_t at = text.find("\n" + series + " ");
    return at == std::string::npos ? 0 : std::stod(text.substr(at + series.size() + 2));
  }
  void ExpectRed() {
    ASSERT_TRUE(Eventually([&] {
      const Answered answer = Readiness();
      return answer.status == 503 &&
             answer.body.dump().find("import the export") != std::string::npos;
    })) << Readiness().body;
    EXPECT_NE(Readiness().body.dump().find(file_), std::string::npos);
    EXPECT_EQ(Metric("agent_memory_server_damaged_files"), 1);
  }

  struct ApiTestAccess : ApiTest {
    using ApiTest::Connect;
    using ApiTest::Send;
  };
  ::testing::FakeClock clock_;
  testing::TemporaryDirectory scratch_;
  const std::string data_ = scratch_.File("data");
  std::string file_;
  std::unique_ptr<RunningServer> server_;
  std::unique_ptr<http::Client> client_, admin_;
};

TEST_F(SoundnessTest, SoundFileIsCheckedAtTheStartAndReady) {
  Fill();
  Start();
  EXPECT_TRUE(Eventually(
      [&] { return Metric("agent_memory_server_checks_total{outcome=\"sound\"}") == 1; }));
  EXPECT_EQ(Readiness().status, 200);
  EXPECT_EQ(Metric("agent_memory_server_damaged_files"), 0);
}

TEST_F(SoundnessTest, BackgroundCheckFindsDamageAndReadsGoOn) {
  Fill();
  OverwriteRoot(file_, "observations_twins");
  Start();
  ExpectRed();
  EXPECT_EQ(Ask(*client_, "GET", "/observations/1").status, 200);
  EXPECT_EQ(Ask(*client_, "GET", "/export").status, 200);
}

TEST_F(SoundnessTest, DamageFoundByARequestFailsReadinessAtOnce) {
  Fill();
  OverwriteRoot(file_, "observations_twins");
  Start(0);
  EXPECT_EQ(Readiness().status, 200) << "nobody looked yet";
  auto note = base::DumpJson(api::EncodeNewObservation(Note("new")));
  EXPECT_EQ(Ask(*client_, "POST", "/observations", note).status, 503);
  EXPECT_EQ(Readiness().status, 503);
  ExpectRed();
  EXPECT_EQ(Ask(*client_, "DELETE", "/observations/1").status, 204)
      << "which needs no damaged page";
}

TEST_F(SoundnessTest, DamagedIndexIsRebuiltAndServerReady) {
  for (const char* damage : {kWordsAreNoise, kWordsAreStale}) {
    SCOPED_TRACE(damage);
    std::filesystem::remove_all(data_);
    Fill();
    Tamper(file_, damage);
    if (HasFatalFailure()) return;
    Start();
    ASSERT_TRUE(Eventually(
        [&] { return Metric("agent_memory_server_checks_total{outcome=\"mended\"}") == 1; }));
    EXPECT_EQ(Readiness().status, 200) << Readiness().body;
    EXPECT_EQ(Ask(*client_, "GET", "/search?q=zeppelin&limit=100").body.size(), 50u);
  }
}

TEST_F(SoundnessTest, IndexDamageFoundByARequestIsRepaired) {
  Fill();
  Tamper(file_, kWordsAreGone);
  Start(0);
  Ask(*client_, "GET", "/search?q=zeppelin");
  ASSERT_TRUE(Eventually(
      [&] { return Metric("agent_memory_server_checks_total{outcome=\"mended\"}") == 1; }));
  EXPECT_TRUE(Eventually([&] { return Readiness().status == 200; }));
  EXPECT_EQ(Ask(*client_, "GET", "/search?q=zeppelin&limit=100").body.size(), 50u);
}

TEST(Soundness, ErrorNamesOneFileAndCountsTheOthers) {
  Soundness soundness;
  EXPECT_TRUE(soundness.Read());
  soundness.ReportDamage("/data/a", {base::Code::kInternal, "malformed"});
  EXPECT_TRUE(soundness.Suspected("/data/a"));
  soundness.SetDamaged("/data/a", {base::Code::kInternal, "page 7"});
  soundness.SetDamaged("/data/b", {base::Code::kInternal, "page 8"});
  soundness.ReportDamage("/data/a", {base::Code::kInternal, "again"});
  EXPECT_FALSE(soundness.Suspected("/data/a"));  // known
  ASSERT_FALSE(soundness.Read());
  EXPECT_EQ(soundness.Read().error().code, base::Code::kUnavailable);
  EXPECT_EQ(soundness.Read().error().message.find("/data/a (and 1 more files) is damaged: page 7"),
            0u)
      << soundness.Read().error().message;
  soundness.SetSound("/data/a");
  soundness.SetSound("/data/b");
  EXPECT_TRUE(soundness.Read());
}

}  // namespace
}  // namespace memory
