// The parameter `cursor` of lists: made from the last row of a page, opaque to clients. A malformed
// cursor is kInvalid. Pure.
#pragma once

#include <string>

#include "lib/http/message/message.h"
#include "memory/store/reads.h"

namespace memory {

std::string CursorAfter(const api::Observation& row);  // for a list by recency
std::string CursorAfter(const api::Session& row);

// Absent: nullopt, {}: the list begins with the newest.
base::Result<std::optional<RowKey>> RowCursor(const http::Request& request);
base::Result<SessionKey> SessionCursor(const http::Request& request);

// The cursor of a timeline, which continues on both sides.
struct TimelineKey {
  bool later = true;
  int64_t id = 0;  // the row to continue from
};
std::string CursorOf(const TimelineKey& key);
base::Result<std::optional<TimelineKey>> TimelineCursor(const http::Request& request);

}  // namespace memory
