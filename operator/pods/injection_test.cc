// Placement and idempotence of the injection.
#include "operator/pods/injection.h"

#include <gtest/gtest.h>

namespace controller {
namespace {

using base::Json;

TEST(PodInjection, PlacementIsRespected) {
  const std::pair<const char*, std::vector<std::string>> cases[] = {
      {"First", {"memory", "a", "b"}},
      {"Last", {"a", "b", "memory"}},
      {"Before:b", {"a", "memory", "b"}},
      {"After:a", {"a", "memory", "b"}},
      {"After:nobody", {"memory", "a", "b"}}};
  for (const auto& [placement, expected] : cases) {
    Json spec = Json::parse(R"({"initContainers": [{"name": "a"}, {"name": "b"}]})");
    SidecarShape shape;
    shape.placement = placement;
    InjectSidecar(spec, shape);
    std::vector<std::string> names;
    for (const Json& container : spec["initContainers"]) names.push_back(container["name"]);
    EXPECT_EQ(names, expected) << placement;
  }
}

TEST(PodInjection, IsIdempotent) {
  Json spec = Json::object();
  SidecarShape shape;
  shape.image = "s:1";
  InjectSidecar(spec, shape);
  Json once = spec;
  InjectSidecar(spec, shape);
  EXPECT_EQ(spec, once);
  EXPECT_EQ(spec["volumes"].size(), 3U) << "policy, token, and an emptyDir for state";
}

}  // namespace
}  // namespace controller
