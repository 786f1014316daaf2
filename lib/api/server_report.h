// The report of a running memory server on its admin port, and its exit code: the interface to the
// operator. Pure.
#pragma once

#include <string>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace api {

inline constexpr const char* kServerReportPath = "/v1/status";  // of the admin port
// The server found a database with a newer schema than it knows, changed nothing and ended.
inline constexpr int kNewerSchemaExitCode = 65;

struct ServerReport {
  std::string version;
  int64_t schema = 0;    // version of the schema that it writes
  int64_t rows = 0;      // observations of the namespaces that it has open
  int64_t bytes = 0;     // of all its database files and their WALs
  bool by_keys = false;  // it may not create TokenReviews: uses the cluster's published keys
  std::string error;     // the reason why it is not ready; empty: ready
  bool operator==(const ServerReport&) const = default;
};

base::Json EncodeServerReport(const ServerReport& report);
// kInvalid names the field. Cuts version at 64 characters, error at 1,024.
base::Result<ServerReport> DecodeServerReport(const base::Json& body);

}  // namespace api
