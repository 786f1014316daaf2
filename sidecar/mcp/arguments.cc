// One check for each keyword of the schema; an error names the first wrong argument.
#include "sidecar/mcp/arguments.h"

#include <algorithm>
#include <string>

#include "lib/base/text/text.h"

namespace sidecar {
namespace {

using base::Json;

base::Error Wrong(const std::string& name, const std::string& wanted) {
  return {base::Code::kInvalid, name + " must be " + wanted};
}

std::string NamesOf(const Json& properties) {
  std::vector<std::string> names;
  for (const auto& [name, property] : properties.items()) names.push_back(name);
  return base::Join(names, ", ");
}

base::Status CheckInteger(const std::string& name, const Json& schema, const Json& value) {
  const int64_t minimum = schema.value("minimum", INT64_MIN);
  const int64_t maximum = schema.value("maximum", INT64_MAX);
  const bool whole = value.is_number_integer() &&
                     !(value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX);
  if (whole && value.get<int64_t>() >= minimum && value.get<int64_t>() <= maximum) return {};
  std::string wanted = "a whole number";
  if (schema.contains("minimum")) wanted += " from " + std::to_string(minimum);
  if (schema.contains("maximum")) wanted += " to " + std::to_string(maximum);
  return Wrong(name, wanted + ", it is " + base::Ellipsize(base::DumpJson(value), 40));
}

base::Status CheckValue(const std::string& name, const Json& schema, const Json& value) {
  const std::string type = schema.value("type", "");
  if (type.empty()) return {};  // any JSON
  if (type == "object") return value.is_object() ? base::Status() : Wrong(name, "an object");
  if (type == "integer") return CheckInteger(name, schema, value);
  if (type == "array") {
    const bool strings = value.is_array() && std::ranges::all_of(value, [](const Json& item) {
                           return item.is_string();
                         });
    if (!strings) return Wrong(name, "an array of strings");
    const size_t fewest = schema.value("minItems", size_t{0});
    if (value.size() < fewest)
      return Wrong(name, "at least " + std::to_string(fewest) + " strings");
    return {};
  }
  if (type == "boolean") return value.is_boolean() ? base::Status() : Wrong(name, "true or false");
  if (!value.is_string()) return Wrong(name, "a string");
  if (const auto words = schema.find("enum"); words != schema.end()) {
    if (std::ranges::find(*words, value) == words->end()) {
      return Wrong(name, "one of " + base::DumpJson(*words));
    }
  }
  return {};
}

}  // namespace

base::Result<Json> CheckArguments(const Json& schema, const Json& arguments) {
  const Json& properties = schema.at("properties");
  Json checked = Json::object();
  for (const auto& [name, value] : arguments.items()) {
    const auto property = properties.find(name);
    if (property == properties.end()) {
      return base::Error{base::Code::kInvalid, "there is no argument " + base::Ellipsize(name, 40) +
                                                   "; there are: " + NamesOf(properties)};
    }
    if (value.is_null()) continue;
    RETURN_IF_ERROR(CheckValue(name, *property, value));
    checked[name] = value;
  }
  for (const Json& name : schema.value("required", Json::array())) {
    if (!checked.contains(name)) {
      return base::Error{base::Code::kInvalid, name.get<std::string>() + " is required"};
    }
  }
  return checked;
}

}  // namespace sidecar
