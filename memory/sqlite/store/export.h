// Walks over the rows of a file, for exports of a store and for imported files.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "lib/sql/database.h"
#include "memory/store/transfers.h"
#include "memory/volume/spool.h"

namespace memory {

// Over an uploaded database with the schema of this server, of any version.
std::shared_ptr<ExportCursor> MakeForeignCursor(std::shared_ptr<sql::Database> database);

// A token to hold while an export runs; kUnavailable: too many exports.
base::Result<std::shared_ptr<void>> AcquireExportPlace(std::shared_ptr<std::atomic<int>> running);

// Copies one snapshot of a store's file into an empty spool. kFull; kTimeout: stopped.
base::Status CopyInto(const std::string& source, Spool& spool, std::stop_token stop = {});

}  // namespace memory
