// Ends the operator after each of its writes in turn and lets another one finish: the final state
// is that of an uninterrupted operator (Sieve, OSDI 2022: intermediate states). Against the fake
// API server.
#include <gtest/gtest.h>

#include <set>

#include "lib/testing/eventually.h"
#include "lib/testing/fake_cluster.h"
#include "operator/controller.h"
#include "operator/crds/read_objects.h"
#include "operator/names/kinds.h"
#include "operator/names/names.h"

namespace controller {
namespace {

using base::Json;
using testing::Eventually;

constexpr const char* kMadeByServer[] = {"uid",           "resourceVersion",    "creationTimestamp",
                                         "managedFields", "lastTransitionTime", "generation"};

bool IsWrite(const testing::Call& call) {
  return call.Mutating() && call.status < 300 && call.status > 0 &&
         call.path.find("/events") == std::string::npos;
}

// Drops values that differ between servers; replaces uids by the objects that have them.
Json Comparable(const Json& value, const std::map<std::string, std::string>& uids) {
  if (value.is_string()) {
    const auto of = uids.find(value.get<std::string>());
    return of == uids.end() ? value : Json(of->second);
  }
  Json out = value;
  if (value.is_object()) {
    for (const char* key : kMadeByServer)
      if (std::string_view(key) != "uid" || value.contains("resourceVersion")) out.erase(key);
    out.erase(kIntentAnnotation);  // a hash over uids
  }
  if (value.is_structured())
    for (Json& item : out) item = Comparable(item, uids);
  return out;
}

struct Path {
  const char* name;
  std::vector<const char*> before;  // existing objects, reconciled
  std::function<void(testing::FakeCluster&)> then;
};

Json Read(const char* yaml) { return ReadObjects(yaml, "n").value().at(0); }

constexpr const char
    *kCrashService = R"({apiVersion: v1, kind: Service, metadata: {name: m},
    spec: {selector: {app: m}, ports: [{name: memory, port: 7437, protocol: TCP}]}})",
    *kCrashAgent = R"({apiVersion: agents.agentops.io/v1alpha1, kind: Agent, metadata: {name: a},
    spec: {image: "i:1", ports: [{name: http, containerPort: 80}], memory: {serverRef: m}}})",
    *kChanged = R"({apiVersion: agents.agentops.io/v1alpha1, kind: Agent, metadata: {name: a},
    spec: {image: "i:2", memory: {serverRef: m, contextLimit: 9}}})",
    *kBare = R"({apiVersion: agents.agentops.io/v1alpha1, kind: Agent, metadata: {name: a},
    spec: {image: "i:1"}})",
    *kTask = R"({apiVersion: agents.agentops.io/v1alpha1, kind: Agent, metadata: {name: a},
    spec: {mode: task, image: "i:1", memory: {serverRef: m}}})",
    *kRun = R"({apiVersion: agents.agentops.io/v1alpha1, kind: AgentRun, metadata: {name: r},
    spec: {agentRef: a, prompt: go}})",
    *kServer = R"({apiVersion: agents.agentops.io/v1alpha1, kind: MemoryServer, metadata: {name: s},
    spec: {}})";

const std::vector<Path>& Paths() {
  const auto give = [](const char* yaml) {
    return [yaml](testing::FakeCluster& cluster) { cluster.Put(Read(yaml)); };
  };
  static const std::vector<Path> paths = {
      {"a new Agent", {kCrashService}, give(kCrashAgent)},
      {"an edit that also takes a child away", {kCrashService, kCrashAgent}, give(kChanged)},
      {"memory switched off", {kCrashService, kCrashAgent}, give(kBare)},
      {"the Service goes",
       {kCrashService, kCrashAgent},
       [](testing::FakeCluster& cluster) {
         cluster.Remove(kube::Services(), {"n", "m"});
       }},
      {"children are deleted by hand",
       {kCrashService, kCrashAgent},
       [](testing::FakeCluster& cluster) {
         cluster.Remove(kube::StatefulSets(), {"n", "a"});
         cluster.Remove(kube::ConfigMaps(), {"n", PolicyConfigMapName("a")});
       }},
      {"a task and its run", {kCrashService, kTask}, give(kRun)},
      {"a run before its Agent", {kCrashService, kRun}, give(kTask)},
      {"a new MemoryServer", {}, give(kServer)},
  };
  return paths;
}

// One server, and the operators that work on it one after the other.
class Play {
 public:
  explicit Play(const Path& path) {
    for (const kube::Resource* kind : {&Agents(), &AgentTools(), &AgentRuns(), &MemoryServers()})
      cluster_.Serve(*kind);
    for (const char* yaml : path.before) cluster_.Put(Read(yaml));
    Work(0);
    cluster_.ForgetCalls();
    path.then(cluster_);
  }

  // Runs an operator until it is at rest and the state is `expected`, or cuts its connection right
  // after so many writes (0: never).
  void Work(size_t writes, const Json* expected = nullptr) {
    quiet_ = 0;
    kube::ClientSettings settings;
    settings.field_manager = kFieldManager;
    std::atomic<bool> ended = false;
    settings.on_answer = [&](std::string_view, int, double) {
      if (writes == 0 || ended || Writes() < writes) return;
      ended = true;
      cluster_.Inject({"", "", 0, 0, false, 1'000'000});
    };
    kube::KubeClient client(cluster_, std::move(settings));
    Controller controller(client, {});
    controller.Start();
    EXPECT_TRUE(Eventually([&] {
      return ended || (IsAtRest(controller) && (!expected || State() == *expected));
    })) << (expected ? Json::diff(*expected, State()).dump(1) : "");
    controller.Stop(0);
    cluster_.ClearFaults();
  }

  size_t Writes() const {
    size_t count = 0;
    for (const testing::Call& call : cluster_.calls()) count += IsWrite(call);
    return count;
  }

  // All objects except Events.
  Json State() const {
    std::vector<Json> all;
    std::map<std::string, std::string> uids;
    for (const kube::Resource& kind :
         {Agents(), AgentRuns(), MemoryServers(), kube::Services(), kube::ServiceAccounts(),
          kube::ConfigMaps(), kube::StatefulSets(), kube::Jobs(), kube::PersistentVolumeClaims()})
      for (Json& object : cluster_.List(kind)) {
        uids[kube::UidOf(object)] = "of " + kind.kind + " " + kube::KeyOf(object).Text();
        object["kind"] = kind.kind;
        all.push_back(std::move(object));
      }
    Json state = Json::object();
    for (const Json& object : all)
      state[object["kind"].get<std::string>() + " " + kube::KeyOf(object).Text()] =
          Comparable(object, uids);
    return state;
  }

 private:
  // Watch events may be in transit: only an idle state that lasts is at rest.
  bool IsAtRest(const Controller& controller) {
    const kube::QueueStats stats = controller.loop().queue_stats();
    const size_t calls = cluster_.calls().size();
    const bool idle =
        controller.loop().synced() && stats.depth == 0 && stats.in_work == 0 && calls == calls_;
    quiet_ = idle ? quiet_ + 1 : 0;
    calls_ = calls;
    return quiet_ >= 15;
  }

  testing::FakeCluster cluster_;
  size_t calls_ = 0;
  int quiet_ = 0;
};

TEST(CrashPoints, AnotherOperatorFinishesAfterAnyLastWrite) {
  for (const Path& path : Paths()) {
    SCOPED_TRACE(path.name);
    Play whole(path);
    whole.Work(0);
    const Json expected = whole.State();
    const size_t writes = whole.Writes();
    EXPECT_GE(writes, 1u);
    for (size_t last = 1; last < writes; ++last) {
      SCOPED_TRACE("ended after write " + std::to_string(last) + " of " + std::to_string(writes));
      Play cut(path);
      cut.Work(last);
      cut.Work(0, &expected);
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace controller
