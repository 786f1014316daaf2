// Traces and edges as exports of this server have them. Pure.
#pragma once

#include "memory/store/traces.h"

namespace memory {

base::Json EncodeExportedTrace(const ExportedTrace& trace);
base::Json EncodeExportedEdge(const ExportedEdge& edge);
// kInvalid, kTooLarge: names the field, the limit and the value.
base::Result<ExportedTrace> DecodeExportedTrace(const base::Json& json);
base::Result<ExportedEdge> DecodeExportedEdge(const base::Json& json);

}  // namespace memory
