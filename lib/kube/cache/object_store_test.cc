// ObjectStore: which writes count as changes, Replace, and the label index.
#include "lib/kube/cache/object_store.h"

#include <gtest/gtest.h>

#include <thread>

namespace kube {
namespace {

Json Object(const std::string& name, int version, const std::string& name_space = "n") {
  return {{"metadata",
           {{"name", name},
            {"namespace", name_space},
            {"uid", "u-" + name},
            {"resourceVersion", std::to_string(version)},
            {"managedFields", {{{"manager", "m"}}}}}}};
}

Json Labelled(Json object, const std::string& value) {
  object["metadata"]["labels"]["app"] = value;
  return object;
}

// Replaces and returns the changes: "+added ~modified -deleted ".
std::string Replace(ObjectStore& store, const char* name_space, std::vector<Json> items,
                    const char* version) {
  ObjectStore::Listing listing = store.NewListing();
  for (Json& item : items) listing.Add(std::move(item));
  std::string text;
  store.Replace(name_space, std::move(listing), version, [&](const Change& change) {
    EXPECT_EQ(KeyOf(change.object), change.key);
    text += "+~-"[static_cast<int>(change.type)] + change.key.name + " ";
  });
  return text;
}

std::string Names(const std::vector<Json>& objects) {
  std::string names;
  for (const Json& object : objects) names += KeyOf(object).name + " ";
  return names;
}

TEST(ObjectStore, KeepsPrunedObjects) {
  ObjectStore store;
  auto change = store.Upsert(Object("a", 5));
  ASSERT_TRUE(change);
  EXPECT_EQ(change->type, Change::Type::kAdded);
  EXPECT_FALSE(change->object["metadata"].contains("managedFields"));
  EXPECT_FALSE((*store.Get({"n", "a"}))["metadata"].contains("managedFields"));
  EXPECT_FALSE(store.Get({"n", "b"}));
}

TEST(ObjectStore, RepeatedAndLateEventsChangeNothing) {
  ObjectStore store;
  EXPECT_TRUE(store.Upsert(Object("a", 5)));
  EXPECT_FALSE(store.Upsert(Object("a", 5)));
  EXPECT_FALSE(store.Upsert(Object("a", 4)));
  EXPECT_EQ(store.Upsert(Object("a", 10))->type, Change::Type::kModified);
  EXPECT_FALSE(store.Erase(Object("a", 7))) << "of an earlier incarnation";
  EXPECT_TRUE(store.Erase(Object("a", 11)));
  EXPECT_FALSE(store.Erase(Object("a", 11)));
  EXPECT_EQ(store.objects(), 0u);
  EXPECT_EQ(store.bytes(), 0u);
}

TEST(ObjectStore, ReplaceReportsOnlyWhatChanged) {
  ObjectStore store;
  EXPECT_EQ(Replace(store, "", {Object("a", 1), Object("b", 2), Object("c", 3)}, "3"), "+a +b +c ");
  EXPECT_EQ(Replace(store, "", {Object("a", 1), Object("b", 5), Object("d", 4)}, "5"), "-c ~b +d ");
  EXPECT_EQ(Replace(store, "", {Object("a", 1), Object("b", 5), Object("d", 4)}, "6"), "");
  // A server restored from a backup has older versions.
  EXPECT_EQ(Replace(store, "", {Object("a", 1), Object("b", 2)}, "2"), "-d ~b ");
  EXPECT_EQ(ResourceVersionOf(*store.Get({"n", "b"})), "2");
}

TEST(ObjectStore, ReplaceOfANamespaceKeepsOthers) {
  ObjectStore store;
  for (const char* space : {"m", "n", "na", "o"}) store.Upsert(Object("a", 1, space));
  EXPECT_EQ(Replace(store, "n", {Object("b", 2)}, "2"), "-a +b ");
  EXPECT_EQ(store.objects(), 4u);
  EXPECT_EQ(Names(store.List("n")), "b ");
  EXPECT_EQ(Names(store.List("na")), "a ");
  EXPECT_EQ(Names(store.List()), "a b a a ");
}

TEST(ObjectStore, IndexFollowsChanges) {
  ObjectStore store(DropManagedFields, "app");
  store.Upsert(Labelled(Object("a", 1), "x"));
  store.Upsert(Labelled(Object("b", 2), "x"));
  store.Upsert(Labelled(Object("c", 2), "xx"));
  store.Upsert(Object("d", 2));
  store.Upsert(Labelled(Object("b", 3, "other"), "x"));
  EXPECT_EQ(Names(store.ListByLabel("x", "n")), "a b ");
  EXPECT_EQ(Names(store.ListByLabel("x", "other")), "b ");
  EXPECT_EQ(Names(store.ListByLabel("", "n")), "");
  store.Upsert(Labelled(Object("a", 4), "y"));
  EXPECT_EQ(Names(store.ListByLabel("x", "n")), "b ");
  EXPECT_EQ(Names(store.ListByLabel("y", "n")), "a ");
  EXPECT_EQ(Replace(store, "n", {Labelled(Object("a", 4), "y")}, "5"), "-b -c -d ");
  EXPECT_EQ(Names(store.ListByLabel("x", "n")), "");
  EXPECT_EQ(Names(store.ListByLabel("x", "other")), "b ");
  store.Erase(Object("a", 5));
  EXPECT_EQ(Names(store.ListByLabel("y", "n")), "");
}

TEST(ObjectStore, WaitsForOwnWrite) {
  ObjectStore store;
  Replace(store, "", {}, "10");
  EXPECT_TRUE(store.WaitForVersion("9", 0, {}));
  EXPECT_FALSE(store.WaitForVersion("11", 1, {}));
  std::jthread writer([&] { store.Upsert(Object("a", 11)); });
  EXPECT_TRUE(store.WaitForVersion("11", 10'000, {}));
  std::jthread bookmark([&] { store.SawVersion("12"); });
  EXPECT_TRUE(store.WaitForVersion("12", 10'000, {}));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(store.WaitForVersion("13", 10'000, stop.get_token()));
}

TEST(ObjectStore, SimilarObjectsShareMemory) {
  ObjectStore store;
  for (int i = 0; i < 100; ++i) {
    Json object = Object("a" + std::to_string(i), i + 1);
    for (int field = 0; field < 100; ++field) object["spec"][std::to_string(field * 7919)] = field;
    store.Upsert(object);
    EXPECT_EQ(*store.Get(KeyOf(object)), (DropManagedFields(object), object));
  }
  const size_t one = base::DumpJson(*store.Get({"n", "a7"})).size();
  EXPECT_GT(store.bytes(), 100u);
  EXPECT_LT(store.bytes(), 100 * one / 8);
  for (int i = 0; i < 100; ++i) store.Erase(Object("a" + std::to_string(i), 1'000));
  EXPECT_EQ(store.bytes(), 0u);
}

}  // namespace
}  // namespace kube
