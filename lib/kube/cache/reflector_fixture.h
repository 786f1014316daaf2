// ConfigMaps on a FakeCluster, a reflector of them, and its reported changes.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "lib/base/guarded.h"
#include "lib/kube/cache/reflector.h"
#include "lib/testing/eventually.h"
#include "lib/testing/fake_cluster.h"

namespace kube {

using ::testing::Eventually;
using ::testing::Fault;

class ReflectorTest : public ::testing::Test {
 protected:
  Json Put(const std::string& name, const std::string& value = "1") {
    return cluster_.Put({{"apiVersion", "v1"},
                         {"kind", "ConfigMap"},
                         {"metadata", {{"name", name}, {"namespace", "n"}}},
                         {"data", {{"x", value}}}});
  }
  void Remove(const std::string& name) { cluster_.Remove(ConfigMaps(), {"n", name}); }
  void Start() {
    reflector_.Start();
    ASSERT_TRUE(Eventually([&] { return reflector_.synced() && cluster_.open_watches() == 1; }));
  }
  bool Equal() const {
    std::vector<Json> theirs = cluster_.List(ConfigMaps());
    for (Json& object : theirs) DropManagedFields(object);
    return theirs == store_.List();
  }
  std::string Reported() {
    return changes_.With([](std::vector<std::string>& all) {
      std::string text;
      for (const std::string& one : std::exchange(all, {})) text += one + " ";
      return text;
    });
  }
  Reflector::OnChange OnChange() {
    return [this](const Change& change, bool resync) {
      std::string text(1, "+~-"[static_cast<int>(change.type)]);
      text += change.key.name + (resync ? "!" : "");
      changes_.With([&](auto& all) { all.push_back(text); });
    };
  }
  static ReflectorOptions Options() {
    ReflectorOptions options;
    options.resource = ConfigMaps();
    options.page_size = 2;
    options.backoff_base_ms = 10;
    options.backoff_cap_ms = 100;
    options.seed = 1;
    return options;
  }

  ::testing::FakeCluster cluster_;
  KubeClient client_{cluster_};
  ObjectStore store_;
  base::Guarded<std::vector<std::string>> changes_;
  Reflector reflector_{client_, store_, Options(), OnChange()};
};

}  // namespace kube
