// What a running memory server says of itself on its admin port, and by its exit code: the contract
// between it and the operator. Pure.
#pragma once

#include <string>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace api {

inline constexpr const char* kServerReportPath = "/v1/status";  // of the admin port
// It found a database of a newer schema than it knows, changed nothing and ended.
inline constexpr int kNewerSchemaExitCode = 65;

struct ServerReport {
  std::string version;
  int64_t schema = 0;    // version of the schema that it writes
  int64_t rows = 0;      // observations of the namespaces that it has open
  int64_t bytes = 0;     // of all its database files and their logs
  bool by_keys = false;  // it may not review tokens and checks them by the cluster's published keys
  std::string error;     // why it is not ready; empty: it is
  bool operator==(const ServerReport&) const = default;
};

base::Json EncodeServerReport(const ServerReport& report);
// kInvalid, naming the field. Texts are cut: version at 64 characters, error at 1,024.
base::Result<ServerReport> DecodeServerReport(const base::Json& body);

}  // namespace api
