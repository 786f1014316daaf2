// The same calls to the fake API server and a real one have the same results; plus tests that need
// a real one, in AGENT_MEMORY_TEST_KUBECONFIG (e2e/cluster/up --api-only prints it).
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <thread>

#include "lib/base/process/file.h"
#include "lib/base/process/random.h"
#include "lib/base/text/text.h"
#include "lib/kube/client/connection.h"
#include "lib/kube/controller/controller_loop.h"
#include "lib/kube/controller/event_recorder.h"
#include "lib/kube/object/apply.h"
#include "lib/testing/eventually.h"
#include "lib/testing/fake_cluster.h"
#include "lib/testing/fake_cluster_story.h"
#include "lib/testing/streams.h"
#include "lib/testing/temporary_directory.h"

namespace kube {
namespace {

using testing::Eventually;

const std::vector<std::string>& ExpectedStory() {
  static const std::vector<std::string> story{
      "get what is not there: not_found",
      "apply makes it: ok",
      "it has a uid: yes",
      "the same apply: same version",
      "a dry run: ok",
      "stores nothing: {\"x\":\"1\",\"y\":\"1\"}",
      "another value: newer version",
      "create what exists: conflict",
      "apply without a name: invalid",
      "their value for our field: conflict",
      "names manager and field: yes",
      "the same value is shared: ok",
      "by force: ok",
      "now ours is refused: conflict",
      "in the way: an applier",
      "an edit: ok",
      "in the way: an edit",
      "over the edit: ok",
      "without that field: ok",
      "theirs stays: {\"x\":\"3\",\"y\":\"1\"}",
      "less of ours: ok",
      "takes away what was ours alone: {\"x\":\"3\",\"z\":\"1\"}",
      "apply with its uid: ok",
      "with another uid: conflict",
      "with a uid when it is gone: conflict",
      "with an old version: conflict",
      "nothing of that is stored: {\"x\":\"3\",\"z\":\"2\"}",
      "a StatefulSet: generation 1",
      "a label: generation 1",
      "its spec: generation 2",
      "its status: generation 2",
      "is stored: 2",
      "the same status: same version",
      "a new spec keeps the status: 2",
      "status of what is not there: not_found",
      "merge patch: ok",
      "of an old version: conflict",
      "json patch: ok",
      "whose test fails: invalid",
      "values: {\"j\":\"1\",\"m\":\"1\",\"x\":\"3\",\"z\":\"2\"}",
      "patch what is not there: not_found",
      "our value for a patched field: conflict",
      "apply b: ok",
      "apply c: ok",
      "apply d: ok",
      "apply e: ok",
      "pages of two: |aCbC|cCdC|eC",
      "of another label: 0",
      "one by name, metadata only: yes",
      "they make f: ok",
      "change it: ok",
      "move b out of sight: ok",
      "and back: ok",
      "delete f: ok",
      "what the watch saw: Af Mf Db Ab Df ",
      "it ended: closed",
      "a list from the future: timeout",
      "delete another incarnation: conflict",
      "delete this one: ok",
      "once more: not_found",
      "one with a finalizer: ok",
      "is deleted: ok",
      "and stays: yes",
      "let go: ok",
      "is gone: not_found",
      "an Event: ok",
      "its count: 2"};
  return story;
}

ClientSettings Manager(const char* name) {
  ClientSettings settings;
  settings.field_manager = name;
  settings.timeout_ms = 60'000;  // the server may be slow
  return settings;
}

std::string Lines(const std::vector<std::string>& story) { return base::Join(story, "\n"); }

TEST(FakeCluster, BehavesLikeTheStory) {
  ::testing::FakeCluster cluster;
  KubeClient ours(cluster, Manager("ours")), theirs(cluster, Manager("theirs"));
  EXPECT_EQ(Lines(::testing::TellStory(ours, theirs, "story")), Lines(ExpectedStory()));
}

class ApiServer : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::getenv("AGENT_MEMORY_TEST_KUBECONFIG")) {
      GTEST_SKIP() << "AGENT_MEMORY_TEST_KUBECONFIG is not set";
    }
    connection_ = Connect("ours");
    ASSERT_TRUE(connection_);
    Json name_space = {
        {"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", space_}}}};
    auto made = client().Create(Namespaces(), name_space);
    ASSERT_TRUE(made) << made.error().message;
  }
  void TearDown() override {
    if (connection_) (void)client().Delete(Namespaces(), {"", space_});
  }

  static ClusterConfig Config() {
    auto config = ReadKubeconfig(std::getenv("AGENT_MEMORY_TEST_KUBECONFIG"));
    EXPECT_TRUE(config) << config.error().message;
    return config ? *config : ClusterConfig();
  }
  static std::unique_ptr<Connection> Connect(const char* manager) {
    auto made = Connection::Make(Config(), Manager(manager), "api-test");
    EXPECT_TRUE(made) << made.error().message;
    return made ? *std::move(made) : nullptr;
  }
  KubeClient& client() { return connection_->client(); }
  Json Map(const std::string& name, Json values) const {
    return {{"apiVersion", "v1"},
            {"kind", "ConfigMap"},
            {"metadata", {{"name", name}, {"namespace", space_}}},
            {"data", std::move(values)}};
  }

  Json Account(int number) const {
    return {{"apiVersion", "v1"},
            {"kind", "ServiceAccount"},
            {"metadata", {{"name", "a" + std::to_string(number)}, {"namespace", space_}}}};
  }

  // The series count of the only Event about the ConfigMap "a"; 0: not exactly one Event.
  int CountOfOnlyEvent() {
    auto events = client().ListAll(Events(), {space_, "", "", false});
    if (!events || events->size() != 1) return 0;
    const Json& event = (*events)[0];
    bool is_ours = event["note"] == "always the same" && event["regarding"]["name"] == "a";
    const Json* count = base::At(event, {"series", "count"});
    return is_ours && count ? count->get<int>() : 0;
  }

  const std::string space_ = "api-test-" + base::RandomHex(4);
  std::unique_ptr<Connection> connection_;
};

TEST_F(ApiServer, BehavesLikeTheFake) {
  auto theirs = Connect("theirs");
  EXPECT_EQ(Lines(::testing::TellStory(client(), theirs->client(), space_)),
            Lines(ExpectedStory()));
}

TEST_F(ApiServer, BookmarkCarriesAWatchPastForeignWrites) {
  auto page = client().List(ConfigMaps(), {space_, "", "", false});
  ASSERT_TRUE(page) << page.error().message;
  ASSERT_TRUE(client().Apply(ConfigMaps(), Map("a", {{"x", "1"}})));
  Json foreign = Map("foreign-" + space_, {});
  foreign["metadata"]["namespace"] = "kube-system";
  std::string mark, bookmark;
  int events = 0;
  // The server sends a bookmark shortly before a watch times out.
  WatchOptions options{{space_, "", "", false}, page->resource_version, 6};
  auto end = ::testing::WatchToEnd(client(), ConfigMaps(), options, {}, [&](WatchEvent&& event) {
    if (event.type == WatchEvent::Type::kBookmark) {
      bookmark = ResourceVersionOf(event.object);
      return;
    }
    ++events;
    auto written = client().Apply(ConfigMaps(), foreign);
    if (written) mark = ResourceVersionOf(*written);
  });
  EXPECT_EQ(end.reason, WatchEnd::Reason::kClosed) << end.error.message;
  EXPECT_EQ(events, 1);
  EXPECT_FALSE(mark.empty());
  EXPECT_FALSE(bookmark.empty());
  EXPECT_FALSE(IsNewerVersion(mark, bookmark));
  EXPECT_TRUE(client().Delete(ConfigMaps(), KeyOf(foreign)));
}

TEST_F(ApiServer, VersionBeforeTheKindIsExpired) {
  std::string name = "t" + base::RandomHex(4);
  Resource things{"kube-test.example.com", "v1", "Thing", name + "s"};
  Json schema = {{"openAPIV3Schema", {{"type", "object"}}}};
  Json crd = {{"apiVersion", "apiextensions.k8s.io/v1"},
              {"kind", "CustomResourceDefinition"},
              {"metadata", {{"name", things.plural + "." + things.group}}},
              {"spec",
               {{"group", things.group},
                {"scope", "Namespaced"},
                {"names", {{"kind", "Thing" + name}, {"plural", things.plural}}},
                {"versions",
                 {{{"name", "v1"}, {"served", true}, {"storage", true}, {"schema", schema}}}}}}};
  ASSERT_TRUE(client().Apply(CustomResourceDefinitions(), crd));
  EXPECT_TRUE(Eventually([&] { return client().ListAll(things, {}).has_value(); }));
  WatchOptions options{{}, "1", 30};
  WatchEnd end;
  // While the server fills the cache of a new kind it answers 429, and the client pauses.
  EXPECT_TRUE(Eventually([&] {
    end = ::testing::WatchToEnd(client(), things, options, {}, [](WatchEvent&&) {});
    return end.reason != WatchEnd::Reason::kFailed || end.error.code != base::Code::kUnavailable;
  }));
  EXPECT_EQ(end.reason, WatchEnd::Reason::kExpired) << end.error.message;
  EXPECT_TRUE(Eventually(
      [&] { return client().Delete(CustomResourceDefinitions(), KeyOf(crd)).has_value(); }));
}

TEST_F(ApiServer, ReflectorFollowsAndTheStoreEqualsTheServer) {
  ObjectStore store(DropManagedFields, {"app"});
  ReflectorOptions options{.resource = ConfigMaps(), .selection = {space_, "", "", false}};
  options.page_size = 3;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(client().Apply(ConfigMaps(), Map("m" + std::to_string(i), {{"x", "1"}})));
  }
  std::atomic<int> changes = 0;
  Reflector reflector(client(), store, options, [&](const Change&, bool) { ++changes; });
  reflector.Start();
  ASSERT_TRUE(Eventually([&] { return reflector.synced(); })) << reflector.stats().last_error;
  // With a controller-manager each namespace has a ConfigMap of its own.
  size_t own = store.objects() - 10;
  auto written = client().Apply(ConfigMaps(), Map("m3", {{"x", "2"}}));
  ASSERT_TRUE(written);
  ASSERT_TRUE(store.WaitForVersion(ResourceVersionOf(*written), 10'000, {}));
  EXPECT_EQ((*store.Get({space_, "m3"}))["data"]["x"], "2");
  EXPECT_FALSE((*store.Get({space_, "m3"}))["metadata"].contains("managedFields"));
  ASSERT_TRUE(client().Delete(ConfigMaps(), {space_, "m4"}));
  EXPECT_TRUE(Eventually([&] { return store.objects() == 9 + own; }));
  EXPECT_EQ(reflector.stats().lists, 1);
}

TEST_F(ApiServer, StreamedListEqualsPagedList) {
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(client().Apply(ConfigMaps(), Map("m" + std::to_string(i), {{"x", "1"}})));
  auto read = [&](bool streams_lists, bool metadata_only) {
    ObjectStore store;
    ReflectorOptions options{ConfigMaps(), {space_, "", "", metadata_only}, streams_lists, 3};
    Reflector reflector(client(), store, options, [](const Change&, bool) {});
    reflector.Start();
    EXPECT_TRUE(Eventually([&] { return reflector.synced(); })) << reflector.stats().last_error;
    EXPECT_EQ(reflector.stats().streamed_lists, streams_lists ? 1 : 0);
    EXPECT_EQ(reflector.stats().lists, streams_lists ? 0 : 1);
    EXPECT_GE(store.objects(), 10u);
    return store.List();
  };
  EXPECT_EQ(read(true, false), read(false, false));
  EXPECT_EQ(read(true, true), read(false, true));
}

TEST_F(ApiServer, AppliedObjectIsUpToDate) {
  const char* note = "example.com/intent";
  Json set = Json::parse(R"({"apiVersion": "apps/v1", "kind": "StatefulSet",
    "metadata": {"name": "s", "labels": {"a": "b"}},
    "spec": {"serviceName": "s", "replicas": 1, "updateStrategy": {"type": "OnDelete"},
      "selector": {"matchLabels": {"a": "b"}},
      "template": {"metadata": {"labels": {"a": "b"}}, "spec": {
        "initContainers": [{"name": "memory", "image": "i:1", "restartPolicy": "Always",
          "ports": [{"name": "admin", "containerPort": 7438}],
          "startupProbe": {"httpGet": {"path": "/readyz", "port": 7438}, "failureThreshold": 60},
          "resources": {"requests": {"cpu": "0.01", "memory": "32768Ki"}, "limits": {"memory": "128Mi"}}}],
        "containers": [{"name": "agent", "image": "i:2", "env": [{"name": "EMPTY", "value": ""}],
          "volumeMounts": [{"name": "state", "mountPath": "/data", "subPath": "agent"}]}],
        "volumes": [{"name": "scratch", "emptyDir": {}}, {"name": "policy", "configMap": {"name": "p"}}]}},
      "volumeClaimTemplates": [{"metadata": {"name": "state"}, "spec": {"accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1024Mi"}}}}]}})");
  set["metadata"]["namespace"] = space_;
  Json desired = WithIntent(set, note);
  auto stored = client().Apply(StatefulSets(), desired);
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(FirstDifference(*stored, desired), "");
  EXPECT_TRUE(IsUpToDate(*stored, desired, note));
  auto again = client().Apply(StatefulSets(), desired);
  ASSERT_TRUE(again);
  EXPECT_EQ(ResourceVersionOf(*again), ResourceVersionOf(*stored));
  Json edit = {
      {{"op", "replace"}, {"path", "/spec/template/spec/containers/0/image"}, {"value", "x"}}};
  auto edited = client().JsonPatch(StatefulSets(), {space_, "s"}, edit);
  ASSERT_TRUE(edited);
  EXPECT_EQ(FirstDifference(*edited, desired),
            ".spec.template.spec.containers[name=\"agent\"].image");
}

TEST_F(ApiServer, RotatedTokenIsUsed) {
  ASSERT_TRUE(client().Apply(ServiceAccounts(), Account(0)));
  Json rule = {{"apiGroups", {""}}, {"resources", {"configmaps"}}, {"verbs", {"list"}}};
  Json role = {{"apiVersion", "rbac.authorization.k8s.io/v1"},
               {"kind", "Role"},
               {"metadata", {{"name", "view"}, {"namespace", space_}}},
               {"rules", {rule}}};
  Json subject = {{"kind", "ServiceAccount"}, {"name", "a0"}, {"namespace", space_}};
  Json binding = {
      {"apiVersion", "rbac.authorization.k8s.io/v1"},
      {"kind", "RoleBinding"},
      {"metadata", {{"name", "view"}, {"namespace", space_}}},
      {"roleRef", {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "Role"}, {"name", "view"}}},
      {"subjects", {subject}}};
  Resource roles{"rbac.authorization.k8s.io", "v1", "Role", "roles"};
  ASSERT_TRUE(client().Apply(roles, role));
  Resource bindings{"rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings"};
  ASSERT_TRUE(client().Apply(bindings, binding));
  http::ClientRequest request;
  request.method = "POST";
  request.target = ObjectPath(ServiceAccounts(), {space_, "a0"}, "token");
  request.headers.Set("Content-Type", "application/json");
  request.body =
      R"({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})";
  auto answer = client().http().Send(request);
  ASSERT_TRUE(answer && answer->status == 201);
  std::string token = base::StringAt(Json::parse(answer->body), {"status", "token"});

  ClusterConfig config = Config();
  config.certificate_file = config.key_file = config.token = "";
  const ::testing::TemporaryDirectory directory;
  config.token_file = directory.File("token");
  ASSERT_TRUE(base::ReplaceFile(config.token_file, "revoked"));
  auto connection = Connection::Make(config, {}, "api-test");
  ASSERT_TRUE(connection);
  auto refused = (*connection)->client().ListAll(ConfigMaps(), {space_, "", "", false});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kDenied);
  // After the rotation the next call is refused with the old token, reads the file again, succeeds.
  ASSERT_TRUE(base::ReplaceFile(config.token_file, token + "\n"));
  auto allowed = [&] {
    return (*connection)->client().ListAll(ConfigMaps(), {space_, "", "", false});
  };
  auto first = allowed();
  // 403: a known user, whose RoleBinding the server has not seen yet; 401: an unknown user.
  bool is_known = first || first.error().message.find("403") != std::string::npos;
  EXPECT_TRUE(is_known) << first.error().message;
  EXPECT_TRUE(Eventually([&] { return allowed().has_value(); }));
}

TEST_F(ApiServer, EventsAreLimitedAndCounted) {
  auto about = client().Apply(ConfigMaps(), Map("a", {{"x", "1"}}));
  ASSERT_TRUE(about);
  {
    EventRecorder recorder(client(), "example.com/test", "one");
    for (int i = 0; i < 200; ++i) {
      recorder.Warning(*about, "Failed", "Reconcile", "always the same");
    }
    EXPECT_TRUE(Eventually([&] { return CountOfOnlyEvent() == 25; }));
  }
  EXPECT_EQ(CountOfOnlyEvent(), 25) << "a burst of 25 writes, then one each five minutes";
}

}  // namespace
}  // namespace kube
