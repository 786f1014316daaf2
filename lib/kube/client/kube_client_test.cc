// Calls, their errors, and pauses after Retry-After.
#include "lib/kube/client/kube_client.h"

#include <gtest/gtest.h>

#include "lib/testing/fake_clock.h"
#include "lib/testing/fake_cluster.h"

namespace kube {
namespace {

// Gives the same answer to every request.
class Answering : public http::Client {
 public:
  explicit Answering(http::Response answer) : answer_(std::move(answer)) {}
  base::Result<http::Response> Send(const http::ClientRequest&) override { return answer_; }
  std::unique_ptr<http::OpenStream> Open(const http::ClientRequest&, http::StreamReader) override {
    return nullptr;
  }

 private:
  const http::Response answer_;
};

class KubeClientTest : public ::testing::Test {
 protected:
  Json Map(const std::string& name) const {
    return {{"apiVersion", "v1"},
            {"kind", "ConfigMap"},
            {"metadata", {{"name", name}, {"namespace", "n"}}},
            {"data", {{"x", "1"}}}};
  }
  base::Code CodeOfGet(int status) {
    cluster_.Inject({"GET", "", status});
    auto answer = client_.Get(ConfigMaps(), {"n", "a"});
    return answer ? base::Code::kInternal : answer.error().code;
  }

  ::testing::FakeClock clock_;
  ::testing::FakeCluster cluster_;
  std::vector<std::string> answers_;
  ClientSettings settings_{"me",
                           10'000,
                           60'000,
                           [this](std::string_view verb, int status, double) {
                             answers_.push_back(std::string(verb) + std::to_string(status));
                           },
                           {}};
  KubeClient client_{cluster_, settings_, nullptr, clock_};
};

TEST_F(KubeClientTest, StatusCodesBecomeErrors) {
  EXPECT_EQ(CodeOfGet(404), base::Code::kNotFound);
  EXPECT_EQ(CodeOfGet(403), base::Code::kDenied);
  EXPECT_EQ(CodeOfGet(409), base::Code::kConflict);
  EXPECT_EQ(CodeOfGet(422), base::Code::kInvalid);
  EXPECT_EQ(CodeOfGet(503), base::Code::kUnavailable);
  EXPECT_EQ(CodeOfGet(0), base::Code::kUnavailable);
  EXPECT_EQ(answers_,
            (std::vector<std::string>{"GET404", "GET403", "GET409", "GET422", "GET503", "GET0"}));
}

TEST_F(KubeClientTest, LongMessageKeepsItsEnd) {
  http::Response answer = http::JsonResponse(
      400, {{"message", "start " + std::string(9'000, 'x') + "€ unknown field \"spec.foo\""}});
  std::string message = ErrorOf(answer, "PATCH /x").message;
  EXPECT_LT(message.size(), 2'100u);
  EXPECT_TRUE(message.starts_with("PATCH /x: HTTP 400: start "));
  EXPECT_TRUE(message.ends_with("€ unknown field \"spec.foo\""));
}

TEST_F(KubeClientTest, RetryAfterAppliesToAllCallsOfTheKind) {
  cluster_.Inject({"APPLY", "", 429, 3});
  auto refused = client_.Apply(ConfigMaps(), Map("a"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kUnavailable);
  EXPECT_EQ(client_.RetryAfterMs(ConfigMaps()), 3000);
  clock_.Advance(2999);
  EXPECT_FALSE(client_.Get(ConfigMaps(), {"n", "a"}));
  EXPECT_FALSE(client_.ListAll(ConfigMaps(), {}));
  EXPECT_FALSE(client_.Delete(ConfigMaps(), {"other", "b"}));
  EXPECT_EQ(cluster_.calls().size(), 1u) << "the server asked to be left alone";
  clock_.Advance(1);
  EXPECT_TRUE(client_.Apply(ConfigMaps(), Map("a")));
}

TEST_F(KubeClientTest, RetryAfterDelaysNoOtherKind) {
  for (const Resource& resource : {StatefulSets(), Namespaces(), Events()}) {
    cluster_.Inject({"", "", 503, 30});
    EXPECT_FALSE(client_.ListAll(resource, {"n", "", "", false}));
    EXPECT_EQ(client_.RetryAfterMs(resource), 30'000) << resource.kind;
  }
  EXPECT_EQ(client_.RetryAfterMs(ConfigMaps()), 0);
  EXPECT_TRUE(client_.Apply(ConfigMaps(), Map("a")));
  EXPECT_FALSE(client_.Get(Namespaces(), {"", "n"}));
  EXPECT_FALSE(client_.Get(StatefulSets(), {"n", "a"}));
  EXPECT_EQ(cluster_.calls().size(), 4u);
}

TEST_F(KubeClientTest, RetryAfterOf504AppliesToOneRequest) {
  cluster_.Inject({"LIST", "", 504, 1});
  EXPECT_FALSE(client_.ListAll(ConfigMaps(), {}));
  EXPECT_EQ(client_.RetryAfterMs(ConfigMaps()), 0);
  EXPECT_TRUE(client_.ListAll(ConfigMaps(), {}));
}

TEST_F(KubeClientTest, WaitingEvictionDelaysNoOtherCall) {
  cluster_.Inject({"", "/eviction", 429, 10});
  EXPECT_FALSE(client_.Evict({"n", "p"}, "uid"));
  EXPECT_EQ(client_.RetryAfterMs(Pods()), 0);
  EXPECT_TRUE(client_.ListAll(Pods(), {}));
}

TEST_F(KubeClientTest, RetryAfterIsBounded) {
  cluster_.Inject({"", "", 429, 86'400});
  EXPECT_FALSE(client_.Get(ConfigMaps(), {"n", "a"}));
  EXPECT_EQ(client_.RetryAfterMs(ConfigMaps()), 60'000);
}

TEST_F(KubeClientTest, RefusedTokenIsReadAgainOnce) {
  TokenSource token("", "/nowhere/token", clock_);
  KubeClient client(cluster_, settings_, &token, clock_);
  cluster_.Put(Map("a"));
  cluster_.Inject({"GET", "", 401});
  EXPECT_TRUE(client.Get(ConfigMaps(), {"n", "a"}));
  cluster_.Inject({"GET", "", 401, 0, false, 5});
  auto denied = client.Get(ConfigMaps(), {"n", "a"});
  ASSERT_FALSE(denied);
  EXPECT_EQ(denied.error().code, base::Code::kDenied);
  EXPECT_EQ(cluster_.calls().size(), 4u);
}

TEST_F(KubeClientTest, InvalidNameIsNotSent) {
  for (const char* name : {"", ".", ".."}) {
    auto answer = client_.Get(ConfigMaps(), {"n", name});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, base::Code::kInvalid);
    EXPECT_FALSE(client_.Delete(ConfigMaps(), {"n", name}));
  }
  EXPECT_TRUE(cluster_.calls().empty());
}

TEST_F(KubeClientTest, AnswerThatIsNotJsonIsAnError) {
  Answering proxy(http::TextResponse(200, "<html>", "text/html"));
  KubeClient client(proxy);
  auto answer = client.Get(ConfigMaps(), {"n", "a"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, base::Code::kInternal);
  EXPECT_FALSE(client.ListAll(ConfigMaps(), {}));
}

TEST_F(KubeClientTest, ExpiredListStartsAgain) {
  for (int i = 0; i < 1200; ++i) cluster_.Put(Map("m" + std::to_string(i)));
  cluster_.ForgetCalls();
  auto first = client_.List(ConfigMaps(), {"n", "", "", false}, 500);
  ASSERT_TRUE(first);
  cluster_.Compact();
  auto second = client_.List(ConfigMaps(), {"n", "", "", false}, 500, first->next);
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->expired);
  EXPECT_EQ(client_.ListAll(ConfigMaps(), {"n", "", "", false})->size(), 1200u);
}

TEST_F(KubeClientTest, ListDeliversItemsOneByOne) {
  Json nested = Map("a");
  nested["data"] = {{"items", "[{}]"}};
  nested["metadata"]["annotations"] = {{"items", "not a list"}};
  for (const char* name : {"a", "b", "c"}) {
    nested["metadata"]["name"] = name;
    cluster_.Put(nested);
  }
  std::vector<Json> whole, single;
  auto page = client_.List(ConfigMaps(), {"n", "", "", false}, 2);
  ASSERT_TRUE(page);
  whole = std::move(page->items);
  page = client_.List(ConfigMaps(), {"n", "", "", false}, 2, {}, {},
                      [&](Json&& item) { single.push_back(std::move(item)); });
  ASSERT_TRUE(page);
  EXPECT_EQ(whole.size(), 2u);
  EXPECT_EQ(single, whole);
  EXPECT_EQ(single[1]["kind"], "ConfigMap");
  EXPECT_EQ(single[1]["data"], nested["data"]);
  EXPECT_TRUE(page->items.empty());
  EXPECT_FALSE(page->next.empty()) << "what stands around the items is read, too";
  EXPECT_FALSE(page->resource_version.empty());
}

TEST_F(KubeClientTest, OtherFieldsOfAListAreNoItems) {
  Answering server(http::JsonResponse(
      200, {{"items", {{{"metadata", {{"name", "a"}}}}}},
            {"metadata", {{"resourceVersion", "7"}, {"a", {{"b", "c"}}}, {"x", {{"y", "z"}}}}}}));
  KubeClient client(server);
  auto page = client.List(ConfigMaps(), {"n", "", "", false});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->items.size(), 1u);
  EXPECT_EQ(page->resource_version, "7");
}

TEST_F(KubeClientTest, SelectorsAreEncoded) {
  EXPECT_EQ(QueryOf({"n", "a=b,c in (d,e)", "metadata.name=x&watch=1", false}),
            "labelSelector=a%3Db%2Cc%20in%20%28d%2Ce%29&"
            "fieldSelector=metadata.name%3Dx%26watch%3D1");
}

TEST_F(KubeClientTest, FieldManagerIsSent) {
  ASSERT_TRUE(client_.Apply(ConfigMaps(), Map("a")));
  EXPECT_EQ(cluster_.calls().at(0).query.at("fieldManager"), "me");
  EXPECT_EQ(cluster_.calls().at(0).query.at("force"), "false");
}

}  // namespace
}  // namespace kube
