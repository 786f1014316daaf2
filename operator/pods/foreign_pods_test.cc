// Injection into a foreign pod that has a container with the sidecar's name.
#include "operator/pods/foreign_pods.h"

#include <gtest/gtest.h>

#include "operator/names/names.h"
#include "operator/pods/injection.h"

namespace controller {
namespace {

using base::Json;

TEST(ForeignPods, OwnSidecarKeepsOnlyImageAndResources) {
  SidecarShape shape;
  shape.image = "ours:1";
  const Json parts = ForeignParts(shape);
  Json pod = Json::parse(R"({"metadata": {}, "spec": {
      "initContainers": [{"name": "a"}, {"name": "memory", "image": "mine:2", "args": ["x"],
        "securityContext": {"privileged": true}, "resources": {"limits": {"cpu": "1"}}}],
      "containers": [{"name": "c", "env": [{"name": "AGENT_MEMORY_URL", "value": "u"}]}]}})");
  InjectIntoForeignPod(pod, parts, "First");
  const Json once = pod, &sidecar = pod["spec"]["initContainers"][1];
  EXPECT_EQ(sidecar["image"], "mine:2");
  EXPECT_EQ(sidecar["resources"]["requests"], Json::parse(R"({"cpu": "1", "memory": "32Mi"})"));
  EXPECT_EQ(sidecar["securityContext"], SidecarContainer(shape)["securityContext"]);
  EXPECT_EQ(sidecar["args"], SidecarContainer(shape)["args"]);
  EXPECT_EQ(kube::AnnotationOf(pod, kClamped), "securityContext");
  EXPECT_EQ(pod["spec"]["containers"][0]["env"].size(), 1u) << "the pod's own value stands";
  InjectIntoForeignPod(pod, parts, "First");
  EXPECT_EQ(pod, once) << "twice is once";
}

}  // namespace
}  // namespace controller
