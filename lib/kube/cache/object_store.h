// The cache of a kind's objects: a reflector writes it, reconcilers read it. Holds pruned and
// packed text, decoded on read: a JSON tree costs fifty times as much memory (ADR 22).
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

// Removes unused fields before an object is stored.
using Prune = std::function<void(Json& object)>;

// A change of one object.
struct Change {
  enum class Type { kAdded, kModified, kDeleted };
  Type type;
  ObjectKey key;
  Json object;  // pruned, the present state; of kDeleted: the last seen one
};

// Any thread. Replace is atomic for readers.
class ObjectStore {
 public:
  // `label`: the name of the label that ListByLabel indexes; empty: no index.
  explicit ObjectStore(Prune prune = DropManagedFields, std::string label = {});

  std::optional<Json> Get(const ObjectKey& key) const;
  std::vector<Json> List(std::string_view name_space = {}) const;  // empty: all
  // The objects in `name_space` whose indexed label has this value.
  std::vector<Json> ListByLabel(const std::string& value, const std::string& name_space) const;
  std::vector<ObjectKey> Keys() const;
  size_t objects() const;
  size_t bytes() const;  // of the packed texts

  // Waits until the store has seen `version` of its kind or a newer one (read-your-writes); false:
  // timeout or `stop`.
  bool WaitForVersion(const std::string& version, int64_t timeout_ms, std::stop_token stop) const;

  // For the reflector. nullopt: no change. An older version changes nothing, nor does an Upsert of
  // the same one.
  std::optional<Change> Upsert(Json object);
  std::optional<Change> Erase(const Json& object);

  // A list while it is read, already packed.
  class Listing;
  Listing NewListing() const;
  // Atomically replaces the objects of `name_space` (empty: all) with `listing`, read at `version`;
  // then calls `on_change` for each changed object, decoding one at a time.
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
  struct Outcome {  // of Exchange, for one object
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
  mutable Packing packing_;  // has its own lock
  mutable std::mutex mutex_;
  mutable std::condition_variable_any seen_;
  Entries entries_;
  std::set<Place, ByLabel> by_label_;  // ordered by label and key
  size_t bytes_ = 0;
  std::string version_;  // the newest seen
};

class ObjectStore::Listing {
 public:
  void Add(Json object);  // replaces an earlier state
  void Remove(const Json& object);

 private:
  friend class ObjectStore;
  explicit Listing(const ObjectStore& store) : store_(store) {}
  const ObjectStore& store_;
  Entries entries_;
};

}  // namespace kube
