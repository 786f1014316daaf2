// Grants of shared memory: what is asked of the cluster, for how long an answer holds, and that
// nobody gets in while nobody answers; and the file of grants without a cluster.
#include "memory/identity/access_check.h"

#include <gtest/gtest.h>

#include <future>
#include <latch>

#include "lib/base/process/file.h"
#include "lib/testing/fake_clock.h"
#include "lib/testing/temporary_directory.h"
#include "memory/identity/access_fixture.h"
#include "memory/identity/share_file.h"

namespace memory {
namespace {

using base::Json;

class AccessCheckTest : public ::testing::Test {
 protected:
  AccessCheckTest() : check_(&cluster_, clock_, metrics_, {}) {}
  static SharedCaller Account(const std::string& account, const std::string& space = "team-a") {
    return {space, account, ""};
  }
  base::Result<bool> MayGet(const std::string& account, const std::string& owner) {
    return check_.May(Account(account), SharedVerb::kGet, owner);
  }
  ::testing::FakeClock clock_{1};
  telemetry::Metrics metrics_;
  FakeAuthorizer cluster_;
  AccessCheck check_;
};

TEST_F(AccessCheckTest, OwnerNeedsNoReview) {
  for (SharedVerb verb : {SharedVerb::kGet, SharedVerb::kUpdate, SharedVerb::kDelete})
    EXPECT_TRUE(check_.May(Account("coder-agent"), verb, "coder").value_or(false));
  EXPECT_EQ(cluster_.asked(), 0);
  EXPECT_FALSE(MayGet("coder", "coder").value_or(true)) << "an account that is no Agent's";
}

TEST_F(AccessCheckTest, UnknownOwnerNeedsNoReview) {
  EXPECT_FALSE(check_.May(Account(""), SharedVerb::kGet, "coder").value_or(true));
  EXPECT_FALSE(check_.MayListAll(Account("")).value_or(true));
  EXPECT_EQ(cluster_.asked(), 0);
}

TEST_F(AccessCheckTest, RevokedGrantEndsWithTheCachedAnswer) {
  cluster_.Allow("team-a/b-agent/get/coder");
  EXPECT_TRUE(MayGet("b-agent", "coder").value_or(false));
  cluster_.Deny("team-a/b-agent/get/coder");
  clock_.Advance(9'999);
  EXPECT_TRUE(MayGet("b-agent", "coder").value_or(false));
  EXPECT_EQ(cluster_.asked(), 1);
  clock_.Advance(1);
  EXPECT_FALSE(MayGet("b-agent", "coder").value_or(true));
  EXPECT_EQ(cluster_.asked(), 2);
}

TEST_F(AccessCheckTest, AnswerIsPerNamespaceAccountVerbAndOwner) {
  cluster_.Allow("team-a/b-agent/get/coder");
  EXPECT_TRUE(MayGet("b-agent", "coder").value_or(false));
  EXPECT_FALSE(check_.May(Account("b-agent", "team-b"), SharedVerb::kGet, "coder").value_or(true));
  EXPECT_FALSE(MayGet("c-agent", "coder").value_or(true));
  EXPECT_FALSE(MayGet("b-agent", "other").value_or(true));
  EXPECT_FALSE(check_.May(Account("b-agent"), SharedVerb::kUpdate, "coder").value_or(true));
  EXPECT_FALSE(check_.May(Account("b-agent"), SharedVerb::kDelete, "coder").value_or(true));
  EXPECT_FALSE(check_.MayListAll(Account("b-agent")).value_or(true));
}

TEST_F(AccessCheckTest, FailedReviewDeniesAndPauses) {
  cluster_.Allow("team-a/b-agent/get/coder");
  EXPECT_TRUE(MayGet("b-agent", "coder").value_or(false));
  cluster_.SetDown(true);
  EXPECT_TRUE(MayGet("b-agent", "coder").value_or(false)) << "as it was answered a moment ago";
  clock_.Advance(10'000);
  for (int i = 0; i < 5; ++i) {
    auto answer = MayGet("b-agent", "coder");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, base::Code::kUnavailable) << "503 and not 403";
  }
  EXPECT_EQ(cluster_.asked(), 2) << "one of the five";
  cluster_.SetDown(false);
  clock_.Advance(1'000);
  EXPECT_TRUE(MayGet("b-agent", "coder").value_or(false));
}

TEST_F(AccessCheckTest, EqualRequestsShareOneReview) {
  cluster_.Allow("team-a/b-agent/get/coder");
  std::vector<std::future<base::Result<bool>>> answers;
  std::latch inside(1), go(1);
  cluster_.OnReview([&] {
    inside.count_down();
    go.wait();
  });
  answers.push_back(std::async(std::launch::async, [&] { return MayGet("b-agent", "coder"); }));
  inside.wait();
  cluster_.OnReview({});
  for (int i = 0; i < 4; ++i)
    answers.push_back(std::async(std::launch::async, [&] { return MayGet("b-agent", "coder"); }));
  go.count_down();
  for (auto& answer : answers) EXPECT_TRUE(answer.get().value_or(false));
  EXPECT_EQ(cluster_.asked(), 1);
}

// A slow API server holds eight threads and eight who wait for them, and no more of the server's.
TEST_F(AccessCheckTest, FloodIsRefusedInsteadOfBlockingThreads) {
  AccessCheck::Options few;
  few.most_reviews = 2;
  few.most_waiting = 0;
  AccessCheck check(&cluster_, clock_, metrics_, few);
  std::latch inside(2), go(1);
  cluster_.OnReview([&] {
    inside.count_down();
    go.wait();
  });
  std::vector<std::future<base::Result<bool>>> held;
  for (const char* account : {"b-agent", "c-agent"})
    held.push_back(std::async(std::launch::async, [&check, account] {
      return check.May(Account(account), SharedVerb::kGet, "coder");
    }));
  inside.wait();
  for (const char* account : {"b-agent", "d-agent"}) {
    auto refused = check.May(Account(account), SharedVerb::kGet, "coder");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, base::Code::kUnavailable);
  }
  go.count_down();
  for (auto& answer : held) EXPECT_TRUE(answer.get());
}

TEST(AccessReview, IsParsedStrictly) {
  EXPECT_TRUE(DecodeAccessReview({{"status", {{"allowed", true}}}}).value_or(false));
  EXPECT_FALSE(DecodeAccessReview({{"status", {{"allowed", false}, {"evaluationError", "x"}}}})
                   .value_or(true));
  for (const Json& none :
       {Json(), Json("x"), Json::object(), Json{{"status", {{"allowed", "true"}}}},
        Json{{"status", {{"allowed", 1}}}}, Json{{"status", {{"denied", false}}}}})
    EXPECT_FALSE(DecodeAccessReview(none)) << none;
}

class ShareFileTest : public ::testing::Test {
 protected:
  void Write(const std::string& text) { ASSERT_TRUE(base::ReplaceFile(path_, text)); }
  bool May(const std::string& as, SharedVerb verb = SharedVerb::kGet) {
    return file_->May({"*", "", as}, verb, "owner").value();
  }
  ::testing::FakeClock clock_{1};
  testing::TemporaryDirectory scratch_;
  const std::string path_ = scratch_.File("share.json");
  std::unique_ptr<ShareFile> file_;
};

TEST_F(ShareFileTest, GrantsAreReloadedAndBrokenFileKeepsThem) {
  Write(
      R"({"owner": [{"agents": ["b"], "access": "read"}, {"agents": ["c"], "access": "write"}]})");
  auto opened = ShareFile::Open(path_, clock_);
  ASSERT_TRUE(opened) << opened.error().message;
  file_ = std::move(*opened);
  EXPECT_TRUE(May("b"));
  EXPECT_FALSE(May("b", SharedVerb::kUpdate));
  EXPECT_FALSE(May("b", SharedVerb::kDelete));
  EXPECT_TRUE(May("c") && May("c", SharedVerb::kUpdate) && May("c", SharedVerb::kDelete));
  EXPECT_FALSE(May("d"));
  EXPECT_TRUE(May("owner", SharedVerb::kUpdate));
  EXPECT_TRUE(May("")) << "who has no name sees everything";
  EXPECT_FALSE(May("", SharedVerb::kUpdate));
  Write(R"({"owner": [{"agents": ["d"]}]})");
  clock_.Advance(1'000);
  EXPECT_TRUE(May("d")) << "access is read when nothing is said";
  EXPECT_FALSE(May("b"));
  for (const char* broken : {"", "{", "[]", R"({"owner": [{"agents": "d"}]})",
                             R"({"owner": [{"agents": ["d"], "access": "admin"}]})",
                             R"({"owner": [{"access": "read"}]})"}) {
    Write(broken);
    clock_.Advance(1'000);
    EXPECT_TRUE(May("d")) << broken;
  }
  Write("{}");
  clock_.Advance(1'000);
  EXPECT_FALSE(May("d"));
}

TEST_F(ShareFileTest, BrokenFileIsReportedAtTheStart) {
  EXPECT_FALSE(ShareFile::Open(path_, clock_)) << "it is not there";
  Write(R"({"owner": [{"agents": ["d"], "access": "all"}]})");
  auto opened = ShareFile::Open(path_, clock_);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("owner[0].access must be read or write"), std::string::npos)
      << opened.error().message;
  EXPECT_TRUE(ShareFile::Open("", clock_)) << "no file: no grants";
}

}  // namespace
}  // namespace memory
