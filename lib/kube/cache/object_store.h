// Copies of a kind's objects, filled by a reflector and read by reconcilers. Kept as pruned and
// packed text, and decoded on read: a JSON tree costs fifty times as much memory (ADR 22).
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "lib/kube/cache/packing.h"
#include "lib/kube/object/object.h"

namespace kube {

// Takes away what nobody reads, before an object is kept.
using Prune = std::function<void(Json& object)>;

// What happened to one object.
struct Change {
  enum class Type { kAdded, kModified, kDeleted };
  Type type;
  ObjectKey key;
  Json object;  // pruned, as it is now; of kDeleted: as last seen
};

// Any thread. Readers never see a half-done Replace.
class ObjectStore {
 public:
  // `label`: the name that ListByLabel asks for; empty: it may not be asked.
  explicit ObjectStore(Prune prune = DropManagedFields, std::string label = {});

  std::optional<Json> Get(const ObjectKey& key) const;
  std::vector<Json> List(std::string_view name_space = {}) const;  // empty: all
  // Those of `name_space` whose label, the constructor's, has this value.
  std::vector<Json> ListByLabel(const std::string& value, const std::string& name_space) const;
  std::vector<ObjectKey> Keys() const;
  size_t objects() const;
  size_t bytes() const;  // of the packed texts

  // Waits until the store has seen `version` of its kind or a newer one (read your own writes);
  // false after `timeout_ms` or `stop`.
  bool WaitForVersion(const std::string& version, int64_t timeout_ms, std::stop_token stop) const;

  // For the reflector. Each returns what really changed; an object of the same or an older version
  // changes nothing.
  std::optional<Change> Upsert(Json object);
  std::optional<Change> Erase(const Json& object);

  // A whole list while it is read, already as small as it is kept.
  class Listing;
  Listing NewListing() const;
  // Exchanges all of `name_space` (empty: everything) for `listing`, taken at `version`, in one
  // step; then calls `on_change` for each object that really changed, one decoded at a time.
  void Replace(std::string_view name_space, Listing listing, const std::string& version,
               const std::function<void(const Change&)>& on_change);
  void SawVersion(const std::string& version);  // from a bookmark

 private:
  struct Entry {
    Packing::Packed object;
    std::string version;
    std::string label;  // the value of label_
  };
  using Entries = std::map<ObjectKey, Entry>;
  using Place = const Entries::value_type*;
  struct LabelAndKey {
    const std::string& label;
    const ObjectKey& key;
  };
  struct ByLabel {
    using is_transparent = void;
    bool operator()(const LabelAndKey& left, const LabelAndKey& right) const;
    bool operator()(Place left, Place right) const;
    bool operator()(Place left, const LabelAndKey& right) const;
  };
  struct Outcome {  // of a replacement, for one object
    Change::Type type;
    ObjectKey key;
    Packing::Packed object;  // of a deleted one
  };
  Entry MakeEntry(const Json& object) const;
  void Insert(const ObjectKey& key, Entry entry);
  void Remove(Entries::iterator at);
  std::vector<Outcome> Exchange(std::string_view name_space, Entries&& next);
  void Saw(const std::string& version);

  const Prune prune_;
  const std::string label_;
  mutable Packing packing_;  // locks by itself
  mutable std::mutex mutex_;
  mutable std::condition_variable_any seen_;
  Entries entries_;
  std::set<Place, ByLabel> by_label_;  // of label and key
  size_t bytes_ = 0;
  std::string version_;  // the newest seen
};

class ObjectStore::Listing {
 public:
  void Add(Json object);  // or a later state of one
  void Remove(const Json& object);

 private:
  friend class ObjectStore;
  explicit Listing(const ObjectStore& store) : store_(store) {}
  const ObjectStore& store_;
  Entries entries_;
};

}  // namespace kube
