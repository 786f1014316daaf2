// The whole operator in this process, against a fake API server on a loopback port: what it says of
// itself on its admin port, and that it gives the Lease up.
#include "operator/running_operator.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "lib/base/text.h"
#include "lib/http/client.h"
#include "lib/testing/fake_cluster.h"
#include "lib/testing/http_server.h"
#include "operator/execute.h"

namespace controller {
namespace {

using base::Json;

bool Eventually(const std::function<bool()>& condition) {
  const int64_t end_ms = base::SystemClock().MonotonicMs() + 30'000;
  while (base::SystemClock().MonotonicMs() < end_ms) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return condition();
}

// Hands a request on to the cluster; a watch is streamed until its client is gone.
http::Response Forward(testing::FakeCluster& cluster, const http::Request& request) {
  http::ClientRequest asked;
  asked.method = request.method;
  asked.target = request.path;
  for (const auto& [name, value] : request.query)
    asked.target += (asked.target == request.path ? "?" : "&") + http::PercentEncode(name) + "=" +
                    http::PercentEncode(value);
  asked.headers = request.headers;
  asked.body = request.body;
  if (request.Query("watch") != "true") {
    auto answer = cluster.Send(asked);
    return answer ? *answer : http::ErrorResponse(answer.error());
  }
  http::Response watch;
  watch.stream = [&cluster, asked, gone = request.client_gone](http::BodyWriter& body) {
    return cluster.Stream(
        asked, gone, [](const http::Response&) { return true; },
        [&](std::string_view bytes) { return bool(body.Write(bytes)); });
  };
  return watch;
}

class RunningOperatorTest : public testing::Test {
 protected:
  RunningOperatorTest()
      : folder_(std::filesystem::temp_directory_path() / ("operator-" + base::RandomHex(8))) {
    for (const kube::Resource* kind : {&Agents(), &AgentTools(), &AgentRuns(), &MemoryServers()}) {
      cluster_.Serve(*kind);
      cluster_.Put({{"apiVersion", kube::CustomResourceDefinitions().ApiVersion()},
                    {"kind", "CustomResourceDefinition"},
                    {"metadata", {{"name", kind->plural + "." + kind->group}}}});
    }
    std::vector<http::Route> routes;
    std::string pattern;
    for (const char* segment : {"/{a}", "/{b}", "/{c}", "/{d}", "/{e}", "/{f}", "/{g}", "/{h}"}) {
      pattern += segment;
      for (const char* method : {"GET", "POST", "PATCH", "DELETE"})
        routes.push_back({method, pattern, [this](const http::Request& request) {
                            return Forward(cluster_, request);
                          }});
    }
    http::ServerOptions options;
    options.workers = 32;  // a watch holds one
    api_ = testing::StartServer(std::move(routes), options);
    std::filesystem::create_directory(folder_);
    std::ofstream(folder_ / "kubeconfig")
        << "{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: "
           "{cluster: c, user: u}}], users: [{name: u, user: {}}], clusters: [{name: c, cluster: "
           "{server: 'http://"
        << api_->address() << "'}}]}";
    std::filesystem::permissions(folder_ / "kubeconfig", std::filesystem::perms::owner_read);
  }
  ~RunningOperatorTest() override {
    running_.reset();
    api_->Stop(0);
    std::filesystem::remove_all(folder_);
  }
  void Start() {
    const base::Invocation invocation = base::ReadCommandLine(
        OperatorProgram(),
        {"agent-memory-operator", "--kubeconfig=" + (folder_ / "kubeconfig").string(),
         "--admin=127.0.0.1:0", "--lease=n/operator", "--lease-duration=3s", "--adopt-crds"},
        {});
    ASSERT_TRUE(invocation.run) << invocation.output;
    auto running = RunningOperator::Start(invocation.settings);
    ASSERT_TRUE(running) << running.error().message;
    running_ = *std::move(running);
    http::ClientOptions options;
    options.base_url = "http://" + running_->admin_address();
    admin_ = http::MakeClient(std::move(options)).value();
  }
  // "200 …" of a page of the admin port.
  std::string Page(const std::string& path) {
    http::ClientRequest request;
    request.target = path;
    auto answer = admin_->Send(request);
    return answer ? std::to_string(answer->status) + " " + answer->body : answer.error().message;
  }
  bool Says(const std::string& path, const std::string& text) {
    return Eventually([&] { return Page(path).find(text) != std::string::npos; });
  }

  const std::filesystem::path folder_;
  testing::FakeCluster cluster_;
  std::unique_ptr<http::Server> api_;
  std::unique_ptr<RunningOperator> running_;
  std::unique_ptr<http::Client> admin_;
};

TEST_F(RunningOperatorTest, IsReadyWhenItsCachesAreAndNotBefore) {
  cluster_.Inject({"LIST", "services", 503, 0, false, 1'000});
  Start();
  ASSERT_TRUE(Eventually([&] { return cluster_.open_watches() == 10; })) << "all but Services";
  EXPECT_TRUE(Page("/readyz").starts_with("503")) << Page("/readyz");
  EXPECT_NE(Page("/readyz").find("first lists"), std::string::npos) << Page("/readyz");
  EXPECT_TRUE(Page("/livez").starts_with("200")) << Page("/livez");
  cluster_.ClearFaults();
  EXPECT_TRUE(Says("/readyz", "200")) << Page("/readyz");
}

TEST_F(RunningOperatorTest, IsNotReadyWhileTheLeaseCannotBeHad) {
  cluster_.Inject({"", "leases", 403, 0, false, 100'000});
  Start();
  EXPECT_TRUE(Says("/readyz", "200")) << "not yet for long: " << Page("/readyz");
  EXPECT_TRUE(Says("/readyz", "the Lease n/operator can be neither taken nor renewed"));
  EXPECT_TRUE(Page("/readyz").starts_with("503")) << Page("/readyz");
  cluster_.ClearFaults();
  EXPECT_TRUE(Says("/readyz", "200")) << Page("/readyz");
}

TEST_F(RunningOperatorTest, LeadsWorksAndGivesTheLeaseUp) {
  cluster_.Put({{"apiVersion", Agents().ApiVersion()},
                {"kind", "Agent"},
                {"metadata", {{"name", "a"}, {"namespace", "n"}}},
                {"spec", {{"image", "i:1"}, {"mode", "daemon"}}}});
  Start();
  EXPECT_TRUE(Says("/metrics", "leader_election_master_status{name=\"operator\"} 1"));
  EXPECT_TRUE(Eventually([&] { return bool(cluster_.Get(kube::StatefulSets(), {"n", "a"})); }));
  EXPECT_TRUE(Says("/metrics", "workqueue_queue_duration_seconds_count{name=\"agent\"}"));
  running_->Stop();
  const auto lease = cluster_.Get(kube::Leases(), {"n", "operator"});
  ASSERT_TRUE(lease);
  EXPECT_EQ(base::StringAt(*lease, {"spec", "holderIdentity"}), "");
}

}  // namespace
}  // namespace controller
