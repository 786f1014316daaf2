// Walking over the rows of a file, for exports of a store and for files that are imported.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "lib/sqlite/database.h"
#include "memory/store/transfers.h"
#include "memory/volume/spool.h"

namespace memory {

// Over a database of our schema, from the first version on, that was not a store's here.
std::shared_ptr<ExportCursor> MakeForeignCursor(sqlite::Database database);

// Held as long as an export runs; kUnavailable when there are too many.
base::Result<std::shared_ptr<void>> TakeExportPlace(std::shared_ptr<std::atomic<int>> running);

// The file of a store as it is at one moment, into an empty spool. kFull; kTimeout: stopped.
base::Status CopyInto(const std::string& source, Spool& spool, std::stop_token stop = {});

}  // namespace memory
