// The request of a row's examples, for tests that ask every route. Test code.
#pragma once

#include <map>
#include <string>

#include "lib/api/operations/operations.h"
#include "lib/http/message/message.h"

namespace api {

struct ExampleRequest {
  std::string method, target, body;
};

// `more`: values of parameters without an example, by name; those that the row has count.
inline ExampleRequest ExampleRequestOf(const Operation& row, const ExampleRows& rows,
                                       const std::map<std::string, std::string>& more = {}) {
  ExampleRequest request{std::string(row.method), std::string(row.path), ""};
  for (const Field& field : row.parameters) {
    const std::string name(field.name), place = "{" + name + "}";
    const auto given = more.find(name);
    if (field.example.empty() && given == more.end()) continue;
    std::string value;
    if (given != more.end()) {
      value = given->second;
    } else {
      const base::Json example = ExampleOf(field, rows);
      value = example.is_string() ? example.get<std::string>() : example.dump();
    }
    value = http::PercentEncode(value);
    if (const size_t at = request.target.find(place); at != std::string::npos)
      request.target.replace(at, place.size(), value);
    else
      request.target +=
          (request.target.find('?') == std::string::npos ? "?" : "&") + name + "=" + value;
  }
  if (!row.body.empty()) request.body = base::DumpJson(ExampleBody(row, rows));
  return request;
}

}  // namespace api
