// Whose memory a call uses: the scopes of traces, and the names that stand for each.
#pragma once

#include <string>
#include <string_view>

namespace memory {

inline constexpr const char* kDefaultScopeId = "default";
inline constexpr const char* kThreadScope = "thread";
inline constexpr const char* kUserScope = "user";
inline constexpr const char* kPersonaScope = "persona";
inline constexpr const char* kOrganizationScope = "organization";
bool IsTraceScope(std::string_view word);

// The owner of the memory that a call uses. Traces of another project or scope id are invisible.
struct TraceContext {
  std::string project, conversation = kDefaultScopeId, user = kDefaultScopeId,
                       agent = kDefaultScopeId;
  std::string ScopeId(std::string_view scope) const;  // of the organization: its scope's name
};

}  // namespace memory
