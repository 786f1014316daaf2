// The routes of items.
#pragma once

#include "memory/api/handlers.h"

namespace memory {

http::Response PutItem(const Api& api, const http::Request& request);
http::Response GetItem(const Api& api, const http::Request& request);
http::Response PatchItem(const Api& api, const http::Request& request);
http::Response DeleteItem(const Api& api, const http::Request& request);
http::Response FindItems(const Api& api, const http::Request& request);
http::Response RenderFoundItems(const Api& api, const http::Request& request);
http::Response ConsiderItem(const Api& api, const http::Request& request);

}  // namespace memory
