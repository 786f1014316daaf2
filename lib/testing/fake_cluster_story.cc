// The story: writes with preconditions, lists, watches and deletion, in the way of operators.
#include "lib/testing/fake_cluster_story.h"

#include "lib/kube/cache/watch.h"
#include "lib/kube/object/apply.h"
#include "lib/testing/streams.h"

namespace testing {

namespace {

using base::Json;
using kube::ConfigMaps;
using kube::StatefulSets;

class Teller {
 public:
  Teller(kube::KubeClient& ours, kube::KubeClient& theirs, const std::string& name_space)
      : ours_(ours), theirs_(theirs), space_(name_space) {}

  std::vector<std::string> Tell() {
    Applying();
    Managers();
    Fences();
    Generations();
    Patches();
    Listing();
    Watching();
    Deleting();
    EventSeries();
    return std::move(lines_);
  }

 private:
  void Say(const std::string& what, const std::string& outcome) {
    lines_.push_back(what + ": " + outcome);
  }
  template <class T>
  void Say(const std::string& what, const base::Result<T>& result) {
    Say(what, result ? "ok" : base::CodeName(result.error().code));
  }

  Json Map(const std::string& name, Json values) const {
    return {{"apiVersion", "v1"},
            {"kind", "ConfigMap"},
            {"metadata", {{"name", name}, {"namespace", space_}, {"labels", {{"story", "1"}}}}},
            {"data", std::move(values)}};
  }
  std::string ValuesOf(const std::string& name) const {
    auto object = ours_.Get(ConfigMaps(), {space_, name});
    return object ? object->value("data", Json()).dump() : base::CodeName(object.error().code);
  }
  std::string Compare(const std::string& before, const base::Result<Json>& after) const {
    if (!after) return base::CodeName(after.error().code);
    std::string version = kube::ResourceVersionOf(*after);
    return version == before                       ? "same version"
           : kube::IsNewerVersion(version, before) ? "newer version"
                                                   : "older";
  }

  void Applying() {
    Say("get what is not there", ours_.Get(ConfigMaps(), {space_, "a"}));
    auto created = ours_.Apply(ConfigMaps(), Map("a", {{"x", "1"}, {"y", "1"}}));
    Say("apply makes it", created);
    if (!created) return;
    version_ = kube::ResourceVersionOf(*created);
    Say("it has a uid", kube::UidOf(*created).empty() ? "no" : "yes");
    auto again = ours_.Apply(ConfigMaps(), Map("a", {{"x", "1"}, {"y", "1"}}));
    Say("the same apply", Compare(version_, again));
    kube::ApplyOptions dry;
    dry.dry_run = true;
    Say("a dry run", ours_.Apply(ConfigMaps(), Map("a", {{"x", "9"}}), dry));
    Say("stores nothing", ValuesOf("a"));
    auto changed = ours_.Apply(ConfigMaps(), Map("a", {{"x", "2"}, {"y", "1"}}));
    Say("another value", Compare(version_, changed));
    Say("create what exists", ours_.Create(ConfigMaps(), Map("a", {})));
    Say("apply without a name", ours_.Apply(ConfigMaps(), Map("", {})));
  }

  void SayWhoIsInTheWay(const base::Result<Json>& refused) {
    const std::string words = refused ? "" : refused.error().message;
    Say("in the way", !kube::IsFieldConflict(words)       ? "nobody"
                      : kube::IsConflictOfAppliers(words) ? "an applier"
                                                          : "an edit");
  }

  void Managers() {
    auto refused = theirs_.Apply(ConfigMaps(), Map("a", {{"x", "3"}}));
    Say("their value for our field", refused);
    bool named = !refused && refused.error().message.find("\"ours\"") != std::string::npos &&
                 refused.error().message.find(".data.x") != std::string::npos;
    Say("names manager and field", named ? "yes" : "no");
    Say("the same value is shared", theirs_.Apply(ConfigMaps(), Map("a", {{"x", "2"}})));
    kube::ApplyOptions force;
    force.force = true;
    Say("by force", theirs_.Apply(ConfigMaps(), Map("a", {{"x", "3"}}), force));
    Say("now ours is refused", ours_.Apply(ConfigMaps(), Map("a", {{"x", "2"}, {"y", "1"}})));
    SayWhoIsInTheWay(ours_.Apply(ConfigMaps(), Map("a", {{"x", "2"}, {"y", "1"}})));
    Say("an edit", theirs_.MergePatch(ConfigMaps(), {space_, "a"}, {{"data", {{"y", "7"}}}}));
    SayWhoIsInTheWay(ours_.Apply(ConfigMaps(), Map("a", {{"x", "3"}, {"y", "1"}})));
    Say("over the edit", ours_.Apply(ConfigMaps(), Map("a", {{"x", "3"}, {"y", "1"}}), force));
    Say("without that field", ours_.Apply(ConfigMaps(), Map("a", {{"y", "1"}})));
    Say("theirs stays", ValuesOf("a"));
    Say("less of ours", ours_.Apply(ConfigMaps(), Map("a", {{"z", "1"}})));
    Say("takes away what was ours alone", ValuesOf("a"));
  }

  void Fences() {
    auto now = ours_.Get(ConfigMaps(), {space_, "a"});
    if (!now) return Say("get", now);
    Json fenced = Map("a", {{"z", "2"}});
    fenced["metadata"]["uid"] = kube::UidOf(*now);
    Say("apply with its uid", ours_.Apply(ConfigMaps(), fenced));
    fenced["metadata"]["uid"] = "00000000-0000-0000-0000-000000000000";
    fenced["data"]["z"] = "3";
    Say("with another uid", ours_.Apply(ConfigMaps(), fenced));
    fenced["metadata"]["name"] = "gone";
    Say("with a uid when it is gone", ours_.Apply(ConfigMaps(), fenced));
    Json stale = Map("a", {{"z", "4"}});
    stale["metadata"]["resourceVersion"] = kube::ResourceVersionOf(*now);
    Say("with an old version", ours_.Apply(ConfigMaps(), stale));
    Say("nothing of that is stored", ValuesOf("a"));
  }

  Json Set(int replicas) const {
    Json container = {{"name", "main"}, {"image", "example/a:1"}};
    Json labels = {{"app", "s"}};
    return {{"apiVersion", "apps/v1"},
            {"kind", "StatefulSet"},
            {"metadata", {{"name", "s"}, {"namespace", space_}}},
            {"spec",
             {{"serviceName", "s"},
              {"replicas", replicas},
              {"selector", {{"matchLabels", labels}}},
              {"template",
               {{"metadata", {{"labels", labels}}}, {"spec", {{"containers", {container}}}}}}}}};
  }
  void SayGeneration(const std::string& what, const base::Result<Json>& object) {
    Say(what, object ? "generation " + std::to_string(kube::GenerationOf(*object))
                     : base::CodeName(object.error().code));
  }

  void Generations() {
    SayGeneration("a StatefulSet", ours_.Apply(StatefulSets(), Set(1)));
    Json labelled = Set(1);
    labelled["metadata"]["labels"]["more"] = "1";
    SayGeneration("a label", ours_.Apply(StatefulSets(), labelled));
    SayGeneration("its spec", ours_.Apply(StatefulSets(), Set(2)));
    Json status = {{"apiVersion", "apps/v1"},
                   {"kind", "StatefulSet"},
                   {"metadata", {{"name", "s"}, {"namespace", space_}}},
                   {"status", {{"replicas", 1}, {"observedGeneration", 2}}}};
    kube::ApplyOptions to_status;
    to_status.status = true;
    auto reported = ours_.Apply(StatefulSets(), status, to_status);
    SayGeneration("its status", reported);
    if (!reported) return;
    Say("is stored", base::At(*reported, {"status", "observedGeneration"})->dump());
    auto same = ours_.Apply(StatefulSets(), status, to_status);
    Say("the same status", Compare(kube::ResourceVersionOf(*reported), same));
    auto next = ours_.Apply(StatefulSets(), Set(3));
    Say("a new spec keeps the status",
        next ? base::At(*next, {"status", "observedGeneration"})->dump() : "failed");
    status["metadata"]["name"] = "none";
    Say("status of what is not there", ours_.Apply(StatefulSets(), status, to_status));
  }

  void Patches() {
    kube::ObjectKey key{space_, "a"};
    Say("merge patch", theirs_.MergePatch(ConfigMaps(), key, {{"data", {{"m", "1"}}}}));
    Json stale = {{"metadata", {{"resourceVersion", version_}}}, {"data", {{"m", "2"}}}};
    Say("of an old version", theirs_.MergePatch(ConfigMaps(), key, stale));
    Json add = {{{"op", "add"}, {"path", "/data/j"}, {"value", "1"}}};
    Say("json patch", theirs_.JsonPatch(ConfigMaps(), key, add));
    Json test = {{{"op", "test"}, {"path", "/data/j"}, {"value", "2"}}};
    Say("whose test fails", theirs_.JsonPatch(ConfigMaps(), key, test));
    Say("values", ValuesOf("a"));
    Say("patch what is not there", theirs_.MergePatch(ConfigMaps(), {space_, "none"}, add[0]));
    Say("our value for a patched field",
        ours_.Apply(ConfigMaps(), Map("a", {{"m", "9"}, {"z", "2"}})));
  }

  void Listing() {
    for (const char* name : {"b", "c", "d", "e"}) {
      Say(std::string("apply ") + name, ours_.Apply(ConfigMaps(), Map(name, {{"v", "1"}})));
    }
    kube::Selection ours{space_, "story=1", "", false};
    std::string names, next;
    do {
      auto page = ours_.List(ConfigMaps(), ours, 2, next);
      if (!page) return Say("list", page);
      names += "|";
      for (const Json& item : page->items) {
        names += kube::KeyOf(item).name + item["kind"].get<std::string>().substr(0, 1);
      }
      next = page->next;
    } while (!next.empty());
    Say("pages of two", names);
    ours.label_selector = "story=2";
    auto none = ours_.ListAll(ConfigMaps(), ours);
    Say("of another label", none ? std::to_string(none->size()) : "failed");
    kube::Selection one{space_, "", "metadata.name=c", true};
    auto metadata = ours_.ListAll(ConfigMaps(), one);
    Say("one by name, metadata only",
        metadata && metadata->size() == 1 && !(*metadata)[0].contains("data") ? "yes" : "no");
    auto page = ours_.List(ConfigMaps(), {space_, "", "", false}, 500);
    if (page) version_ = page->resource_version;
  }

  void Watching() {
    kube::ObjectKey b{space_, "b"}, f{space_, "f"};
    auto label = [](const char* value) {
      return Json{{"metadata", {{"labels", {{"story", value}}}}}};
    };
    Say("they make f", theirs_.Apply(ConfigMaps(), Map("f", {{"v", "1"}})));
    Say("change it", theirs_.MergePatch(ConfigMaps(), f, {{"data", {{"v", "2"}}}}));
    Say("move b out of sight", theirs_.MergePatch(ConfigMaps(), b, label("2")));
    Say("and back", theirs_.MergePatch(ConfigMaps(), b, label("1")));
    Say("delete f", theirs_.Delete(ConfigMaps(), f));
    kube::WatchOptions options{{space_, "story=1", "", false}, version_, 60};
    std::string seen, newest = version_;
    std::stop_source enough;
    auto end =
        WatchToEnd(ours_, ConfigMaps(), options, enough.get_token(), [&](kube::WatchEvent&& event) {
          if (event.type == kube::WatchEvent::Type::kBookmark) return;
          seen += "AMD"[static_cast<int>(event.type)] + kube::KeyOf(event.object).name + " ";
          std::string version = kube::ResourceVersionOf(event.object);
          if (!kube::IsNewerVersion(version, newest)) seen += "(not newer) ";
          newest = version;
          if (seen.ends_with("Df ")) enough.request_stop();
        });
    Say("what the watch saw", seen);
    Say("it ended", kube::ReasonName(end.reason));
    Say("a list from the future",
        ours_.List(ConfigMaps(), options.selection, 1, {}, "99999999999"));
  }

  void Deleting() {
    kube::ObjectKey key{space_, "c"};
    kube::DeleteOptions other, same;
    other.uid = "00000000-0000-0000-0000-000000000000";
    Say("delete another incarnation", ours_.Delete(ConfigMaps(), key, other));
    if (auto now = ours_.Get(ConfigMaps(), key)) same.uid = kube::UidOf(*now);
    Say("delete this one", ours_.Delete(ConfigMaps(), key, same));
    Say("once more", ours_.Delete(ConfigMaps(), key, same));
    Json held = Map("h", {});
    held["metadata"]["finalizers"] = {"example.com/hold"};
    Say("one with a finalizer", ours_.Apply(ConfigMaps(), held));
    Say("is deleted", ours_.Delete(ConfigMaps(), {space_, "h"}));
    auto now = ours_.Get(ConfigMaps(), {space_, "h"});
    Say("and stays", now && kube::IsBeingDeleted(*now) ? "yes" : "no");
    Say("let go",
        ours_.MergePatch(ConfigMaps(), {space_, "h"}, {{"metadata", {{"finalizers", nullptr}}}}));
    Say("is gone", ValuesOf("h"));
  }

  void EventSeries() {
    Json event = {{"apiVersion", "events.k8s.io/v1"},
                  {"kind", "Event"},
                  {"metadata", {{"name", "a.1"}, {"namespace", space_}}},
                  {"eventTime", "2026-01-02T03:04:05.000000Z"},
                  {"reportingController", "example.com/story"},
                  {"reportingInstance", "one"},
                  {"action", "Tell"},
                  {"reason", "Told"},
                  {"regarding", {{"kind", "ConfigMap"}, {"name", "a"}, {"namespace", space_}}},
                  {"note", "n"},
                  {"type", "Normal"}};
    Say("an Event", ours_.Create(kube::Events(), event));
    Json series = {{"count", 2}, {"lastObservedTime", "2026-01-02T03:04:06.000000Z"}};
    auto patched = ours_.MergePatch(kube::Events(), {space_, "a.1"}, {{"series", series}});
    Say("its count", patched ? base::At(*patched, {"series", "count"})->dump() : "failed");
  }

  kube::KubeClient& ours_;
  kube::KubeClient& theirs_;
  const std::string space_;
  std::string version_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> TellStory(kube::KubeClient& ours, kube::KubeClient& theirs,
                                   const std::string& name_space) {
  return Teller(ours, theirs, name_space).Tell();
}

}  // namespace testing
