// The files of a data directory during a move.
#pragma once

#include <string>
#include <vector>

#include "lib/base/process/clock.h"
#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace memory {

std::string FileOfTenant(const std::string& directory, const std::string& tenant);
base::Result<std::vector<std::string>> TenantsOfFiles(const std::string& directory);  // by name
// names.json has the tenant durably.
base::Status NameTenant(const std::string& directory, const std::string& tenant);
// moved.json has it: the database has what was in its file.
base::Status NoteMoved(const std::string& directory, const std::string& tenant);
// False: every tenant with a file is in moved.json.
bool AnyUnmoved(const std::string& directory);

// Finishes what the program has left to do in a file, as migrating it and cutting its words anew,
// and closes it. kInvalid: a newer program wrote it.
base::Status FinishFile(const std::string& path, const base::Clock& clock);
base::Result<sqlite::Database> OpenFinished(const std::string& path);  // to read

// A file under another name, for a tenant's rows.
base::Result<sqlite::Database> MakeBeside(const std::string& path);
// In the transaction that filled it: its checksums and its full-text index.
base::Status CompleteRows(sqlite::Database& database);
// Checks the file, closes it and syncs it.
base::Status CloseBeside(sqlite::Database database, const std::string& path);
base::Status PutInPlace(const std::string& path);  // under its own name, durably

}  // namespace memory
