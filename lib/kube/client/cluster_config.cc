// Reads a kubeconfig, or the mounted files of a pod's ServiceAccount; the token file again after a
// minute, or after a refused token.
#include "lib/kube/client/cluster_config.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/json/yaml.h"
#include "lib/base/process/file.h"
#include "lib/base/process/log.h"
#include "lib/base/result.h"
#include "lib/base/text/base64.h"
#include "lib/base/text/text.h"

namespace kube {
namespace {

using base::Json;

// Stores inline certificates of a kubeconfig as files, which TLS libraries require, in a directory
// of mode 0700 that the destructor removes. mkdtemp, so that its name cannot be guessed or taken.
class PrivateFiles {
 public:
  static base::Result<std::shared_ptr<PrivateFiles>> Make();
  ~PrivateFiles();  // removes the directory and all in it
  PrivateFiles(const PrivateFiles&) = delete;
  PrivateFiles& operator=(const PrivateFiles&) = delete;

  // The path of a new file of mode 0600; `name` has no slash.
  base::Result<std::string> Add(const std::string& name, std::string_view content) const;

 private:
  explicit PrivateFiles(std::string directory) : directory_(std::move(directory)) {}
  const std::string directory_;
};

base::Result<std::shared_ptr<PrivateFiles>> PrivateFiles::Make() {
  const char* parent = std::getenv("TMPDIR");
  std::string name = std::string(parent && *parent ? parent : "/tmp") + "/kube-XXXXXX";
  if (!mkdtemp(name.data())) {
    return base::Error{base::Code::kInternal, "make a private directory for certificates (" + name +
                                                  "): " + std::strerror(errno)};
  }
  return std::shared_ptr<PrivateFiles>(new PrivateFiles(name));
}

PrivateFiles::~PrivateFiles() {
  std::error_code ignored;  // a destructor cannot report it
  std::filesystem::remove_all(directory_, ignored);
}

base::Result<std::string> PrivateFiles::Add(const std::string& name,
                                            std::string_view content) const {
  std::string path = directory_ + "/" + name;
  RETURN_IF_ERROR(base::ReplaceFile(path, content));
  return path;
}

// Reads one kubeconfig.
class Reader {
 public:
  Reader(std::string path, Json document)
      : path_(std::move(path)), document_(std::move(document)) {}

  base::Result<ClusterConfig> Read() {
    std::string current = base::StringAt(document_, {"current-context"});
    if (current.empty()) return Bad("it has no current-context");
    ASSIGN_OR_RETURN(Json context, Named("contexts", "context", current));
    config_.name_space = base::StringAt(context, {"namespace"});
    RETURN_IF_ERROR(ReadCluster(base::StringAt(context, {"cluster"})));
    RETURN_IF_ERROR(ReadUser(base::StringAt(context, {"user"})));
    config_.files = files_;
    return config_;
  }

 private:
  base::Error Bad(const std::string& why) const {
    return {base::Code::kInvalid, "kubeconfig " + path_ + ": " + why};
  }

  base::Result<Json> Named(const char* list, const char* field, const std::string& name) const {
    const Json* entries = base::At(document_, {list});
    if (entries && entries->is_array()) {
      for (const Json& entry : *entries) {
        const Json* body = base::At(entry, {field});
        if (base::StringAt(entry, {"name"}) == name && body && body->is_object()) return *body;
      }
    }
    return Bad(std::string("no \"") + name + "\" among its " + list);
  }

  // The path of a file that the entry names or has inline; empty: neither.
  base::Result<std::string> File(const Json& entry, const char* field) {
    std::string inline_field = std::string(field) + "-data";
    std::string encoded = base::StringAt(entry, {inline_field.c_str()});
    if (encoded.empty()) return Resolve(base::StringAt(entry, {field}));
    auto content = base::DecodeBase64(encoded);
    if (!content) return Bad(inline_field + " is not base64");
    if (!files_) {
      ASSIGN_OR_RETURN(files_, PrivateFiles::Make());
    }
    return files_->Add(std::string(field) + ".pem", *content);
  }

  std::string Resolve(const std::string& file) const {
    if (file.empty() || file[0] == '/') return file;
    return (std::filesystem::absolute(path_).parent_path() / file).string();
  }

  base::Status ReadCluster(const std::string& name) {
    ASSIGN_OR_RETURN(Json cluster, Named("clusters", "cluster", name));
    for (const char* field : {"insecure-skip-tls-verify", "tls-server-name", "proxy-url"}) {
      const Json* value = base::At(cluster, {field});
      if (value && *value != false && *value != "") return Bad(Unsupported("cluster", name, field));
    }
    config_.server = base::StringAt(cluster, {"server"});
    if (!config_.server.starts_with("https://") && !config_.server.starts_with("http://")) {
      return Bad("cluster \"" + name + "\" has no server that begins with https:// or http://");
    }
    while (config_.server.ends_with("/")) config_.server.pop_back();
    if (config_.server.find('/', config_.server.find("://") + 3) != std::string::npos) {
      return Bad("cluster \"" + name + "\": a server with a path is not supported");
    }
    ASSIGN_OR_RETURN(config_.ca_file, File(cluster, "certificate-authority"));
    return {};
  }

  base::Status ReadUser(const std::string& name) {
    if (name.empty()) return {};
    ASSIGN_OR_RETURN(Json user, Named("users", "user", name));
    for (const char* field : {"exec", "auth-provider", "username", "as"}) {
      if (base::At(user, {field})) return Bad(Unsupported("user", name, field));
    }
    config_.token = base::StringAt(user, {"token"});
    config_.token_file = Resolve(base::StringAt(user, {"tokenFile"}));
    ASSIGN_OR_RETURN(config_.certificate_file, File(user, "client-certificate"));
    ASSIGN_OR_RETURN(config_.key_file, File(user, "client-key"));
    if (config_.certificate_file.empty() != config_.key_file.empty()) {
      return Bad("user \"" + name + "\" needs client-certificate and client-key, or neither");
    }
    return {};
  }

  static std::string Unsupported(const char* what, const std::string& name, const char* field) {
    return std::string(what) + " \"" + name + "\" uses " + field +
           ", which is not supported; use a token, a token file or a client certificate";
  }

  const std::string path_;
  const Json document_;
  ClusterConfig config_;
  std::shared_ptr<PrivateFiles> files_;
};

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

constexpr int64_t kMaxAgeMs = 60'000;

}  // namespace

base::Result<ClusterConfig> ReadKubeconfig(const std::string& path) {
  ASSIGN_OR_RETURN(std::string text, base::ReadFile(path, 1 << 20));
  auto document = base::ParseYaml(text);
  if (!document) return base::Wrap("kubeconfig " + path, document.error());
  return Reader(path, *std::move(document)).Read();
}

base::Result<ClusterConfig> InClusterConfig(const std::string& directory) {
  std::string host = Variable("KUBERNETES_SERVICE_HOST"),
              port = Variable("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return base::Error{base::Code::kNotFound,
                       "not in a pod (KUBERNETES_SERVICE_HOST is not set): give --kubeconfig"};
  }
  ClusterConfig config;
  bool is_v6 = host.find(':') != std::string::npos;
  config.server = "https://" + (is_v6 ? "[" + host + "]" : host) + ":" + port;
  config.ca_file = directory + "/ca.crt";
  config.token_file = directory + "/token";
  for (const std::string& file : {config.ca_file, config.token_file}) {
    if (auto text = base::ReadFile(file, 1 << 20); !text) return text.error();
  }
  auto name_space = base::ReadFile(directory + "/namespace", 4096);
  if (name_space) config.name_space = base::Trim(*name_space);
  return config;
}

base::Result<ClusterConfig> FindClusterConfig(const std::string& kubeconfig) {
  return kubeconfig.empty() ? InClusterConfig() : ReadKubeconfig(kubeconfig);
}

TokenSource::TokenSource(std::string fixed, std::string file, const base::Clock& clock)
    : file_(std::move(file)), clock_(clock), cached_(Cached{std::move(fixed), 0, false}) {}

std::string TokenSource::Token() {
  if (file_.empty()) return cached_.Copy().token;
  return cached_.With([&](Cached& cached) {
    int64_t now_ms = clock_.MonotonicMs();
    if (cached.fresh && now_ms - cached.read_ms < kMaxAgeMs) return cached.token;
    auto text = base::ReadFile(file_, 64 << 10);
    std::string token = text ? std::string(base::Trim(*text)) : "";
    // A missing or empty file keeps the present token, which may still be valid.
    if (!token.empty()) cached.token = token;
    if (token.empty()) base::LogWarn("token file cannot be read", {{"file", file_}});
    cached.fresh = true;
    cached.read_ms = now_ms;
    return cached.token;
  });
}

bool TokenSource::Distrust() {
  cached_.With([](Cached& cached) { cached.fresh = false; });
  return !file_.empty();
}

}  // namespace kube
