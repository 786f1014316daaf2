// The routes of traces.
#pragma once

#include "memory/api/handlers.h"

namespace memory {

http::Response PostTrace(const Api& api, const http::Request& request);
http::Response GetTrace(const Api& api, const http::Request& request);
http::Response PatchTrace(const Api& api, const http::Request& request);
http::Response DeleteTrace(const Api& api, const http::Request& request);
http::Response MergeTraces(const Api& api, const http::Request& request);
http::Response UnmergeTrace(const Api& api, const http::Request& request);
http::Response SearchTraces(const Api& api, const http::Request& request);
// GET /context: with `due=N` also what is due, in the same answer.
http::Response ContextWithDue(const Api& api, const http::Request& request);
http::Response DueTraces(const Api& api, const http::Request& request);
http::Response ReflectTraces(const Api& api, const http::Request& request);
http::Response ReflectRuns(const Api& api, const http::Request& request);
http::Response UndoReflectRun(const Api& api, const http::Request& request);
http::Response OriginalOfTrace(const Api& api, const http::Request& request);
http::Response PutEdge(const Api& api, const http::Request& request);
http::Response DeleteEdge(const Api& api, const http::Request& request);

}  // namespace memory
