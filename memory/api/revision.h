// Revisions of an observation as JSON, for their route and for exports. Pure.
#pragma once

#include "lib/base/json/json.h"
#include "memory/store/transfers.h"

namespace memory {

base::Json EncodeRevision(const Revision& revision);
base::Json EncodeRow(const ExportedRow& row);  // an observation with its revisions, if any
// Of an export; kInvalid names the field.
base::Result<ExportedRow> DecodeRow(const base::Json& json);
base::Result<Revision> DecodeRevision(const base::Json& json);

}  // namespace memory
