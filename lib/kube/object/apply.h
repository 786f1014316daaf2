// When an apply can be left out: the hash of what is wanted is noted on the object, and what the
// server stores still has all of it. Pure.
#pragma once

#include <string>
#include <string_view>

#include "lib/kube/object/object.h"

namespace kube {

// SHA-256 (hex) of the canonical JSON of `desired`: keys sorted, no blanks.
std::string IntentHash(const Json& desired);

// `desired` with its own hash as annotation `annotation`. The hash is taken without that
// annotation.
Json WithIntent(Json desired, const std::string& annotation);

// Everything in `desired` is in `observed`, which may hold more (defaults, fields of others). Lists
// of named things (name, containerPort, mountPath, type, key, topologyKey, ip, uid; all of one list
// by the same field) are compared by that name and may hold more; other lists must be alike element
// by element. Null, "", {} and [] count as absent, since the server drops them; quantities compare
// by value under limits, requests, capacity and sizeLimit.
bool Contains(const Json& observed, const Json& desired);

// `desired` as WithIntent made it need not be applied to `observed`.
bool IsUpToDate(const Json& observed, const Json& desired, const std::string& annotation);

// `words` is a server's refusal of an apply without force for fields that other managers have set.
bool IsFieldConflict(std::string_view words);
// The same, and one of these managers set them by an apply of its own: another controller, which
// would take them back. Not so after updates and patches, a person's edit say, which the server
// tells by `"manager" using version` (managedFields, operation Update).
bool IsConflictOfAppliers(std::string_view words);

// The first field, as a path, that `observed` lacks; empty when Contains. For logs and tests.
std::string FirstDifference(const Json& observed, const Json& desired);

}  // namespace kube
