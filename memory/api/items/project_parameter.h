// The project of a request: of the query, else of the body, else `default`. Pure.
#pragma once

#include <string>

#include "memory/api/validate.h"
#include "memory/store/items.h"

namespace memory {

inline base::Result<std::string> ProjectOf(const http::Request& request, const base::Json& body) {
  std::optional<std::string> given = TextParameter(request, "project");
  if (!given) {
    ASSIGN_OR_RETURN(given, base::OptionalString(body, "project"));
  }
  return api::RequiredText({{"project", given.value_or(kDefaultProject)}}, "project",
                           api::kMaxProject);
}

}  // namespace memory
