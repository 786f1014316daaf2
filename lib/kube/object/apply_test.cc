// When an apply is needed and when it is not.
#include "lib/kube/object/apply.h"

#include <gtest/gtest.h>

namespace kube {
namespace {

const char* const kNote = "example.com/intent";

Json Parse(const char* text) { return Json::parse(text); }

TEST(Contains, DefaultsAndForeignFieldsAreAllowed) {
  EXPECT_TRUE(
      Contains(Parse(R"({"a": 1, "b": {"c": [1, 2], "d": 4}})"), Parse(R"({"b": {"c": [1, 2]}})")));
  EXPECT_FALSE(Contains(Parse(R"({"b": {}})"), Parse(R"({"b": {"c": 1}})")));
  EXPECT_FALSE(Contains(Parse(R"({"b": {"c": 2}})"), Parse(R"({"b": {"c": 1}})")));
}

TEST(Contains, NamedListsAreComparedByName) {
  Json observed = Parse(R"([{"name": "injected", "image": "x"},
                            {"name": "main", "image": "i", "pullPolicy": "Always"}])");
  EXPECT_TRUE(Contains(observed, Parse(R"([{"name": "main", "image": "i"}])")));
  EXPECT_FALSE(Contains(observed, Parse(R"([{"name": "main", "image": "j"}])")));
  EXPECT_FALSE(Contains(observed, Parse(R"([{"name": "other"}])")));
}

TEST(Contains, OtherListsMustBeEqual) {
  EXPECT_FALSE(Contains(Parse(R"(["a", "b"])"), Parse(R"(["a"])")));
  EXPECT_FALSE(Contains(Parse(R"(["a", "b"])"), Parse(R"(["b", "a"])")));
  EXPECT_TRUE(Contains(Parse(R"([{"x": 1, "default": 2}])"), Parse(R"([{"x": 1}])")));
  EXPECT_FALSE(Contains(Parse(R"([{"x": 1}, {"x": 2}])"), Parse(R"([{"x": 1}])")));
}

TEST(Contains, DroppedFieldsCountAsAbsent) {
  EXPECT_TRUE(Contains(Parse("{}"), Parse(R"({"labels": {}, "env": [], "value": "", "x": null})")));
  EXPECT_FALSE(Contains(Parse("{}"), Parse(R"({"automount": false})")));
  EXPECT_FALSE(Contains(Parse("{}"), Parse(R"({"replicas": 0})")));
}

TEST(Contains, QuantitiesCompareByValueWhereTheyAreQuantities) {
  Json desired = Parse(R"({"resources": {"limits": {"memory": "1024Mi", "cpu": "1000m"}}})");
  EXPECT_TRUE(
      Contains(Parse(R"({"resources": {"limits": {"memory": "1Gi", "cpu": "1"}}})"), desired));
  EXPECT_FALSE(
      Contains(Parse(R"({"resources": {"limits": {"memory": "1G", "cpu": "1"}}})"), desired));
  EXPECT_FALSE(Contains(Parse(R"({"env": {"N": "1"}})"), Parse(R"({"env": {"N": "1000m"}})")));
}

TEST(Contains, FirstDifferenceIsNamed) {
  Json observed =
      Parse(R"({"spec": {"containers": [{"name": "a", "image": "1", "args": ["x"]}]}})");
  EXPECT_EQ(FirstDifference(observed,
                            Parse(R"({"spec": {"containers": [{"name": "a", "args": ["y"]}]}})")),
            ".spec.containers[name=\"a\"].args[0]");
  EXPECT_EQ(FirstDifference(observed, Parse(R"({"spec": {"replicas": 1}})")), ".spec.replicas");
  EXPECT_EQ(FirstDifference(observed, observed), "");
}

TEST(Intent, HashDoesNotDependOnItselfOrOnOrder) {
  Json one = Parse(R"({"metadata": {"name": "a"}, "data": {"x": "1", "y": "2"}})");
  Json two = Parse(R"({"data": {"y": "2", "x": "1"}, "metadata": {"name": "a"}})");
  Json noted = WithIntent(one, kNote);
  EXPECT_EQ(AnnotationOf(noted, kNote), AnnotationOf(WithIntent(two, kNote), kNote));
  EXPECT_EQ(WithIntent(noted, kNote), noted);
  two["data"]["x"] = "3";
  EXPECT_NE(AnnotationOf(noted, kNote), AnnotationOf(WithIntent(two, kNote), kNote));
}

TEST(Intent, UpToDateNeedsTheHashAndTheFields) {
  Json desired = WithIntent(Parse(R"({"metadata": {"name": "a"}, "data": {"x": "1"}})"), kNote);
  Json observed = desired;
  observed["metadata"]["labels"]["foreign"] = "kept";
  observed["data"]["more"] = "1";
  EXPECT_TRUE(IsUpToDate(observed, desired, kNote));
  observed["data"]["x"] = "edited by hand";
  EXPECT_FALSE(IsUpToDate(observed, desired, kNote));
  // Only the hash shows that `observed` has a field that is no longer desired.
  observed =
      WithIntent(Parse(R"({"metadata": {"name": "a"}, "data": {"x": "1", "old": "1"}})"), kNote);
  EXPECT_TRUE(Contains(observed["data"], desired["data"]));
  EXPECT_FALSE(IsUpToDate(observed, desired, kNote));
}

TEST(Conflicts, EditIsDistinguishedFromAnotherApplier) {
  const std::string one = "PATCH x: HTTP 409: Apply failed with 1 conflict: conflict with ";
  EXPECT_TRUE(IsConflictOfAppliers(one + "\"flux\": .data.x"));
  EXPECT_TRUE(IsConflictOfAppliers(one + "\"a\\\" using v1\": .data.x")) << "a name that lies";
  EXPECT_FALSE(IsConflictOfAppliers(one + "\"kubectl-edit\" using v1 at 2026-01-02T03:04:05Z: .x"));
  EXPECT_FALSE(IsConflictOfAppliers(one + "\"hpa\" with subresource \"scale\" using apps/v1: .x"));
  EXPECT_TRUE(IsConflictOfAppliers(one + "\"x\" with subresource \"status\": .x"));
  const std::string two =
      "Apply failed with 3 conflicts: conflicts with \"kubectl-edit\" using v1:"
      "\n- .data.x\n- .data.y\nconflict with \"flux\": .data.z";
  EXPECT_TRUE(IsConflictOfAppliers(two));
  EXPECT_FALSE(IsConflictOfAppliers("the object has changed: conflict with \"flux\""));
}

}  // namespace
}  // namespace kube
