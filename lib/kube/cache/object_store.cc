// Packed texts by key, with an index by one label. Packs and decodes outside of the lock.
#include "lib/kube/cache/object_store.h"

#include <tuple>

namespace kube {

namespace {

Json Decode(const Packing::Packed& packed) {
  return Json::parse(Packing::Unpack(packed), nullptr, false);
}

std::vector<Json> DecodeAll(const std::vector<Packing::Packed>& all) {
  std::vector<Json> decoded;
  for (const Packing::Packed& packed : all) decoded.push_back(Decode(packed));
  return decoded;
}

// Whether `version` is newer than `kept`, or not comparable (then the server's event counts).
bool Supersedes(const std::string& version, const std::string& kept) {
  return version != kept && !IsNewerVersion(kept, version);
}

}  // namespace

bool ObjectStore::ByLabel::operator()(const LabelAndKey& left, const LabelAndKey& right) const {
  return std::tie(left.label, left.key) < std::tie(right.label, right.key);
}
bool ObjectStore::ByLabel::operator()(Place left, Place right) const {
  return (*this)(left, {right->second.label, right->first});
}
bool ObjectStore::ByLabel::operator()(Place left, const LabelAndKey& right) const {
  return (*this)({left->second.label, left->first}, right);
}

ObjectStore::ObjectStore(Prune prune, std::string label)
    : prune_(std::move(prune)), label_(std::move(label)) {}

std::optional<Json> ObjectStore::Get(const ObjectKey& key) const {
  Packing::Packed found;
  {
    std::lock_guard lock(mutex_);
    auto at = entries_.find(key);
    if (at == entries_.end()) return std::nullopt;
    found = at->second.object;
  }
  return Decode(found);
}

std::vector<Json> ObjectStore::List(std::string_view name_space) const {
  std::vector<Packing::Packed> all;
  {
    std::lock_guard lock(mutex_);
    for (auto at = entries_.lower_bound({std::string(name_space), ""}); at != entries_.end();
         ++at) {
      if (!name_space.empty() && at->first.name_space != name_space) break;
      all.push_back(at->second.object);
    }
  }
  return DecodeAll(all);
}

std::vector<Json> ObjectStore::ListByLabel(const std::string& value,
                                           const std::string& name_space) const {
  std::vector<Packing::Packed> found;
  {
    std::lock_guard lock(mutex_);
    const ObjectKey first{name_space, ""};
    for (auto at = by_label_.lower_bound(LabelAndKey{value, first}); at != by_label_.end(); ++at) {
      const auto& [key, entry] = **at;
      if (entry.label != value || key.name_space != name_space) break;
      found.push_back(entry.object);
    }
  }
  return DecodeAll(found);
}

std::vector<ObjectKey> ObjectStore::Keys() const {
  const std::lock_guard lock(mutex_);
  std::vector<ObjectKey> keys;
  for (const auto& [key, entry] : entries_) keys.push_back(key);
  return keys;
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
  return {packing_.Pack(base::DumpJson(object)), ResourceVersionOf(object),
          label_.empty() ? "" : LabelOf(object, label_)};
}

void ObjectStore::Insert(const ObjectKey& key, Entry entry) {
  auto old = entries_.find(key);
  if (old != entries_.end()) Remove(old);
  bytes_ += entry.object.bytes.size();
  auto at = entries_.emplace(key, std::move(entry)).first;
  if (!at->second.label.empty()) by_label_.insert(&*at);
}

void ObjectStore::Remove(Entries::iterator at) {
  if (!at->second.label.empty()) by_label_.erase(&*at);
  bytes_ -= at->second.object.bytes.size();
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
  std::string version = ResourceVersionOf(object);
  Packing::Packed last;
  {
    std::lock_guard lock(mutex_);
    Saw(version);
    auto old = entries_.find(key);
    // A late event about an earlier incarnation must not remove the present one.
    if (old == entries_.end() || IsNewerVersion(old->second.version, version)) return std::nullopt;
    last = old->second.object;
    Remove(old);
  }
  return Change{Change::Type::kDeleted, key, Decode(last)};
}

ObjectStore::Listing ObjectStore::NewListing() const { return Listing(*this); }

void ObjectStore::Listing::Add(Json object) {
  ObjectKey key = KeyOf(object);
  if (store_.prune_) store_.prune_(object);
  entries_.insert_or_assign(key, store_.MakeEntry(object));
}

void ObjectStore::Listing::Remove(const Json& object) { entries_.erase(KeyOf(object)); }

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
    std::optional<Json> object = is_gone ? Decode(outcome.object) : Get(outcome.key);
    if (object) on_change({outcome.type, outcome.key, *std::move(object)});
  }
}

std::vector<ObjectStore::Outcome> ObjectStore::Exchange(std::string_view name_space,
                                                        Entries&& next) {
  std::vector<Outcome> outcomes;
  for (auto at = entries_.lower_bound({std::string(name_space), ""}); at != entries_.end();) {
    auto here = at++;
    if (!name_space.empty() && here->first.name_space != name_space) break;
    if (next.contains(here->first)) continue;
    outcomes.push_back({Change::Type::kDeleted, here->first, here->second.object});
    Remove(here);
  }
  for (auto& [key, entry] : next) {
    auto old = entries_.find(key);
    bool is_new = old == entries_.end();
    // An older version is a change, too: the server may have been restored from a backup.
    if (!is_new && entry.version == old->second.version) continue;
    outcomes.push_back({is_new ? Change::Type::kAdded : Change::Type::kModified, key, {}});
    Insert(key, std::move(entry));
  }
  return outcomes;
}

}  // namespace kube
