// Parses flags to settings, and files to objects.
#include "operator/commands/file_request.h"

#include <iostream>
#include <iterator>

#include "lib/base/json/yaml.h"
#include "lib/base/process/file.h"
#include "lib/base/text/nearest.h"
#include "lib/base/text/text.h"
#include "lib/telemetry/trace_export.h"
#include "operator/crds/read_objects.h"

namespace controller {
namespace {

using base::Json;

base::Result<std::string> ReadSource(const std::string& file) {
  if (file != "-") return base::ReadFile(file);
  return std::string(std::istreambuf_iterator<char>(std::cin), {});
}

// The field that a flag sets; null: no such flag.
std::string* TargetOf(FileRequest& request, const std::string& flag) {
  if (flag == "-o" || flag == "--output") return &request.directory;
  if (flag == "--namespace") return &request.name_space;
  if (flag == "--memory-url") return &request.settings.memory_url;
  if (flag == "--cluster-domain") return &request.settings.cluster_domain;
  if (flag == "--agent-image") return &request.settings.agent_image;
  if (flag == "--sidecar-image") return &request.settings.sidecar_image;
  if (flag == "--otlp-endpoint") return &request.settings.otlp_endpoint;
  return nullptr;
}

base::Error Unknown(const std::string& command, const std::string& flag) {
  static const std::vector<std::string> kFlags = {
      "--filename",    "--output",        "--namespace",     "--memory-url", "--cluster-domain",
      "--agent-image", "--sidecar-image", "--otlp-endpoint", "--help"};
  return {base::Code::kInvalid, "unknown flag " + flag + base::DidYouMean(flag, kFlags) + command +
                                    " --help lists the flags"};
}

// Reads the flag at `at` and its value, which may be the next word.
base::Status ReadFlag(FileRequest& request, const std::vector<std::string>& words, size_t& at,
                      const std::string& command) {
  std::string flag = words[at];
  const size_t equals = flag.starts_with("--") ? flag.find('=') : std::string::npos;
  std::string value = equals == std::string::npos ? "" : flag.substr(equals + 1);
  flag = flag.substr(0, equals);
  const bool names_file = flag == "-f" || flag == "--filename";
  std::string* const target = TargetOf(request, flag);
  if (!names_file && !target) return Unknown(command, flag);
  if (equals == std::string::npos) {
    if (++at >= words.size()) return base::Error{base::Code::kInvalid, flag + " needs a value"};
    value = words[at];
  }
  if (names_file)
    request.files.push_back(value);
  else
    *target = value;
  return {};
}

}  // namespace

base::Result<FileRequest> ReadArguments(const std::vector<std::string>& arguments,
                                        const std::string& command) {
  FileRequest request;
  request.settings.foreign_pods.policy = "agent-memory-foreign-pods";  // the chart's name for it
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--help" || word == "-h" || word == "help") {
      request.help = true;
      return request;
    }
    if (word.starts_with("-") && word != "-")
      RETURN_IF_ERROR(ReadFlag(request, arguments, i, command));
    else if (word != "pod" || command != "explain")  // the old form `explain pod`
      request.files.push_back(word);
  }
  RETURN_IF_ERROR(
      telemetry::CheckTraceOptions({request.settings.otlp_endpoint, "--otlp-endpoint", {}, {}}));
  if (request.files.empty())
    return base::Error{base::Code::kInvalid, command + ": name the files, or - for standard input"};
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

}  // namespace controller
