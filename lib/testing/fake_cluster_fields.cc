// Field ownership by leaves. Merges lists by name if their elements have one; a real server uses
// its schema, with the same result for the objects that operators apply.
#include "lib/testing/fake_cluster_fields.h"

#include <algorithm>
#include <array>

namespace testing {

namespace {

constexpr std::array kNames{"name", "containerPort", "mountPath", "type", "key", "uid"};

// [name="main"] for an element with one of kNames, else empty.
std::string SegmentOf(const Json& element) {
  for (const char* field : kNames) {
    if (element.is_object() && element.contains(field) && !element[field].is_structured()) {
      return std::string("[") + field + "=" + base::DumpJson(element[field]) + "]";
    }
  }
  return {};
}

bool IsNamedList(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(),
                     [](const Json& element) { return !SegmentOf(element).empty(); });
}

bool IsIdentity(const FieldPath& path) {
  static const std::set<std::string> kFields{"name",
                                             "namespace",
                                             "uid",
                                             "generation",
                                             "creationTimestamp",
                                             "resourceVersion",
                                             "deletionTimestamp",
                                             "managedFields"};
  if (path.size() == 1) return path[0] == "apiVersion" || path[0] == "kind";
  return path.size() == 2 && path[0] == "metadata" && kFields.contains(path[1]);
}

void Walk(const Json& value, FieldPath* path, std::set<FieldPath>* leaves) {
  if (IsIdentity(*path)) return;
  if (value.is_object() && !value.empty()) {
    for (const auto& [field, child] : value.items()) {
      path->push_back(field);
      Walk(child, path, leaves);
      path->pop_back();
    }
  } else if (IsNamedList(value)) {
    for (const Json& element : value) {
      path->push_back(SegmentOf(element));
      Walk(element, path, leaves);
      path->pop_back();
    }
  } else if (!path->empty()) {
    leaves->insert(*path);
  }
}

template <class J>
J* Child(J& value, const std::string& segment) {
  if (value.is_object()) {
    auto at = value.find(segment);
    return at == value.end() ? nullptr : &*at;
  }
  if (!value.is_array()) return nullptr;
  for (auto& element : value) {
    if (SegmentOf(element) == segment) return &element;
  }
  return nullptr;
}

const Json* Find(const Json& object, const FieldPath& path) {
  const Json* value = &object;
  for (const std::string& segment : path) {
    value = Child(*value, segment);
    if (!value) return nullptr;
  }
  return value;
}

// Removes a leaf, and parents that become empty.
void Erase(Json* value, const FieldPath& path, size_t depth) {
  Json* child = Child(*value, path[depth]);
  if (!child) return;
  if (depth + 1 < path.size()) {
    Erase(child, path, depth + 1);
    // Also removes a list element with only its name left: no manager applies it.
    bool only_name = value->is_array() && child->size() <= 1;
    if (!child->empty() && !only_name) return;
  }
  if (value->is_object()) {
    value->erase(path[depth]);
  } else {
    value->erase(value->begin() + (child - &(*value)[0]));
  }
}

void MergeInto(Json* stored, const Json& applied) {
  if (applied.is_object() && stored->is_object()) {
    for (const auto& [field, value] : applied.items()) MergeInto(&(*stored)[field], value);
  } else if (IsNamedList(applied) && IsNamedList(*stored)) {
    for (const Json& element : applied) {
      Json* twin = Child(*stored, SegmentOf(element));
      if (twin) {
        MergeInto(twin, element);
      } else {
        stored->push_back(element);
      }
    }
  } else {
    *stored = applied;
  }
}

bool SameAt(const Json& left, const Json& right, const FieldPath& path) {
  const Json* a = Find(left, path);
  const Json* b = Find(right, path);
  return a && b && *a == *b;
}

}  // namespace

std::set<FieldPath> LeavesOf(const Json& object) {
  std::set<FieldPath> leaves;
  FieldPath path;
  Walk(object, &path, &leaves);
  return leaves;
}

std::vector<Conflict> ConflictsOf(const Json& stored, const Json& applied,
                                  const std::string& manager, const FieldOwners& owners) {
  std::vector<Conflict> conflicts;
  for (const FieldPath& leaf : LeavesOf(applied)) {
    for (const auto& [other, leaves] : owners) {
      if (other == manager || !leaves.contains(leaf) || SameAt(stored, applied, leaf)) continue;
      conflicts.push_back({other, leaf});
    }
  }
  return conflicts;
}

Json Merge(const Json& stored, const Json& applied, const std::string& manager,
           FieldOwners* owners) {
  std::set<FieldPath> next = LeavesOf(applied);
  Json merged = stored;
  for (const FieldPath& leaf : (*owners)[manager]) {
    bool shared = std::any_of(owners->begin(), owners->end(), [&](const auto& owner) {
      return owner.first != manager && owner.second.contains(leaf);
    });
    if (!next.contains(leaf) && !shared) Erase(&merged, leaf, 0);
  }
  for (auto& [other, leaves] : *owners) {
    if (other == manager) continue;
    std::erase_if(leaves, [&](const FieldPath& leaf) {
      return next.contains(leaf) && !SameAt(stored, applied, leaf);
    });
  }
  MergeInto(&merged, applied);
  (*owners)[manager] = std::move(next);
  return merged;
}

std::string Updater(const std::string& manager) { return manager + "\" using v1"; }

void NoteUpdate(const Json& before, const Json& after, const std::string& name,
                FieldOwners* owners) {
  const std::string manager = Updater(name);
  std::set<FieldPath> present = LeavesOf(after), changed;
  for (const FieldPath& leaf : present) {
    if (!SameAt(before, after, leaf)) changed.insert(leaf);
  }
  for (auto& [other, leaves] : *owners) {
    std::erase_if(leaves, [&](const FieldPath& leaf) {
      return !present.contains(leaf) || (other != manager && changed.contains(leaf));
    });
  }
  (*owners)[manager].merge(changed);
}

std::string PathText(const FieldPath& path) {
  std::string text;
  for (const std::string& segment : path) text += (segment[0] == '[' ? "" : ".") + segment;
  return text;
}

}  // namespace testing
