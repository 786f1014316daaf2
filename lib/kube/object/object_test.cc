// Objects, conditions and quantities.
#include "lib/kube/object/object.h"

#include <gtest/gtest.h>

#include "lib/kube/object/conditions.h"
#include "lib/kube/object/quantity.h"

namespace kube {
namespace {

TEST(Object, PathsNameGroupNamespaceAndSubresource) {
  EXPECT_EQ(CollectionPath(Services(), "a"), "/api/v1/namespaces/a/services");
  EXPECT_EQ(CollectionPath(StatefulSets(), ""), "/apis/apps/v1/statefulsets");
  EXPECT_EQ(ObjectPath(StatefulSets(), {"a", "b"}, "status"),
            "/apis/apps/v1/namespaces/a/statefulsets/b/status");
  EXPECT_EQ(ObjectPath(Namespaces(), {"ignored", "b"}), "/api/v1/namespaces/b");
}

TEST(Object, NamesCannotLeaveTheirSegment) {
  EXPECT_EQ(ObjectPath(Services(), {"a", "../x?y"}), "/api/v1/namespaces/a/services/..%2Fx%3Fy");
}

TEST(Object, MalformedMetadataIsRead) {
  Json odd = Json::parse(R"({"metadata": {"name": 5, "labels": [1], "generation": "x"}})");
  EXPECT_EQ(KeyOf(odd), ObjectKey());
  EXPECT_EQ(LabelOf(odd, "a"), "");
  EXPECT_EQ(GenerationOf(odd), 0);
  EXPECT_EQ(UidOf(Json()), "");
}

TEST(Object, ControllerIsTheReferenceWithTheFlag) {
  Json owner = {
      {"apiVersion", "x/v1"}, {"kind", "Agent"}, {"metadata", {{"name", "a"}, {"uid", "u1"}}}};
  Json child;
  child["metadata"]["ownerReferences"] = {{{"kind", "Other"}, {"name", "o"}, {"uid", "u0"}},
                                          ControllerReference(owner)};
  EXPECT_EQ(ControllerOf(child).uid, "u1");
  EXPECT_EQ(ControllerOf(child).kind, "Agent");
  EXPECT_EQ(ControllerOf(owner).uid, "");
}

TEST(Object, VersionsCompareAsNumbersOfAnyLength) {
  EXPECT_TRUE(IsNewerVersion("100", "99"));
  EXPECT_TRUE(IsNewerVersion("18446744073709551617", "18446744073709551616"));
  EXPECT_FALSE(IsNewerVersion("99", "100"));
  EXPECT_FALSE(IsNewerVersion("7", "7"));
  EXPECT_FALSE(IsNewerVersion("x", "7"));
  EXPECT_FALSE(IsNewerVersion("7", ""));
}

TEST(Conditions, TimeChangesOnlyWithTheStatus) {
  Json conditions;
  SetCondition(&conditions, {"Ready", Truth::kFalse, "Waiting", "for a pod"}, 1, 1'000'500);
  EXPECT_EQ(conditions[0]["lastTransitionTime"], "1970-01-01T00:16:40Z");
  SetCondition(&conditions, {"Ready", Truth::kFalse, "Failing", "no image"}, 2, 9'000'000);
  EXPECT_EQ(conditions[0]["lastTransitionTime"], "1970-01-01T00:16:40Z");
  EXPECT_EQ(conditions[0]["reason"], "Failing");
  EXPECT_EQ(conditions[0]["observedGeneration"], 2);
  SetCondition(&conditions, {"Ready", Truth::kTrue, "Running", ""}, 2, 9'000'000);
  EXPECT_EQ(conditions[0]["lastTransitionTime"], "1970-01-01T02:30:00Z");
  ASSERT_EQ(conditions.size(), 1u);
}

TEST(Conditions, OtherConditionsStay) {
  Json conditions = Json::parse(R"([{"type": "Foreign", "status": "True", "x": 1}])");
  SetCondition(&conditions, {"Ready", Truth::kUnknown, "", "m"}, 3, 0);
  EXPECT_EQ(conditions[0], Json::parse(R"({"type": "Foreign", "status": "True", "x": 1})"));
  auto ready = FindCondition(conditions, "Ready");
  ASSERT_TRUE(ready);
  EXPECT_EQ(ready->status, Truth::kUnknown);
  EXPECT_EQ(ready->reason, "Unknown");
  EXPECT_FALSE(FindCondition(conditions, "Absent"));
}

TEST(Quantity, EqualInManySpellings) {
  EXPECT_TRUE(SameQuantity("1024Mi", "1Gi"));
  EXPECT_TRUE(SameQuantity("0.1", "100m"));
  EXPECT_TRUE(SameQuantity("1e3", "1k"));
  EXPECT_TRUE(SameQuantity("1E3", "1000"));
  EXPECT_TRUE(SameQuantity(".5", "500m"));
  EXPECT_TRUE(SameQuantity("-1", "-1000m"));
  EXPECT_FALSE(SameQuantity("1G", "1Gi"));
  EXPECT_FALSE(SameQuantity("x", "x"));
}

TEST(Quantity, MalformedQuantityIsRefused) {
  for (const char* text : {"", "Gi", "1.2.3", "1gi", "1 Gi", "--1", "1e", "1eX", "0x1", ".", "e3",
                           "99999999999999999999", "9e19", "1e999",
                           "99999999999999999999999999999999"
                           "9999999999999999999999999"}) {
    EXPECT_FALSE(ParseQuantity(text)) << text;
  }
  EXPECT_EQ(static_cast<int64_t>(*ParseQuantity("0.0000000001")), 1);  // rounded up
}

}  // namespace
}  // namespace kube
