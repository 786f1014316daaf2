// Collects all faults, so that a user corrects a file once.
#include "operator/crds/read_objects.h"

#include "lib/base/json/yaml.h"
#include "lib/base/text/text.h"
#include "operator/crds/embedded_crds.h"

namespace controller {
namespace {

using base::Json;

// Completes a generateName, to which the API server adds five random characters, by xxxxx.
void NameIt(Json& object) {
  const std::string prefix = base::StringAt(object, {"metadata", "generateName"});
  if (!prefix.empty() && !object["metadata"].contains("name"))
    object["metadata"]["name"] = prefix + "xxxxx";
}

}  // namespace

base::Result<std::vector<base::Json>> ReadObjects(const std::string& yaml,
                                                  const std::string& name_space) {
  ASSIGN_OR_RETURN(std::vector<Json> objects, base::ParseYamlDocuments(yaml));
  std::vector<std::string> faults;
  for (Json& object : objects) {
    if (!object.is_object() || !object.contains("kind")) {
      faults.push_back("a document is no Kubernetes object: it has no kind");
      continue;
    }
    const std::string kind = base::StringAt(object, {"kind"});
    const bool ours = base::StringAt(object, {"apiVersion"}).starts_with("agents.agentops.io/");
    const kube::CrdSchema* schema = SchemaOf(object);
    if (ours && !schema)
      faults.push_back("no kind " + kind + " in " + base::StringAt(object, {"apiVersion"}));
    if (kind == "Agent" && !ours)
      faults.push_back("Agent: apiVersion must be agents.agentops.io/v1alpha1");
    NameIt(object);
    if (schema)
      for (const std::string& fault : schema->Admit(object))
        faults.push_back("The " + kind + " \"" + base::StringAt(object, {"metadata", "name"}) +
                         "\" is invalid: " + fault);
    if (object["metadata"].is_object() && !object["metadata"].contains("namespace"))
      object["metadata"]["namespace"] = name_space;
  }
  if (faults.empty()) return objects;
  return base::Error{base::Code::kInvalid, base::Join(faults, "\n")};
}

}  // namespace controller
