// Wraps each handler whose pattern has a parameter.
#include "sidecar/redacted_parameters.h"

#include <string>
#include <utility>

#include "lib/api/hook_event.h"
#include "sidecar/redacted_names.h"

namespace sidecar {
namespace {

bool IsNumber(const std::string& text) {
  return text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

std::vector<http::Route> WithRedactedNames(std::vector<http::Route> routes,
                                           const PolicyWatch& policies) {
  for (http::Route& route : routes) {
    if (route.pattern.find('{') == std::string::npos) continue;
    route.handler = [handler = std::move(route.handler), &policies](const http::Request& request) {
      const auto policy = policies.Current();
      auto parameters = request.parameters;
      Redactor::Counts counts;
      for (auto& [name, value] : parameters) {
        if (!policy || IsNumber(value)) continue;
        value = RedactName(policy->redactor, value, api::kMaxConversationIdBytes, counts);
      }
      if (parameters == request.parameters) return handler(request);
      http::Request redacted = request;
      redacted.parameters = std::move(parameters);
      return handler(redacted);
    };
  }
  return routes;
}

}  // namespace sidecar
