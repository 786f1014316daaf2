// Decides when an apply is needless: an annotation of the object has the hash of the desired state,
// and the stored object still contains that state. Pure.
#pragma once

#include <string>
#include <string_view>

#include "lib/kube/object/object.h"

namespace kube {

// SHA-256 (hex) of the canonical JSON of `desired`: keys sorted, no blanks.
std::string IntentHash(const Json& desired);

// `desired` with its own hash as annotation `annotation`, which the hash does not cover.
Json WithIntent(Json desired, const std::string& annotation);

// Whether `observed` has everything in `desired`; it may have more (defaults, fields of other
// managers). Lists whose elements have a naming field (name, containerPort, mountPath, type, key,
// topologyKey, ip, uid; the same for the whole list) match by that field and may have more
// elements; other lists match element by element. Null, "", {} and [] count as absent, since the
// server drops them; quantities compare by value under limits, requests, capacity and sizeLimit.
bool Contains(const Json& observed, const Json& desired);

// Whether an apply of `desired`, a result of WithIntent, to `observed` would change nothing.
bool IsUpToDate(const Json& observed, const Json& desired, const std::string& annotation);

// Whether `words` is the server's refusal of an unforced apply, for fields of other managers.
bool IsFieldConflict(std::string_view words);
// Whether such a refusal names a manager that applied the fields itself: another controller, which
// would set them again. After updates and patches, for example a user's edit, the server writes
// `"manager" using version` instead (managedFields, operation Update).
bool IsConflictOfAppliers(std::string_view words);

// The first field, as a path, that `observed` lacks; empty when Contains. For logs and tests.
std::string FirstDifference(const Json& observed, const Json& desired);

}  // namespace kube
