// A small controller on the fake API server: each ConfigMap gets a Service of the same name, with
// its value as a label. Under all faults the end state is the same, and a restart writes nothing.
#include "lib/kube/controller/controller_loop.h"

#include <gtest/gtest.h>

#include <random>

#include "lib/kube/controller/event_recorder.h"
#include "lib/kube/object/apply.h"
#include "lib/testing/eventually.h"
#include "lib/testing/fake_cluster.h"

namespace kube {
namespace {

constexpr const char* kIntent = "example.com/intent";

using testing::Eventually;

class Toy {
 public:
  explicit Toy(::testing::FakeCluster& cluster) : client_(cluster) {
    loop_ = std::make_unique<ControllerLoop>(client_);
    WorkQueue::Options options;
    options.limits.backoff_cap_ms = 200;
    WorkQueue& queue = loop_->AddQueue(
        [this](const ObjectKey& key, std::stop_token) { return Reconcile(key); }, options);
    maps_ = &loop_->AddCache(Plan(ConfigMaps()));
    services_ = &loop_->AddCache(Plan(Services()));
    loop_->Watch(*maps_, queue);
    loop_->Watch(*services_, queue, ToOwner("ConfigMap"));
    loop_->Start();
  }
  ControllerLoop& loop() { return *loop_; }

 private:
  static CachePlan Plan(const Resource& resource) {
    CachePlan plan;
    plan.reflect.resource = resource;
    plan.reflect.backoff_base_ms = 5;
    plan.reflect.backoff_cap_ms = 50;
    return plan;
  }

  base::Result<When> Reconcile(const ObjectKey& key) {
    auto wish = maps_->Get(key);
    if (!wish) return When{};
    Json desired = {{"apiVersion", "v1"},
                    {"kind", "Service"},
                    {"metadata",
                     {{"name", key.name},
                      {"namespace", key.name_space},
                      {"labels", {{"value", (*wish)["data"]["value"]}}},
                      {"ownerReferences", {ControllerReference(*wish)}}}}};
    desired = WithIntent(std::move(desired), kIntent);
    auto observed = services_->Get(key);
    if (observed && IsUpToDate(*observed, desired, kIntent)) return When{};
    ApplyOptions force;
    force.force = true;
    auto applied = client_.Apply(Services(), desired, force);
    if (!applied) return applied.error();
    return When{};
  }

  KubeClient client_;
  std::unique_ptr<ControllerLoop> loop_;
  ObjectStore* maps_ = nullptr;
  ObjectStore* services_ = nullptr;
};

class LoopTest : public ::testing::Test {
 protected:
  void Wish(const std::string& name, const std::string& value) {
    cluster_.Put({{"apiVersion", "v1"},
                  {"kind", "ConfigMap"},
                  {"metadata", {{"name", name}, {"namespace", "n"}}},
                  {"data", {{"value", value}}}});
  }
  bool Fulfilled() const {
    for (const Json& wish : cluster_.List(ConfigMaps())) {
      auto service = cluster_.Get(Services(), KeyOf(wish));
      if (!service || LabelOf(*service, "value") != wish["data"]["value"]) return false;
    }
    return true;
  }
  // No request arrives for 100 ms. (Watches are silent.)
  bool Quiet() const {
    size_t before = cluster_.calls().size();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return cluster_.calls().size() == before;
  }

  ::testing::FakeCluster cluster_;
};

TEST_F(LoopTest, ChildrenAreCreatedRestoredAndFollowed) {
  Wish("a", "1");
  Toy toy(cluster_);
  EXPECT_TRUE(Eventually([&] { return Fulfilled() && cluster_.List(Services()).size() == 1; }));
  Wish("a", "2");
  Wish("b", "1");
  EXPECT_TRUE(Eventually([&] { return Fulfilled() && cluster_.List(Services()).size() == 2; }));
  cluster_.Remove(Services(), {"n", "b"});
  EXPECT_TRUE(Eventually([&] { return Fulfilled(); }));
  Json edited = *cluster_.Get(Services(), {"n", "a"});
  edited["metadata"]["labels"] = {{"value", "by hand"}, {"foreign", "kept"}};
  cluster_.Put(edited);
  EXPECT_TRUE(Eventually([&] { return Fulfilled(); }));
  EXPECT_EQ(LabelOf(*cluster_.Get(Services(), {"n", "a"}), "foreign"), "kept");
}

TEST_F(LoopTest, RestartWritesNothing) {
  for (int i = 0; i < 50; ++i) Wish("w" + std::to_string(i), "1");
  {
    Toy toy(cluster_);
    EXPECT_TRUE(Eventually([&] { return Fulfilled(); }));
    toy.loop().Stop();
  }
  EXPECT_EQ(cluster_.mutations(), 50u) << "each child is written once";
  cluster_.ForgetCalls();
  Toy again(cluster_);
  EXPECT_TRUE(
      Eventually([&] { return again.loop().synced() && again.loop().queue_stats().done >= 50; }));
  EXPECT_EQ(cluster_.mutations(), 0u);
}

TEST_F(LoopTest, WorkBeginsOnceCachesAreSynced) {
  Wish("a", "1");
  cluster_.Inject({"LIST", "services", 500, 0, false, 1'000'000});
  Toy toy(cluster_);
  EXPECT_TRUE(Eventually([&] { return toy.loop().FailingMs() > 0; }));
  EXPECT_FALSE(toy.loop().synced());
  EXPECT_EQ(toy.loop().queue_stats().done, 0);
  cluster_.ClearFaults();
  EXPECT_TRUE(Eventually([&] { return toy.loop().synced() && Fulfilled(); }));
  EXPECT_EQ(toy.loop().FailingMs(), 0);
}

// Like Sieve: loses each write in turn, or its answer.
TEST_F(LoopTest, ConvergesAfterAnyLostWrite) {
  for (bool after_effect : {false, true}) {
    for (int point = 0; point < 5; ++point) {
      std::string name = std::string(after_effect ? "late" : "early") + std::to_string(point);
      for (int i = 0; i < 5; ++i) Wish(name + "-" + std::to_string(i), "1");
      cluster_.Inject(
          {"APPLY", name + "-" + std::to_string(point), point % 2 ? 500 : 0, 0, after_effect});
      Toy toy(cluster_);
      EXPECT_TRUE(Eventually([&] { return Fulfilled(); })) << name;
    }
  }
  EXPECT_EQ(cluster_.List(Services()).size(), 50u);
}

TEST_F(LoopTest, UnsentEventsAreFoundByARelist) {
  Wish("a", "1");
  Toy toy(cluster_);
  EXPECT_TRUE(Eventually([&] { return Fulfilled(); }));
  cluster_.HoldEvents(true);
  Wish("a", "2");
  cluster_.Compact();
  cluster_.HoldEvents(false);
  EXPECT_TRUE(Eventually([&] { return Fulfilled(); }));
}

// AGENT_MEMORY_TEST_SEED=n repeats the history of a failed run.
TEST_F(LoopTest, ConvergesUnderRandomFaults) {
  const char* asked = std::getenv("AGENT_MEMORY_TEST_SEED");
  uint64_t seed = asked ? std::strtoull(asked, nullptr, 10) : std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  Toy toy(cluster_);
  for (int i = 0; i < 300; ++i) {
    std::string name = "w" + std::to_string(random() % 10);
    switch (random() % 10) {
      case 0:
        cluster_.ExpireStreams();
        break;
      case 1:
        cluster_.BreakStreams();
        break;
      case 2:
        cluster_.Inject({"", "", 500});
        break;
      case 3:
        cluster_.Inject({"APPLY", "", 0, 0, random() % 2 == 0});
        break;
      case 4:
        cluster_.Compact();
        break;
      case 5:
        cluster_.RepeatEvents(random() % 2 == 0);
        break;
      case 6:
        cluster_.Remove(Services(), {"n", name});
        break;
      case 7:
        cluster_.CutStreamsInto(random() % 9);
        break;
      default:
        Wish(name, std::to_string(i));
        break;
    }
    if (random() % 8 == 0) std::this_thread::yield();
  }
  cluster_.ClearFaults();
  EXPECT_TRUE(Eventually([&] { return Fulfilled(); }));
  EXPECT_TRUE(Eventually([&] { return Quiet(); })) << "it does not come to rest";
}

TEST_F(LoopTest, NamespacesAreWatchedOneByOneIfSet) {
  KubeClient client(cluster_);
  ControllerLoop loop(client);
  CachePlan plan;
  plan.reflect.resource = ConfigMaps();
  plan.name_spaces = {"a", "b"};
  ObjectStore& store = loop.AddCache(plan);
  for (const char* space : {"a", "b", "c"}) {
    cluster_.Put({{"apiVersion", "v1"},
                  {"kind", "ConfigMap"},
                  {"metadata", {{"name", "m"}, {"namespace", space}}}});
  }
  loop.Start();
  EXPECT_TRUE(Eventually([&] { return loop.synced(); }));
  EXPECT_EQ(store.objects(), 2u);
  EXPECT_EQ(loop.reflector_stats().size(), 2u);
  for (const auto& call : cluster_.calls())
    EXPECT_TRUE(call.path.starts_with("/api/v1/namespaces/"));
}

TEST_F(LoopTest, BusyQueueDelaysNoOther) {
  Wish("a", "1");
  KubeClient client(cluster_);
  std::atomic<bool> second_ran = false, first_saw_it = false;
  WorkQueue::Options one;
  one.workers = 1;
  ControllerLoop loop(client);
  WorkQueue& first = loop.AddQueue(
      [&](const ObjectKey&, std::stop_token) -> base::Result<When> {
        first_saw_it = Eventually([&] { return second_ran.load(); });
        return When{};
      },
      one);
  WorkQueue& second = loop.AddQueue(
      [&](const ObjectKey&, std::stop_token) -> base::Result<When> {
        second_ran = true;
        return When{};
      },
      one);
  CachePlan plan;
  plan.reflect.resource = ConfigMaps();
  const ObjectStore& maps = loop.AddCache(plan);
  loop.Watch(maps, first);
  loop.Watch(maps, second);
  loop.Start();
  EXPECT_TRUE(Eventually([&] { return loop.queue_stats().done == 2; }));
  EXPECT_TRUE(first_saw_it);
}

TEST_F(LoopTest, DeniedOptionalCacheDelaysNoWork) {
  Wish("a", "1");
  cluster_.Inject({"LIST", "services", 403, 0, false, 1'000'000});
  KubeClient client(cluster_);
  std::atomic<int> looks = 0;
  ControllerLoop loop(client);
  WorkQueue& queue = loop.AddQueue([&](const ObjectKey&, std::stop_token) -> base::Result<When> {
    ++looks;
    return When{};
  });
  CachePlan needed, advice;
  needed.reflect.resource = ConfigMaps();
  advice.reflect.resource = Services();
  advice.reflect.backoff_base_ms = advice.reflect.backoff_cap_ms = 5;
  advice.may_be_denied = true;
  loop.Watch(loop.AddCache(needed), queue);
  ObjectStore& services = loop.AddCache(advice);
  loop.Start();
  EXPECT_TRUE(Eventually([&] { return loop.synced() && looks == 1; }));
  EXPECT_EQ(loop.FailingMs(), 0);
  cluster_.ClearFaults();
  cluster_.Put({{"apiVersion", "v1"},
                {"kind", "Service"},
                {"metadata", {{"name", "s"}, {"namespace", "n"}}}});
  EXPECT_TRUE(Eventually([&] { return services.objects() == 1; })) << "once it is allowed";
}

TEST(EventRecorder, WritesLimitedAndNeverBlocks) {
  ::testing::FakeCluster cluster;
  KubeClient client(cluster);
  Json about = {{"apiVersion", "v1"},
                {"kind", "ConfigMap"},
                {"metadata", {{"name", "a"}, {"namespace", "n"}, {"uid", "u"}}}};
  {
    EventRecorder recorder(client, "example.com/test", "one");
    for (int i = 0; i < 1000; ++i) {
      recorder.Warning(about, "Failed", "Reconcile", "note " + std::to_string(i));
    }
    EXPECT_TRUE(Eventually([&] { return cluster.mutations() == 25; }));
  }
  std::vector<Json> events = cluster.List(Events(), "n");
  EXPECT_EQ(events.size(), 11u);
  EXPECT_EQ(cluster.mutations(), 25u);
  EXPECT_EQ(events[0]["eventTime"].get<std::string>().size(),
            std::string("2026-01-02T03:04:05.000000Z").size());
}

}  // namespace
}  // namespace kube
