// The database of a move: what copying needs of an engine that several replicas share. A build may
// leave it out: memory/engines/postgres defines OpenSharedDatabase, or memory/engines/left_out.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/sql/database.h"

namespace memory {

// A tenant whose writers are refused (503) until the destructor. The end of the process, or of its
// connection, ends that too.
class HeldTenant {
 public:
  virtual ~HeldTenant() = default;
  // `read` in one snapshot of the tenant's rows.
  virtual base::Status Read(const std::function<base::Status(sql::Database&)>& read) = 0;
  virtual base::Status StillHeld() = 0;  // no writer came in between
};

class SharedDatabase {
 public:
  virtual ~SharedDatabase() = default;
  virtual base::Result<std::vector<std::string>> Tenants() = 0;  // by name
  // kNotFound: there is no such tenant. kUnavailable: another move has it.
  virtual base::Result<std::unique_ptr<HeldTenant>> Hold(const std::string& tenant) = 0;
  // `fill` in one transaction that locks the tenant, which is made if it is not there; triggers
  // count nothing in it. `mark`: that of an earlier call, "" before the first. The transaction is
  // kept, with the mark that `fill` returns; without a mark, or after an error, nothing of it is.
  using Filling = std::function<base::Result<std::optional<std::string>>(sql::Database&,
                                                                         const std::string& mark)>;
  virtual base::Status Fill(const std::string& tenant, const Filling& fill) = 0;
};

// Makes or migrates the schema. kInvalid: the build has no such engine, or the address is wrong;
// kUnavailable: the server is away.
base::Result<std::unique_ptr<SharedDatabase>> OpenSharedDatabase(const std::string& dsn_file);

}  // namespace memory
