// What uploads and copies may take of a volume: alone, beside others of the tenant, and beside
// everybody's.
#include "memory/volume/spool_budget.h"

#include <fstream>

#include "lib/testing/temporary_directory.h"
#include "memory/api/api_fixture.h"
#include "memory/sqlite/store/sqlite_store.h"

namespace memory {
namespace {

using base::Code;

constexpr int64_t kMiB = 1 << 20;

// A volume of 16 MiB that only holds what is told.
class SpoolBudgetTest : public ::testing::Test {
 protected:
  SpoolCharge Of(const std::string& tenant) { return {budget_, tenant}; }
  int64_t free_ = 16 * kMiB;
  std::shared_ptr<SpoolBudget> budget_ = std::make_shared<SpoolBudget>([this] { return free_; });
};

TEST_F(SpoolBudgetTest, OneFileMayHaveAQuarter) {
  SpoolCharge charge = Of("a");
  EXPECT_TRUE(charge.Set(4 * kMiB));
  const base::Status more = charge.Set(4 * kMiB + 1);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, Code::kFull);
  for (const char* said : {"4194305 bytes", "a quarter", "4194304 bytes", "enlarge"})
    EXPECT_NE(more.error().message.find(said), std::string::npos) << more.error().message;
  EXPECT_EQ(budget_->bytes(), 4 * kMiB);
}

TEST_F(SpoolBudgetTest, FilesOfATenantShareItsQuarter) {
  SpoolCharge one = Of("a"), other = Of("a");
  EXPECT_TRUE(one.Set(3 * kMiB));
  const base::Status more = other.Set(2 * kMiB);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, Code::kUnavailable);
  EXPECT_NE(more.error().message.find("3145728"), std::string::npos) << more.error().message;
  EXPECT_TRUE(Of("b").Set(2 * kMiB));  // nobody else waits for it
  EXPECT_TRUE(one.Set(0));
  EXPECT_TRUE(other.Set(2 * kMiB));
}

TEST_F(SpoolBudgetTest, AllFilesShareHalf) {
  SpoolCharge a = Of("a"), b = Of("b"), c = Of("c");
  EXPECT_TRUE(a.Set(4 * kMiB));
  EXPECT_TRUE(b.Set(4 * kMiB));
  const base::Status more = c.Set(1);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, Code::kUnavailable);
  EXPECT_NE(more.error().message.find("half"), std::string::npos) << more.error().message;
  { const SpoolCharge moved = std::move(a); }
  EXPECT_TRUE(c.Set(1));
  EXPECT_EQ(budget_->bytes(), 4 * kMiB + 1);
}

TEST_F(SpoolBudgetTest, BudgetShrinksAsTheVolumeFills) {
  SpoolCharge charge = Of("a");
  EXPECT_TRUE(charge.Set(3 * kMiB));
  free_ = 8 * kMiB;
  EXPECT_FALSE(charge.Set(3 * kMiB + 1));
  EXPECT_TRUE(charge.Set(2 * kMiB));  // less is always granted
  free_ = -1;
  EXPECT_TRUE(charge.Set(100 * kMiB));
}

TEST_F(SpoolBudgetTest, CopiesAndUploadsOfAStoreCount) {
  testing::TemporaryDirectory scratch;
  StoreOptions options;
  options.spools = budget_;
  auto store = SqliteStore::Open(scratch.File("store"), options);
  ASSERT_TRUE(store);
  ASSERT_TRUE((*store)->Save(Note("a row"), "", kMidnight));
  {
    auto copy = (*store)->Copy(std::nullopt);
    ASSERT_TRUE(copy) << copy.error().message;
    EXPECT_GT(budget_->bytes(), 0);
    copy->Unname();
    EXPECT_GT(budget_->bytes(), 0);  // it is on the disk as long as it is read
    EXPECT_TRUE((*store)->Copy("p"));
  }
  EXPECT_EQ(budget_->bytes(), 0);
  {
    auto upload = (*store)->NewUpload();
    ASSERT_TRUE(upload);
    const std::string piece(kMiB, 'x');
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(upload->Append(piece));
    EXPECT_EQ(upload->Append(piece).error().code, Code::kFull);
    EXPECT_EQ(budget_->bytes(), 4 * kMiB);
  }
  EXPECT_EQ(budget_->bytes(), 0);
  free_ = 64 << 10;
  auto copy = (*store)->Copy(std::nullopt);
  ASSERT_FALSE(copy);
  EXPECT_EQ(copy.error().code, Code::kFull);
  EXPECT_TRUE((*store)->OpenExport(std::nullopt));  // what needs no room goes on
}

// The same through the port, with another upload under way.
class SpoolRouteTest : public ApiTest {
 protected:
  SpoolRouteTest() {
    server_.reset();
    ServerSettings settings;
    settings.data_dir = scratch_.File("data");
    settings.lock_wait_ms = 0;
    settings.store.spools = budget_;
    auto server = RunningServer::Start(settings, clock_);
    if (!server) return;
    server_ = std::move(*server);
    client_ = Connect(server_->api_address());
    admin_ = Connect(server_->admin_address());
  }
  std::shared_ptr<SpoolBudget> budget_ = std::make_shared<SpoolBudget>([] { return 4 * kMiB; });
};

TEST_F(SpoolRouteTest, TooLargeUploadIsRefusedWithTheLimit) {
  const Answered answer =
      PostText("/import?format=sqlite", "SQLite format 3" + std::string(2 * kMiB, 'x'));
  EXPECT_EQ(answer.status, 507) << answer.body;
  EXPECT_NE(base::DumpJson(answer.body).find("1048576 bytes"), std::string::npos) << answer.body;
  EXPECT_EQ(budget_->bytes(), 0);
}

TEST_F(SpoolRouteTest, UploadWithoutSpaceBesideOthersIs503) {
  SpoolCharge others(budget_, "another tenant");
  ASSERT_TRUE(others.Set(kMiB));
  SpoolCharge more(budget_, "a third");
  ASSERT_TRUE(more.Set(kMiB));
  MustPost(NoteBody("a row"));
  const Answered answer = Get("/export?format=sqlite");
  EXPECT_EQ(answer.status, 503) << answer.body;
  EXPECT_TRUE(answer.headers.Get("Retry-After").has_value());
  EXPECT_EQ(Get("/export?format=jsonl").status, 200);
  const Answered metrics = Send(*admin_, "GET", "/metrics", "");
  EXPECT_NE(base::DumpJson(metrics.body).find("agent_memory_server_spool_bytes 2097152"),
            std::string::npos);
}

}  // namespace
}  // namespace memory
