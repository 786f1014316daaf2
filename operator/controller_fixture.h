// Test code: the controller against an API server, the fake one or the real one of
// AGENT_MEMORY_TEST_KUBECONFIG (e2e/cluster/up --api-only prints it).
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "lib/base/json/yaml.h"
#include "lib/base/process/random.h"
#include "lib/kube/client/connection.h"
#include "lib/testing/eventually.h"
#include "lib/testing/fake_cluster.h"
#include "operator/controller.h"
#include "operator/crds/embedded_crds.h"
#include "operator/crds/read_objects.h"
#include "operator/names/kinds.h"
#include "operator/names/names.h"

namespace controller {

using base::Json;
using kube::ObjectKey;
using testing::Eventually;

// An API server, the operator's client, whose mutating calls are counted, and a user's client.
class Server {
 public:
  explicit Server(bool real) : name_space_("op-" + base::RandomHex(4)) {
    if (!real) {
      fake_ = std::make_unique<testing::FakeCluster>();
      for (const kube::Resource* kind : {&Agents(), &AgentTools(), &AgentRuns(), &MemoryServers()})
        fake_->Serve(*kind);
      ours_ = std::make_unique<kube::KubeClient>(*fake_, Counting());
      theirs_ = std::make_unique<kube::KubeClient>(*fake_, Named("kubectl"));
      return;
    }
    ::setenv("SSL_CERT_FILE", "/dev/null", 0);  // the authority is in the kubeconfig
    kube::ClusterConfig config =
        kube::ReadKubeconfig(std::getenv("AGENT_MEMORY_TEST_KUBECONFIG")).value();
    our_connection_ = kube::Connection::Make(config, Counting(), "operator-test").value();
    their_connection_ = kube::Connection::Make(config, Named("kubectl"), "kubectl-test").value();
    InstallCrds();
    const Json body = {
        {"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name_space_}}}};
    EXPECT_TRUE(theirs().Create(kube::Namespaces(), body));
  }
  ~Server() {
    if (their_connection_) (void)theirs().Delete(kube::Namespaces(), {"", name_space_});
  }

  kube::KubeClient& ours() { return our_connection_ ? our_connection_->client() : *ours_; }
  kube::KubeClient& theirs() { return their_connection_ ? their_connection_->client() : *theirs_; }
  testing::FakeCluster* fake() { return fake_.get(); }
  const std::string& name_space() const { return name_space_; }
  int64_t writes() const { return writes_; }
  // 2 s on an idle machine; less than the minutes after which a list would show it without an
  // event.
  int64_t soon_ms() const { return 60'000; }

  // Applies YAML like a user; with the defaults that the API server sets.
  void Give(const std::string& yaml) {
    auto objects = ReadObjects(yaml, name_space_);
    ASSERT_TRUE(objects) << objects.error().message;
    for (const Json& object : *objects) {
      if (fake_) {
        fake_->Put(object);
        continue;
      }
      kube::ApplyOptions force;
      force.force = true;
      auto stored = theirs().Apply(ResourceOf(object), object, force);
      ASSERT_TRUE(stored) << stored.error().message;
    }
  }
  Json See(const kube::Resource& resource, const std::string& name) {
    auto object = theirs().Get(resource, {name_space_, name});
    return object ? *object : Json();
  }
  // "False ServiceNotFound"
  std::string Condition(const std::string& agent, const std::string& type,
                        const kube::Resource& resource = Agents()) {
    const Json object = See(resource, agent);
    const Json* conditions = base::At(object, {"status", "conditions"});
    for (const Json& condition : conditions ? *conditions : Json::array())
      if (condition["type"] == type)
        return base::StringAt(condition, {"status"}) + " " + base::StringAt(condition, {"reason"});
    return "";
  }

 private:
  static kube::ClientSettings Named(const char* manager) {
    kube::ClientSettings settings;
    settings.field_manager = manager;
    return settings;
  }
  kube::ClientSettings Counting() {
    kube::ClientSettings settings = Named(kFieldManager);
    settings.on_answer = [this](std::string_view verb, int status, double) {
      if (verb != "GET" && verb != "WATCH" && verb != "LIST" && status < 300) ++writes_;
    };
    return settings;
  }
  static kube::Resource ResourceOf(const Json& object) {
    for (const kube::Resource& resource :
         {Agents(), AgentTools(), AgentRuns(), MemoryServers(), kube::Services(),
          kube::ConfigMaps(), kube::PersistentVolumeClaims(), kube::EndpointSlices()})
      if (object["kind"] == resource.kind) return resource;
    ADD_FAILURE() << object;
    return kube::ConfigMaps();
  }
  void InstallCrds() {
    for (std::string_view text : EmbeddedCrds()) {
      kube::ApplyOptions force;
      force.force = true;
      auto stored =
          theirs().Apply(kube::CustomResourceDefinitions(), base::ParseYaml(text).value(), force);
      ASSERT_TRUE(stored) << stored.error().message;
    }
    for (const kube::Resource* kind : {&Agents(), &AgentTools(), &AgentRuns(), &MemoryServers()})
      ASSERT_TRUE(Eventually([&] { return bool(theirs().List(*kind, {}, 1)); }));
  }

  std::string name_space_;
  std::atomic<int64_t> writes_{0};
  std::unique_ptr<testing::FakeCluster> fake_;
  std::unique_ptr<kube::KubeClient> ours_, theirs_;
  std::unique_ptr<kube::Connection> our_connection_, their_connection_;
};

inline std::unique_ptr<Controller> Begin(Server& server) {
  ControllerOptions options;
  options.name_spaces = {server.name_space()};
  auto controller = std::make_unique<Controller>(server.ours(), std::move(options));
  controller->Start();
  return controller;
}

// No key waits or runs, and `at_least` reconciles were done.
inline bool IsIdle(const Controller& controller, int64_t at_least = 1) {
  const kube::QueueStats stats = controller.loop().queue_stats();
  return controller.loop().synced() && stats.depth == 0 && stats.in_work == 0 &&
         stats.done >= at_least;
}

}  // namespace controller
