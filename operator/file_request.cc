// Flags to settings, files to objects.
#include "operator/file_request.h"

#include <iostream>
#include <iterator>

#include "lib/base/file.h"
#include "lib/base/text.h"
#include "lib/telemetry/trace_export.h"
#include "operator/embedded_crds.h"

namespace controller {
namespace {

using base::Json;

base::Result<std::string> ReadSource(const std::string& file) {
  if (file != "-") return base::ReadFile(file);
  return std::string(std::istreambuf_iterator<char>(std::cin), {});
}

}  // namespace

base::Result<FileRequest> ReadArguments(const std::vector<std::string>& arguments,
                                        const std::string& command) {
  FileRequest request;
  request.settings.foreign_pods.policy = "agent-memory-foreign-pods";  // the chart's name for it
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string flag = arguments[i], value;
    if (flag == "--help" || flag == "-h") {
      request.help = true;
      return request;
    }
    const size_t equals = flag.find('=');
    if (flag.starts_with("--") && equals != std::string::npos) {
      value = flag.substr(equals + 1);
      flag.resize(equals);
    } else if (++i < arguments.size()) {
      value = arguments[i];
    } else {
      return base::Error{base::Code::kInvalid, flag + " needs a value"};
    }
    if (flag == "-f" || flag == "--filename")
      request.files.push_back(value);
    else if (flag == "-o" || flag == "--output")
      request.directory = value;
    else if (flag == "--namespace")
      request.name_space = value;
    else if (flag == "--memory-url")
      request.settings.memory_url = value;
    else if (flag == "--cluster-domain")
      request.settings.cluster_domain = value;
    else if (flag == "--agent-image")
      request.settings.agent_image = value;
    else if (flag == "--sidecar-image")
      request.settings.sidecar_image = value;
    else if (flag == "--otlp-endpoint")
      request.settings.otlp_endpoint = value;
    else
      return base::Error{base::Code::kInvalid, command + " does not know " + flag};
  }
  RETURN_IF_ERROR(
      telemetry::CheckTraceOptions({request.settings.otlp_endpoint, "--otlp-endpoint", {}, {}}));
  if (request.files.empty()) return base::Error{base::Code::kInvalid, command + " needs -f FILE"};
  return request;
}

base::Result<std::vector<base::Json>> ReadFiles(const FileRequest& request) {
  std::vector<Json> objects;
  for (const std::string& file : request.files) {
    auto text = ReadSource(file);
    if (!text) return base::Wrap(file, text.error());
    auto read = ReadObjects(*text, request.name_space);
    if (!read) return base::Wrap(file, read.error());
    objects.insert(objects.end(), read->begin(), read->end());
  }
  return objects;
}

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
