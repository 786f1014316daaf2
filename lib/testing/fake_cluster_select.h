// Selectors and error bodies of the fake API server. Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/testing/fake_cluster.h"

namespace testing {

std::string QueryOf(const Call& call, const std::string& name);  // empty: missing
// True if a list or watch of `name_space` (empty: all) with the selectors of `call` has `object`.
bool Matches(const Json& object, const Call& call, const std::string& name_space);
Json OnlyMetadata(const Json& object);  // PartialObjectMetadata

Json Failure(int code, const std::string& reason, const std::string& message);  // a Status
Json NotFound(const kube::Resource& resource, const kube::ObjectKey& key);
Json ConflictFailure(const std::vector<Conflict>& conflicts);  // in the API server's words

}  // namespace testing
