// An answer that is built counts while it is built: where there is no memory for it, it is refused,
// and small ones go on.
#include "lib/base/limits/answer_charge.h"

#include "lib/testing/eventually.h"
#include "lib/testing/raw_socket.h"
#include "memory/api/api_fixture.h"

namespace memory {
namespace {

using base::AnswerCharge;

TEST(AnswerCharge, OnlyLargeAnswersAreCharged) {
  base::ByteBudget budget(1 << 20);
  base::ByteCharge charge(&budget);
  const base::ChargeScope scope(&charge);
  AnswerCharge small;
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(small.Add(1'000));
  EXPECT_EQ(charge.bytes(), 0u);
  AnswerCharge large;
  size_t rows = 0;
  while (rows < 1'000 && large.Add(10'000)) ++rows;
  EXPECT_LT(rows, 30u);
  EXPECT_GT(rows, 10u);
  const base::Status refused = large.Add(100'000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kUnavailable);
}

TEST(AnswerCharge, WithoutBudgetNothingIsRefused) {
  AnswerCharge charge;
  EXPECT_TRUE(charge.Add(100 << 20));
}

class AnswersInABudget : public ApiTest {
 protected:
  void Restart(int64_t budget) {
    server_.reset();
    ServerSettings settings;
    settings.data_dir = scratch_.File("data");
    settings.memory_budget = budget;
    auto server = StartServer(settings);
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    client_ = Connect(server_->api_address());
    admin_ = Connect(server_->admin_address());
  }
};

TEST_F(AnswersInABudget, ListBeyondTheByteBudgetIs503) {
  for (int i = 0; i < 20; ++i)
    MustPost(NoteBody("row " + std::to_string(i) + std::string(40'000, 'x')));
  Restart(1 << 20);
  const Answered refused = Get("/observations/recent?limit=1000");
  EXPECT_EQ(refused.status, 503) << refused.body;
  EXPECT_TRUE(refused.headers.Get("Retry-After"));
  EXPECT_EQ(Get("/observations/recent?limit=3").status, 200);
  Restart(16 << 20);
  EXPECT_EQ(Get("/observations/recent?limit=1000").body.size(), 20u);
}

// `[{},{},…]` of about `bytes`.
std::string Braces(size_t bytes) {
  std::string text = "[{}";
  while (text.size() + 4 < bytes) text += ",{}";
  return text + "]";
}

TEST_F(AnswersInABudget, ImportIsChargedForItsParsedTree) {
  const std::string values = Braces(900'000);
  const std::string observation =
      R"({"id":1,"session_id":"s","type":"note","title":"t","content":"c","project":"p","tags":)";
  const struct {
    const char* format;
    std::string body;
  } kImports[] = {
      {"json", R"({"traces":[{"metadata":)" + values + "}]}"},
      {"json", R"({"observations":[)" + observation + values + "}]}"},
      {"json", R"({"other":{"a":)" + values + "}}"},
      {"jsonl", R"({"kind":"trace","metadata":)" + values + "}\n"},
      {"mem0", R"({"results":[{"memory":"m","metadata":)" + values + "}]}"},
      {"chatgpt", R"([{"title":"t","mapping":{"a":)" + values + "}}]"},
      {"agentos-json", R"({"traces":[{"metadata":)" + values + "}]}"},
      {"engram", R"({"version":1,"observations":[{"tags":)" + values + "}]}"},
  };
  Restart(8 << 20);
  for (const auto& one : kImports) {
    const Answered refused = PostText(std::string("/import?format=") + one.format, one.body);
    EXPECT_TRUE(refused.status == 413 || refused.status == 503)
        << one.format << refused.status << refused.body;
    EXPECT_NE(refused.body.value("error", "").find("memory-budget"), std::string::npos)
        << one.format << refused.body;
  }
  const Answered end = PostText("/sessions/s/end", R"({"messages":[{"role":)" + values + "}]}");
  EXPECT_EQ(end.status, 413) << end.body;
  Restart(256 << 20);
  const Answered read = PostText("/import?format=json", kImports[0].body);
  EXPECT_EQ(read.status, 200) << read.body;
}

TEST_F(AnswersInABudget, StoredJsonIsChargedForItsParsedTree) {
  const std::string value = Braces(60'000);
  for (int i = 0; i < 12; ++i) {
    const Answered put = Send(*client_, "PUT", "/items/k" + std::to_string(i) + "?project=p",
                              R"({"value":)" + value + R"(,"metadata":{"word":"word"}})");
    ASSERT_EQ(put.status, 201) << put.body;
    const Answered trace = PostText("/traces", R"({"content":"word )" + std::to_string(i) +
                                                   R"(","metadata":{"a":)" + Braces(15'000) + "}}");
    ASSERT_EQ(trace.status, 201) << trace.body;
  }
  for (const char* target :
       {"/items?project=p&limit=100", "/items?project=p&query=word&limit=100"}) {
    const Answered whole = Get(target);
    EXPECT_EQ(whole.status, 200) << whole.body;
    EXPECT_TRUE(whole.body["partial"]) << target;
    EXPECT_LT(whole.body["items"].size(), 12u) << target;
    EXPECT_GT(whole.body["items"].size(), 2u) << target;
  }
  const Json question = {{"query", "word"}, {"limit", 12}};
  EXPECT_EQ(Post("/traces/search", question).body["results"].size(), 12u);
  Restart(4 << 20);
  for (const char* target :
       {"/items?project=p&limit=100", "/items?project=p&query=word&limit=100"}) {
    const Answered refused = Get(target);
    EXPECT_EQ(refused.status, 503) << refused.body;
    EXPECT_TRUE(refused.headers.Get("Retry-After")) << target;
  }
  EXPECT_EQ(Post("/traces/search", question).status, 503);
  EXPECT_EQ(Get("/items/k1?project=p").status, 200);
}

TEST_F(AnswersInABudget, LargeCheckpointUnderPressureIs503NotSkipped) {
  const std::string path = "/conversations/c/checkpoint";
  ASSERT_EQ(Send(*client_, "PUT", path, R"({"step":1})").status, 200);
  ASSERT_EQ(
      Send(*client_, "PUT", path, R"({"step":2,"memory":{"a":)" + Braces(60'000) + "}}").status,
      200);
  ASSERT_EQ(Send(*client_, "PUT", "/working-memory/c", R"({"fields":{"a":)" + Braces(30'000) + "}}")
                .status,
            200);
  Restart(4 << 20);
  const std::string address = server_->api_address();
  testing::RawSocket other(std::stoi(address.substr(address.rfind(':') + 1)));
  other.Send(
      "POST /observations HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: "
      "application/json\r\nContent-Length: "
      "700000\r\n\r\n");
  const auto held = [&] {
    const Answered asked = Get(path);
    return asked.status == 503 && asked.headers.Get("Retry-After");
  };
  EXPECT_TRUE(testing::Eventually(held));
  const Answered fields = Get("/working-memory/c");
  EXPECT_EQ(fields.status, 503) << fields.body;
}

}  // namespace
}  // namespace memory
