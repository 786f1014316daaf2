// The routes of episodes.
#pragma once

#include "memory/api/handlers.h"

namespace memory {

http::Response StoreEpisode(const Api& api, const http::Request& request);
http::Response SearchEpisodes(const Api& api, const http::Request& request);
http::Response GetEpisodes(const Api& api, const http::Request& request);  // of one conversation

}  // namespace memory
