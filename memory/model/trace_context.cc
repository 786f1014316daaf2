// Names of scopes.
#include "memory/model/trace_context.h"

namespace memory {

bool IsTraceScope(std::string_view word) {
  return word == kThreadScope || word == kUserScope || word == kPersonaScope ||
         word == kOrganizationScope;
}

std::string TraceContext::ScopeId(std::string_view scope) const {
  if (scope == kThreadScope) return conversation;
  if (scope == kUserScope) return user;
  if (scope == kPersonaScope) return agent;
  return kOrganizationScope;
}

}  // namespace memory
