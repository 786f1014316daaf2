// Field ownership for the fake API server: enough of server-side apply to merge, to remove fields
// that are no longer applied, and to report conflicts. Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "lib/base/json/json.h"

namespace testing {

using base::Json;
using FieldPath = std::vector<std::string>;  // keys; a list element is [name="main"]
// Owned fields by manager: the name of an applying manager, Updater(name) of an updating one.
using FieldOwners = std::map<std::string, std::set<FieldPath>>;
std::string Updater(const std::string& manager);

// The leaves of an object, without apiVersion, kind and the identity fields of metadata. Descends
// into lists of named objects; other lists are one leaf.
std::set<FieldPath> LeavesOf(const Json& object);

struct Conflict {
  std::string manager;
  FieldPath path;
};
// The fields of `applied` that other managers own with another value.
std::vector<Conflict> ConflictsOf(const Json& stored, const Json& applied,
                                  const std::string& manager, const FieldOwners& owners);
// Merges `applied` into `stored`, and removes fields that only `manager` owned and no longer
// applies. Updates `owners`: `manager` owns the applied fields.
Json Merge(const Json& stored, const Json& applied, const std::string& manager,
           FieldOwners* owners);
// Updates `owners` after an update: `manager` owns the changed fields.
void NoteUpdate(const Json& before, const Json& after, const std::string& manager,
                FieldOwners* owners);
std::string PathText(const FieldPath& path);  // ".spec.containers[name=\"main\"].image"

}  // namespace testing
