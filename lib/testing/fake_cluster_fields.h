// Who owns which field of an object, for the fake API server: enough of server-side apply to merge,
// to remove what is no longer applied, and to report conflicts. Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "lib/base/json/json.h"

namespace testing {

using base::Json;
using FieldPath = std::vector<std::string>;  // keys; an element of a list is "[name=main]"
// By manager: one that applies by its name, one that updates by Updater of it.
using FieldOwners = std::map<std::string, std::set<FieldPath>>;
std::string Updater(const std::string& manager);

// The leaves of an object, without identity fields of metadata. Lists of objects with names are
// walked into, other lists are one leaf.
std::set<FieldPath> LeavesOf(const Json& object);

struct Conflict {
  std::string manager;
  FieldPath path;
};
// Fields of `applied` that other managers own with another value.
std::vector<Conflict> ConflictsOf(const Json& stored, const Json& applied,
                                  const std::string& manager, const FieldOwners& owners);
// `stored` with `applied` in it and without what `manager` owned alone and no longer applies;
// `owners` is brought up to date, with `manager` taking what it applies.
Json Merge(const Json& stored, const Json& applied, const std::string& manager,
           FieldOwners* owners);
// After a plain write: `manager` owns what differs between `before` and `after`.
void NoteUpdate(const Json& before, const Json& after, const std::string& manager,
                FieldOwners* owners);
std::string PathText(const FieldPath& path);  // ".spec.containers[name=\"main\"].image"

}  // namespace testing
