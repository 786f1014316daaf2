// Wraps each handler whose pattern has a parameter.
#include "sidecar/routes/handlers.h"

#include <string>
#include <utility>

#include "sidecar/redaction/redacted_names.h"

namespace sidecar {

std::vector<http::Route> WithRedactedNames(std::vector<http::Route> routes,
                                           const PolicyWatch& policies) {
  for (http::Route& route : routes) {
    if (route.pattern.find('{') == std::string::npos) continue;
    route.handler = [handler = std::move(route.handler), &policies](const http::Request& request) {
      const auto policy = policies.Current();
      auto parameters = request.parameters;
      for (auto& [name, value] : parameters) {
        if (policy) value = RedactId(policy->redactor, value);
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
