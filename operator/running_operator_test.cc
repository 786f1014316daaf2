// The whole operator in this process, against a fake API server on a loopback port: its admin port,
// its permissions, its webhook, and the release of the Lease.
#include "operator/running_operator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include "lib/base/process/random.h"
#include "lib/base/text/base64.h"
#include "lib/base/text/text.h"
#include "lib/http/client/client.h"
#include "lib/testing/eventually.h"
#include "lib/testing/fake_cluster.h"
#include "lib/testing/http_server.h"
#include "operator/admission/certificate_keeper.h"
#include "operator/crds/read_objects.h"
#include "operator/names/kinds.h"
#include "operator/objects/server_objects.h"
#include "operator/operator_settings.h"
#include "operator/reconcile/execute.h"

namespace controller {
namespace {

using base::Json;
using testing::Eventually;

constexpr int64_t kPatienceMs = 120'000;  // for much work with a sanitizer

// Forwards a request to the cluster; streams a watch until its client disconnects.
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
    return cluster.Stream(asked, gone,
                          {[](const http::Response&) { return true; },
                           [&](std::string_view bytes) { return bool(body.Write(bytes)); },
                           {}});
  };
  return watch;
}

using Grants = std::set<std::string>;  // "statefulsets patch", "agents/status patch"

// The permissions of the chart's roles in the file.
Grants Granted(const std::string& roles) {
  std::ifstream file(roles);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto objects = ReadObjects(text, "");
  EXPECT_TRUE(objects) << objects.error().message;
  Grants all;
  for (const Json& role : objects ? *objects : std::vector<Json>()) {
    for (const Json& rule : role.value("rules", Json::array()))
      for (const Json& resource : rule["resources"])
        for (const Json& verb : rule["verbs"])
          all.insert(resource.get<std::string>() + " " + verb.get<std::string>());
  }
  return all;
}

// The permissions that the API server would check for these calls.
Grants Used(const std::vector<testing::Call>& calls) {
  Grants all;
  for (const testing::Call& call : calls) {
    // /api/v1/… or /apis/group/version/…, then [namespaces/x/] plural[/name[/subresource]]
    std::vector<std::string> parts = base::Split(call.path, '/');
    parts.erase(parts.begin(), parts.begin() + (parts[1] == "api" ? 3 : 4));
    if (parts.size() > 2 && parts[0] == "namespaces") parts.erase(parts.begin(), parts.begin() + 2);
    const std::string resource = parts[0] + (parts.size() > 2 ? "/" + parts[2] : "");
    std::string verb = call.verb == "APPLY" ? "patch" : call.verb;
    std::transform(verb.begin(), verb.end(), verb.begin(), ::tolower);
    all.insert(resource + " " + verb);
    if (call.verb == "APPLY" && call.status == 201) all.insert(resource + " create");
  }
  return all;
}

Grants Without(Grants all, const Grants& some) {
  for (const std::string& one : some) all.erase(one);
  return all;
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
    options.workers = 32;  // each watch occupies one
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
  void Start(const std::string& injection_policy = "") {
    std::vector<std::string> flags = {"agent-memory-operator",
                                      "--kubeconfig=" + (folder_ / "kubeconfig").string(),
                                      "--admin=127.0.0.1:0",
                                      "--lease=n/operator",
                                      "--lease-duration=3s",
                                      "--adopt-crds",
                                      "--injection-policy=" + injection_policy};
    flags.insert(flags.end(), more_flags_.begin(), more_flags_.end());
    const base::Invocation invocation = base::ReadCommandLine(OperatorProgram(), flags, {});
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

  void UseEverything(const std::string& roles, const std::string& injection_policy);

  // Sends the webhook a review, like the API server, of a pod of an unknown Agent.
  http::Response AskAboutAPod();

  const std::filesystem::path folder_;
  std::vector<std::string> more_flags_;
  testing::FakeCluster cluster_;
  std::unique_ptr<http::Server> api_;
  std::unique_ptr<RunningOperator> running_;
  std::unique_ptr<http::Client> admin_;
};

TEST_F(RunningOperatorTest, IsReadyOnceCachesAreSynced) {
  cluster_.Inject({"LIST", "services", 503, 0, false, 1'000});
  Start();
  ASSERT_TRUE(Eventually([&] { return cluster_.open_watches() == 15; })) << "all but Services";
  EXPECT_TRUE(Page("/readyz").starts_with("503")) << Page("/readyz");
  EXPECT_NE(Page("/readyz").find("first lists"), std::string::npos) << Page("/readyz");
  EXPECT_TRUE(Page("/livez").starts_with("200")) << Page("/livez");
  cluster_.ClearFaults();
  EXPECT_TRUE(Says("/readyz", "200")) << Page("/readyz");
}

TEST_F(RunningOperatorTest, IsNotReadyWithoutTheLease) {
  Start();
  EXPECT_TRUE(Says("/readyz", "200")) << Page("/readyz");
  cluster_.Inject({"", "leases", 403, 0, false, 100'000});
  EXPECT_TRUE(Says("/readyz", "the Lease n/operator can be neither taken nor renewed"));
  EXPECT_TRUE(Page("/readyz").starts_with("503")) << Page("/readyz");
  cluster_.ClearFaults();
  EXPECT_TRUE(Says("/readyz", "200")) << Page("/readyz");
}

TEST_F(RunningOperatorTest, LeadsAndReleasesTheLease) {
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

// Uses the permissions: creates, changes, removes and leaves objects of all kinds.
void RunningOperatorTest::UseEverything(const std::string& roles,
                                        const std::string& injection_policy) {
  auto give = [&](const std::string& yaml) {
    auto objects = ReadObjects(yaml, "n");
    ASSERT_TRUE(objects) << objects.error().message;
    for (const Json& object : *objects) cluster_.Put(object);
  };
  const std::string service =
      "{apiVersion: v1, kind: Service, metadata: {name: m}, spec: {ports: [{name: memory, port: "
      "7437}]}}";
  const std::string ours = "apiVersion: agents.agentops.io/v1alpha1, ";
  give(service);
  give("{" + ours + "kind: Agent, metadata: {name: t}, spec: {mode: task, image: i}}");
  give("{" + ours + "kind: AgentRun, metadata: {name: run}, spec: {agentRef: t, storage: {}}}");
  for (const kube::Resource* kind : {&PodMonitors(), &Deployments(), &ReplicaSets()})
    cluster_.Serve(*kind);
  give("{" + ours +
       "kind: MemoryServer, metadata: {name: shared}, spec: {replicas: 2, store: {postgres: "
       "{secretRef: {name: pg}, key: uri}}}}");
  give("{" + ours +
       "kind: MemoryServer, metadata: {name: server}, spec: {evictable: false, podMonitor: "
       "{enabled: true}}}");
  give(
      "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data-a-0, labels: "
      "{agents.agentops.io/agent: a}, annotations: {agents.agentops.io/retained-from: u}}}");
  give("{" + ours +
       "kind: Agent, metadata: {name: a}, spec: {image: i, mode: daemon, injection: "
       "{foreignPods: true, replaceMissedPods: true}, storage: {adopt: true}, memory: {serverRef: "
       "m, share: [{agents: [reader]}]}, ports: [{name: http, containerPort: 80}]}}");
  give("{" + ours + "kind: Agent, metadata: {name: reader}, spec: {image: i}}");
  give(
      "{apiVersion: v1, kind: Pod, metadata: {name: uninjected, labels: "
      "{agents.agentops.io/memory: "
      "a}, "
      "ownerReferences: [{kind: ReplicaSet, name: r, uid: r, controller: true}]}, spec: {}}");
  Start(injection_policy);
  ASSERT_TRUE(Eventually([&] { return bool(cluster_.Get(kube::StatefulSets(), {"n", "a"})); }));
  if (!injection_policy.empty()) {
    EXPECT_TRUE(Eventually(
        [&] {
          return !cluster_.Get(kube::Pods(), {"n", "uninjected"});
        },
        kPatienceMs));
  }
  const Json owner = kube::ControllerReference(*cluster_.Get(Agents(), {"n", "a"}));
  for (const kube::Resource& kind : {kube::ServiceAccounts(), kube::StatefulSets()})
    cluster_.Put({{"apiVersion", kind.ApiVersion()},
                  {"kind", kind.kind},
                  {"metadata",
                   {{"name", "former"},
                    {"namespace", "n"},
                    {"labels", {{"agents.agentops.io/agent", "a"}}},
                    {"ownerReferences", {owner}}}}});
  auto resolved = [&](const char* truth) {
    return Eventually([&] {
      const std::string agent = base::DumpJson(*cluster_.Get(Agents(), {"n", "a"}));
      return agent.find(truth + std::string("\",\"type\":\"MemoryResolved\"")) != std::string::npos;
    });
  };
  for (int i = 0; i < 2; ++i) {  // the second time the same Events are counted
    EXPECT_TRUE(resolved("True"));
    cluster_.Remove(kube::Services(), {"n", "m"});
    EXPECT_TRUE(resolved("False"));
    give(service);
  }
  give("{" + ours + "kind: Agent, metadata: {name: a}, spec: {image: i, mode: daemon}}");
  EXPECT_TRUE(Eventually([&] { return bool(cluster_.Get(PodMonitors(), {"n", "server"})); }));
  give("{" + ours +
       "kind: MemoryServer, metadata: {name: server}, spec: {networkPolicy: {enabled: false}}}");
  EXPECT_TRUE(Eventually([&] { return bool(cluster_.Get(Deployments(), {"n", "shared"})); }));
  give("{" + ours +
       "kind: MemoryServer, metadata: {name: shared}, spec: {store: {allowChange: true}}}");
  EXPECT_TRUE(Eventually([&] { return !cluster_.Get(Deployments(), {"n", "shared"}); }));
  if (!injection_policy.empty()) {  // deletes an Agent, then its binding
    give("{" + ours +
         "kind: Agent, metadata: {name: b}, spec: {image: i, injection: {foreignPods: true}, "
         "memory: {serverRef: m}}}");
    EXPECT_TRUE(Eventually([&] { return bool(cluster_.Get(InjectionBindings(), {"", "n.b"})); }));
    cluster_.Remove(Agents(), {"n", "b"});
  }
  if (!running_->webhook_address().empty()) {
    ASSERT_TRUE(Says("/readyz", "200")) << Page("/readyz");
    const http::Response answer = AskAboutAPod();
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_NE(answer.body.find("Agent n/nobody, which gives none"), std::string::npos);
  }
  // Need a pod on a node: e2e/story, chapter 7 and e2e/story/upgrade_chapters.py.
  const Grants by_hand = {"pods patch", "pods delete", "pods/resize patch"};
  // Held only to be granted to Agents: no API server serves them.
  const Grants held = {"sharedmemories get", "sharedmemories list", "sharedmemories update",
                       "sharedmemories delete"};
  const Grants granted = Without(Without(Granted(roles), by_hand), held);
  EXPECT_GT(granted.size(), 40u);
  Eventually([&] { return Used(cluster_.calls()) == granted; }, kPatienceMs);
  running_->Stop();
  EXPECT_EQ(Without(Used(cluster_.calls()), granted), Grants()) << "used and not granted";
  EXPECT_EQ(Without(granted, Used(cluster_.calls())), Grants()) << "granted and never used";
}

TEST_F(RunningOperatorTest, UsesExactlyItsRoles) { UseEverything("config/rbac/rbac.yaml", ""); }

http::Response RunningOperatorTest::AskAboutAPod() {
  const Json webhook = (*cluster_.Get(MutatingWebhooks(), {"", "hook"}))["webhooks"][0];
  http::ClientOptions options;
  options.base_url = "https://" + running_->webhook_address();
  options.ca_file = folder_ / "authority";
  std::ofstream(options.ca_file)
      << base::DecodeBase64(base::StringAt(webhook, {"clientConfig", "caBundle"})).value();
  http::ClientRequest request;
  request.method = "POST";
  request.target = "/mutate";
  request.headers.Set("Content-Type", "application/json");
  request.body = R"({"apiVersion": "admission.k8s.io/v1", "request": {"uid": "u", "namespace": "n",
      "resource": {"resource": "pods"}, "object": {"metadata": {"labels":
      {"agents.agentops.io/memory": "nobody"}}, "spec": {"containers": [{"name": "a"}]}}}})";
  auto answer = http::MakeClient(options).value()->Send(request);
  return answer ? *answer : http::ErrorResponse(answer.error());
}

// Rotates the certificates meanwhile, so that every permission is used.
TEST_F(RunningOperatorTest, UsesExactlyItsRolesAsWebhook) {
  for (const kube::Resource& kind : {Secrets(), MutatingWebhooks()}) cluster_.Serve(kind);
  cluster_.Put({{"apiVersion", MutatingWebhooks().ApiVersion()},
                {"kind", MutatingWebhooks().kind},
                {"metadata", {{"name", "hook"}}},
                {"webhooks", {{{"name", "memory.example"}}}}});
  more_flags_ = {"--injection-webhook=hook", "--webhook-listen=127.0.0.1:0",
                 "--webhook-hosts=127.0.0.1", "--webhook-secret=n/certificates",
                 "--webhook-certificate-life=15s"};
  UseEverything("config/overlays/foreign-pods-webhook/rbac.yaml", "");
}

TEST_F(RunningOperatorTest, UsesExactlyItsRolesForForeignPods) {
  for (const kube::Resource& kind : {InjectionPolicies(), InjectionBindings()})
    cluster_.Serve(kind);
  cluster_.Put({{"apiVersion", InjectionPolicies().ApiVersion()},
                {"kind", InjectionPolicies().kind},
                {"metadata", {{"name", "policy"}}}});
  UseEverything("config/overlays/foreign-pods/rbac.yaml", "policy");
}

}  // namespace
}  // namespace controller
