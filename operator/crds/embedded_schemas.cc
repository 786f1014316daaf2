// Reads the embedded CRDs once.
#include <map>

#include "lib/base/check.h"
#include "lib/base/json/yaml.h"
#include "operator/crds/embedded_crds.h"

namespace controller {

const kube::CrdSchema* SchemaOf(const base::Json& object) {
  static const auto kSchemas = [] {
    std::map<std::string, kube::CrdSchema> schemas;
    for (std::string_view text : EmbeddedCrds()) {
      auto yaml = base::ParseYaml(text);
      CHECK(yaml);
      auto schema = kube::CrdSchema::Read(*yaml);
      CHECK(schema);
      schemas.emplace(schema->api_version() + " " + schema->kind(), *schema);
    }
    return schemas;
  }();
  auto found = kSchemas.find(base::StringAt(object, {"apiVersion"}) + " " +
                             base::StringAt(object, {"kind"}));
  return found == kSchemas.end() ? nullptr : &found->second;
}

}  // namespace controller
