// The three passes over an object: Prepare (unknown fields, nulls, defaults), Check (types and
// limits), CheckRules (CEL). Wording follows apiextensions-apiserver 1.36.
#include "lib/kube/schema/crd_schema.h"

#include <re2/re2.h>

#include <cmath>
#include <set>

#include "lib/base/text/text.h"
#include "lib/kube/schema/crd_schema_rule.h"

namespace kube {
namespace {

using base::Json;
using Faults = std::vector<std::string>;

constexpr const char* kPreserve = "x-kubernetes-preserve-unknown-fields";
constexpr const char* kIntOrString = "x-kubernetes-int-or-string";
constexpr const char* kRules = "x-kubernetes-validations";

const Json* Find(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}
bool Flag(const Json& schema, const char* key) {
  const Json* value = Find(schema, key);
  return value && value->is_boolean() && value->get<bool>();
}
int64_t Limit(const Json& schema, const char* key, int64_t fallback) {
  const Json* value = Find(schema, key);
  return value && value->is_number() ? value->get<int64_t>() : fallback;
}
std::string Join(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}
std::string Item(const std::string& path, size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

// The schema of the property `key`; nullptr: the schema does not declare it.
const Json* PropertySchema(const Json& schema, const std::string& key) {
  if (const Json* properties = Find(schema, "properties"))
    if (const Json* property = Find(*properties, key.c_str())) return property;
  const Json* additional = Find(schema, "additionalProperties");
  return additional && additional->is_object() ? additional : nullptr;
}

// ---- pass 1: unknown fields, nulls, defaults ----

void Prepare(const Json& schema, Json& value, const std::string& path, Faults& faults);

void PrepareObject(const Json& schema, Json& value, const std::string& path, Faults& faults) {
  for (auto field = value.begin(); field != value.end();) {
    const Json* property = PropertySchema(schema, field.key());
    if (!property) {
      if (!Flag(schema, kPreserve))
        faults.push_back("unknown field \"" + Join(path, field.key()) + "\"");
      ++field;
    } else if (field->is_null()) {  // absent, even where the server would store the null
      field = value.erase(field);
    } else {
      ++field;
    }
  }
  if (const Json* properties = Find(schema, "properties"))
    for (const auto& [name, property] : properties->items())
      if (const Json* fallback = Find(property, "default"); fallback && !value.contains(name))
        value[name] = *fallback;
  for (auto& [name, field] : value.items())
    if (const Json* property = PropertySchema(schema, name))
      Prepare(*property, field, Join(path, name), faults);
}

void Prepare(const Json& schema, Json& value, const std::string& path, Faults& faults) {
  if (value.is_object()) PrepareObject(schema, value, path, faults);
  const Json* items = Find(schema, "items");
  if (!value.is_array() || !items) return;
  for (size_t i = 0; i < value.size(); ++i) Prepare(*items, value[i], Item(path, i), faults);
}

// ---- pass 2: types and limits ----

std::string TypeName(const Json& value) {
  if (value.is_number_integer()) return "integer";
  return value.type_name();  // null, object, array, string, boolean, number
}
bool HasType(const std::string& type, const Json& value) {
  if (type == "integer")
    return value.is_number_integer() ||
           (value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>());
  if (type == "number") return value.is_number();
  return type == value.type_name();
}

// One value with its schema and path; adds faults worded like the server's.
struct Place {
  const Json& schema;
  const Json& value;
  const std::string& path;
  Faults& faults;
  void Add(const std::string& text) const { faults.push_back(path + ": " + text); }
  void Invalid(const std::string& why) const {
    Add("Invalid value: " + base::DumpJson(value) + ": " + path + " in body " + why);
  }
};

bool CheckType(const Place& at) {
  if (Flag(at.schema, kIntOrString)) {
    if (at.value.is_string() || at.value.is_number_integer()) return true;
    at.Add("Invalid value: \"" + TypeName(at.value) + "\": must be a whole number or a string");
    return false;
  }
  const Json* type = Find(at.schema, "type");
  if (!type || HasType(type->get<std::string>(), at.value)) return true;
  if (at.value.is_null() && Flag(at.schema, "nullable")) return true;
  std::string actual = "\"" + TypeName(at.value) + "\"";
  at.Add("Invalid value: " + actual + ": " + at.path + " in body must be of type " +
         type->get<std::string>() + ": " + actual);
  return false;
}

void CheckText(const Place& at) {
  const auto& text = at.value.get_ref<const std::string&>();
  const auto characters = static_cast<int64_t>(base::CountCharacters(text));
  if (int64_t most = Limit(at.schema, "maxLength", INT64_MAX); characters > most)
    at.Add("Too long: may not be more than " + std::to_string(most) + " characters, and has " +
           std::to_string(characters));
  if (int64_t least = Limit(at.schema, "minLength", 0); characters < least)
    at.Invalid("should be at least " + std::to_string(least) + " chars long");
  const Json* pattern = Find(at.schema, "pattern");
  if (pattern && !RE2::PartialMatch(text, RE2(pattern->get<std::string>(), RE2::Quiet)))
    at.Invalid("should match '" + pattern->get<std::string>() + "'");
}

void CheckNumber(const Place& at) {
  const Json *least = Find(at.schema, "minimum"), *most = Find(at.schema, "maximum");
  if (least && at.value < *least) at.Invalid("should be greater than or equal to " + least->dump());
  if (most && at.value > *most) at.Invalid("should be less than or equal to " + most->dump());
  const Json* format = Find(at.schema, "format");
  if (format && *format == "int32" && !(at.value >= INT32_MIN && at.value <= INT32_MAX))
    at.Invalid("should be a number of 32 bits");
  if (format && *format == "int64" && at.value.is_number_unsigned() && at.value > INT64_MAX)
    at.Invalid("should be a number of 64 bits");
}

void CheckEnum(const Place& at) {
  const Json* words = Find(at.schema, "enum");
  if (!words || std::find(words->begin(), words->end(), at.value) != words->end()) return;
  std::vector<std::string> texts;
  for (const Json& word : *words) texts.push_back(word.dump());
  at.Add("Unsupported value: " + base::DumpJson(at.value) +
         ": supported values: " + base::Join(texts, ", "));
}

void Check(const Place& at);

void CheckList(const Place& at) {
  const auto size = static_cast<int64_t>(at.value.size());
  if (int64_t most = Limit(at.schema, "maxItems", INT64_MAX); size > most)
    at.Add("Too many: " + std::to_string(size) + ": must have at most " + std::to_string(most) +
           " items");
  if (int64_t least = Limit(at.schema, "minItems", 0); size < least)
    at.Invalid("should have at least " + std::to_string(least) + " items");
  if (const Json* items = Find(at.schema, "items"))
    for (size_t i = 0; i < at.value.size(); ++i)
      Check({*items, at.value[i], Item(at.path, i), at.faults});
  const Json* keys = Find(at.schema, "x-kubernetes-list-map-keys");
  if (!keys) return;
  std::set<Json> seen;
  for (size_t i = 0; i < at.value.size(); ++i) {
    Json identity = Json::object();
    for (const Json& key : *keys)
      if (const Json* part = Find(at.value[i], key.get_ref<const std::string&>().c_str()))
        identity[key.get<std::string>()] = *part;
    if (!seen.insert(identity).second)
      at.faults.push_back(Item(at.path, i) + ": Duplicate value: " + base::DumpJson(identity));
  }
}

void CheckObject(const Place& at) {
  const auto size = static_cast<int64_t>(at.value.size());
  if (int64_t most = Limit(at.schema, "maxProperties", INT64_MAX); size > most)
    at.Add("Too many: " + std::to_string(size) + ": must have at most " + std::to_string(most) +
           " items");
  if (const Json* required = Find(at.schema, "required"))
    for (const Json& name : *required)
      if (!at.value.contains(name.get_ref<const std::string&>()))
        at.faults.push_back(Join(at.path, name.get<std::string>()) + ": Required value");
  for (const auto& [name, field] : at.value.items())
    if (const Json* property = PropertySchema(at.schema, name))
      Check({*property, field, Join(at.path, name), at.faults});
}

void Check(const Place& at) {
  if (!CheckType(at)) return;
  if (at.value.is_string()) CheckText(at);
  if (at.value.is_number()) CheckNumber(at);
  if (at.value.is_array()) CheckList(at);
  if (at.value.is_object()) CheckObject(at);
  CheckEnum(at);
}

// ---- pass 3: rules ----

void CheckRulesHere(const Json& schema, const Json& value, const Json* old, const std::string& path,
                    Faults& faults) {
  const Json* rules = Find(schema, kRules);
  if (!rules) return;
  for (const Json& rule : *rules) {
    const std::string text = base::StringAt(rule, {"rule"});
    std::map<std::string, Json> variables = {{"self", value}};
    const bool about_change = text.find("oldSelf") != std::string::npos;
    if (about_change && !old) continue;
    if (about_change) variables["oldSelf"] = *old;
    auto holds = EvaluateRule(text, variables);
    if (holds && *holds) continue;
    std::string fault = path + base::StringAt(rule, {"fieldPath"}) + ": Invalid value: " +
                        base::StringAt(rule, {"message"}, "failed rule: " + text);
    if (!holds) fault += " (" + holds.error().message + ")";
    faults.push_back(fault);
  }
}

void CheckRules(const Json& schema, const Json& value, const Json* old, const std::string& path,
                Faults& faults) {
  CheckRulesHere(schema, value, old, path, faults);
  const Json* properties = Find(schema, "properties");
  if (value.is_object())
    for (const auto& [name, field] : value.items()) {
      const Json* property = PropertySchema(schema, name);
      if (!property) continue;
      const bool listed = properties && properties->contains(name);
      CheckRules(*property, field, old ? Find(*old, name.c_str()) : nullptr,
                 listed ? Join(path, name) : path + "[" + name + "]", faults);
    }
  const Json* items = Find(schema, "items");
  if (!value.is_array() || !items) return;
  for (size_t i = 0; i < value.size(); ++i)
    CheckRules(*items, value[i], nullptr, Item(path, i), faults);
}

// ---- metadata: in every object, but a CRD may only restrict its name ----

Json MetadataSchema(Json from_definition) {
  Json texts = {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
  Json& properties = from_definition["properties"];
  properties["labels"] = texts;
  properties["annotations"] = texts;
  for (const char* name : {"generateName", "namespace", "uid", "resourceVersion",
                           "creationTimestamp", "deletionTimestamp", "selfLink"})
    properties[name] = {{"type", "string"}};
  for (const char* name : {"generation", "deletionGracePeriodSeconds"})
    properties[name] = {{"type", "integer"}};
  for (const char* name : {"ownerReferences", "finalizers", "managedFields"})
    properties[name] = {{"type", "array"}, {"items", {{kPreserve, true}}}};
  from_definition["required"] = {"name"};
  return from_definition;
}

void CollectRules(const Json& schema, std::vector<std::string>& rules) {
  if (const Json* here = Find(schema, kRules))
    for (const Json& rule : *here) rules.push_back(base::StringAt(rule, {"rule"}));
  if (schema.is_object() || schema.is_array())
    for (const Json& part : schema) CollectRules(part, rules);
}

}  // namespace

base::Result<CrdSchema> CrdSchema::Read(const base::Json& definition) {
  if (base::StringAt(definition, {"kind"}) != "CustomResourceDefinition")
    return base::Error{base::Code::kInvalid, "not a CustomResourceDefinition"};
  const Json* versions = base::At(definition, {"spec", "versions"});
  if (versions && versions->is_array()) {
    for (const Json& version : *versions) {
      const Json* schema = base::At(version, {"schema", "openAPIV3Schema"});
      if (!Flag(version, "storage") || !schema) continue;
      CrdSchema out;
      out.schema_ = *schema;
      out.api_version_ =
          base::StringAt(definition, {"spec", "group"}) + "/" + base::StringAt(version, {"name"});
      out.kind_ = base::StringAt(definition, {"spec", "names", "kind"});
      Json& properties = out.schema_["properties"];
      properties["metadata"] =
          MetadataSchema(properties.value("metadata", Json{{"type", "object"}}));
      return out;
    }
  }
  return base::Error{base::Code::kInvalid,
                     "the CustomResourceDefinition has no stored version with a schema"};
}

std::vector<std::string> CrdSchema::Admit(base::Json& object, const base::Json* old) const {
  Faults faults;
  Prepare(schema_, object, "", faults);
  Check({schema_, object, "", faults});
  if (faults.empty()) CheckRules(schema_, object, old, "", faults);
  return faults;
}

std::vector<std::string> CrdSchema::Rules() const {
  std::vector<std::string> rules;
  CollectRules(schema_, rules);
  return rules;
}

}  // namespace kube
