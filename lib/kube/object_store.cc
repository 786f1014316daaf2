// Bytes by key, with indexes by owner and by chosen labels. Decoding happens outside of the lock.
#include "lib/kube/object_store.h"

#include <algorithm>

#include "lib/base/check.h"

namespace kube {

namespace {

Json DecodeBytes(const std::string& bytes) { return Json::parse(bytes, nullptr, false); }

std::vector<Json> DecodeAll(const std::vector<std::string>& all) {
  std::vector<Json> decoded;
  for (const std::string& bytes : all) decoded.push_back(DecodeBytes(bytes));
  return decoded;
}

// A newer state, or one that cannot be compared (then the server's word counts).
bool Supersedes(const std::string& version, const std::string& kept) {
  return version != kept && !IsNewerVersion(kept, version);
}

}  // namespace

void DropManagedFields(Json& object) {
  auto metadata = object.find("metadata");
  if (metadata == object.end() || !metadata->is_object()) return;
  metadata->erase("managedFields");
  auto annotations = metadata->find("annotations");
  if (annotations == metadata->end() || !annotations->is_object()) return;
  annotations->erase("kubectl.kubernetes.io/last-applied-configuration");
}

ObjectStore::ObjectStore(Prune prune, std::vector<std::string> labels)
    : prune_(std::move(prune)), labels_(std::move(labels)), by_label_(labels_.size()) {}

std::optional<Json> ObjectStore::Get(const ObjectKey& key) const {
  std::string bytes;
  {
    std::lock_guard lock(mutex_);
    auto at = entries_.find(key);
    if (at == entries_.end()) return std::nullopt;
    bytes = at->second.bytes;
  }
  return DecodeBytes(bytes);
}

std::vector<Json> ObjectStore::List(std::string_view name_space) const {
  std::vector<std::string> all;
  {
    std::lock_guard lock(mutex_);
    for (auto at = entries_.lower_bound({std::string(name_space), ""}); at != entries_.end();
         ++at) {
      if (!name_space.empty() && at->first.name_space != name_space) break;
      all.push_back(at->second.bytes);
    }
  }
  return DecodeAll(all);
}

std::vector<Json> ObjectStore::ListByOwner(const std::string& uid) const {
  std::unique_lock lock(mutex_);
  auto keys = by_owner_.find(uid);
  std::vector<std::string> found = BytesOf(keys == by_owner_.end() ? nullptr : &keys->second, {});
  lock.unlock();
  return DecodeAll(found);
}

std::vector<Json> ObjectStore::ListByLabel(const std::string& label, const std::string& value,
                                           std::string_view name_space) const {
  auto place = std::find(labels_.begin(), labels_.end(), label);
  CHECK(place != labels_.end());
  std::unique_lock lock(mutex_);
  const auto& index = by_label_[static_cast<size_t>(place - labels_.begin())];
  auto keys = index.find(value);
  std::vector<std::string> found =
      BytesOf(keys == index.end() ? nullptr : &keys->second, name_space);
  lock.unlock();
  return DecodeAll(found);
}

std::vector<std::string> ObjectStore::BytesOf(const Keys* keys, std::string_view name_space) const {
  std::vector<std::string> found;
  if (!keys) return found;
  for (const ObjectKey& key : *keys) {
    if (name_space.empty() || key.name_space == name_space) {
      found.push_back(entries_.at(key).bytes);
    }
  }
  return found;
}

size_t ObjectStore::objects() const {
  std::lock_guard lock(mutex_);
  return entries_.size();
}

size_t ObjectStore::bytes() const {
  std::lock_guard lock(mutex_);
  return bytes_;
}

bool ObjectStore::WaitForVersion(const std::string& version, int64_t timeout_ms,
                                 std::stop_token stop) const {
  std::unique_lock lock(mutex_);
  return seen_.wait_for(lock, stop, std::chrono::milliseconds(timeout_ms),
                        [&] { return !version_.empty() && !IsNewerVersion(version, version_); });
}

ObjectStore::Entry ObjectStore::MakeEntry(const Json& object) const {
  Entry entry{base::DumpJson(object), ResourceVersionOf(object), {}, {}};
  entry.bytes.shrink_to_fit();
  const Json* references = base::At(object, {"metadata", "ownerReferences"});
  if (references && references->is_array()) {
    for (const Json& reference : *references) {
      entry.owners.push_back(base::StringAt(reference, {"uid"}));
    }
  }
  for (const std::string& label : labels_) entry.labels.push_back(LabelOf(object, label));
  return entry;
}

void ObjectStore::Insert(const ObjectKey& key, Entry entry) {
  auto old = entries_.find(key);
  if (old != entries_.end()) Remove(old);
  bytes_ += entry.bytes.size();
  for (const std::string& owner : entry.owners) by_owner_[owner].insert(key);
  for (size_t i = 0; i < labels_.size(); ++i) {
    if (!entry.labels[i].empty()) by_label_[i][entry.labels[i]].insert(key);
  }
  entries_.emplace(key, std::move(entry));
}

void ObjectStore::Remove(Entries::iterator at) {
  auto take = [&](std::map<std::string, Keys>& index, const std::string& value) {
    auto keys = index.find(value);
    if (keys == index.end()) return;
    keys->second.erase(at->first);
    if (keys->second.empty()) index.erase(keys);
  };
  for (const std::string& owner : at->second.owners) take(by_owner_, owner);
  for (size_t i = 0; i < labels_.size(); ++i) take(by_label_[i], at->second.labels[i]);
  bytes_ -= at->second.bytes.size();
  entries_.erase(at);
}

void ObjectStore::Saw(const std::string& version) {
  if (!version_.empty() && !IsNewerVersion(version, version_)) return;
  version_ = version;
  seen_.notify_all();
}

void ObjectStore::SawVersion(const std::string& version) {
  std::lock_guard lock(mutex_);
  Saw(version);
}

std::optional<Change> ObjectStore::Upsert(Json object) {
  ObjectKey key = KeyOf(object);
  if (prune_) prune_(object);
  Entry entry = MakeEntry(object);
  std::lock_guard lock(mutex_);
  Saw(entry.version);
  auto old = entries_.find(key);
  bool is_new = old == entries_.end();
  if (!is_new && !Supersedes(entry.version, old->second.version)) return std::nullopt;
  Insert(key, std::move(entry));
  return Change{is_new ? Change::Type::kAdded : Change::Type::kModified, key, std::move(object)};
}

std::optional<Change> ObjectStore::Erase(const Json& object) {
  ObjectKey key = KeyOf(object);
  std::string version = ResourceVersionOf(object), bytes;
  {
    std::lock_guard lock(mutex_);
    Saw(version);
    auto old = entries_.find(key);
    // A late word about an earlier incarnation does not remove the present one.
    if (old == entries_.end() || IsNewerVersion(old->second.version, version)) return std::nullopt;
    bytes = old->second.bytes;
    Remove(old);
  }
  return Change{Change::Type::kDeleted, key, DecodeBytes(bytes)};
}

ObjectStore::Listing ObjectStore::NewListing() const { return Listing(*this); }

void ObjectStore::Listing::Add(Json object) {
  ObjectKey key = KeyOf(object);
  if (store_.prune_) store_.prune_(object);
  entries_.insert_or_assign(key, store_.MakeEntry(object));
}

void ObjectStore::Replace(std::string_view name_space, Listing listing, const std::string& version,
                          const std::function<void(const Change&)>& on_change) {
  std::vector<Outcome> outcomes;
  {
    std::lock_guard lock(mutex_);
    outcomes = Exchange(name_space, std::move(listing.entries_));
    version_ = version;
    seen_.notify_all();
  }
  for (const Outcome& outcome : outcomes) {
    bool is_gone = outcome.type == Change::Type::kDeleted;
    std::optional<Json> object = is_gone ? DecodeBytes(outcome.bytes) : Get(outcome.key);
    if (object) on_change({outcome.type, outcome.key, *std::move(object)});
  }
}

std::vector<ObjectStore::Outcome> ObjectStore::Exchange(std::string_view name_space, Entries next) {
  std::vector<Outcome> outcomes;
  for (auto at = entries_.lower_bound({std::string(name_space), ""}); at != entries_.end();) {
    auto here = at++;
    if (!name_space.empty() && here->first.name_space != name_space) break;
    if (next.contains(here->first)) continue;
    outcomes.push_back({Change::Type::kDeleted, here->first, here->second.bytes});
    Remove(here);
  }
  for (auto& [key, entry] : next) {
    auto old = entries_.find(key);
    bool is_new = old == entries_.end();
    // Another version is another state, an older one too: after a restore the server's word counts.
    if (!is_new && entry.version == old->second.version) continue;
    outcomes.push_back({is_new ? Change::Type::kAdded : Change::Type::kModified, key, ""});
    Insert(key, std::move(entry));
  }
  return outcomes;
}

}  // namespace kube
