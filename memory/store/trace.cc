// Names of scopes, and ids of imports.
#include "memory/store/trace.h"

#include "lib/base/text/digest.h"

namespace memory {

bool IsTraceScope(std::string_view word) {
  return word == kThreadScope || word == kUserScope || word == kPersonaScope ||
         word == kOrganizationScope;
}

std::string OtherTraceId(const std::string& id, const std::string& of) {
  const std::string digits = base::Sha256Hex(id + "\n" + of);
  return std::string(kTraceIdPrefix) + digits.substr(0, 8) + "-" + digits.substr(8, 4) + "-8" +
         digits.substr(12, 3) + "-8" + digits.substr(15, 3) + "-" + digits.substr(18, 12);
}

std::string TraceContext::ScopeId(std::string_view scope) const {
  if (scope == kThreadScope) return conversation;
  if (scope == kUserScope) return user;
  if (scope == kPersonaScope) return agent;
  return kOrganizationScope;
}

}  // namespace memory
