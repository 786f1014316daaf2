// A cursor is a number or a word, a dot, and an id.
#include "memory/api/page_cursor.h"

#include <charconv>

#include "lib/base/text/text.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;

namespace {

std::optional<int64_t> CursorNumber(std::string_view text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

struct Halves {
  std::string first, second;  // around the first point
};

std::optional<Halves> HalvesOf(const std::string& text) {
  const size_t point = text.find('.');
  if (point == std::string::npos || point + 1 == text.size()) return std::nullopt;
  return Halves{text.substr(0, point), text.substr(point + 1)};
}

Error NoCursor(const std::string& text) {
  return Error{Code::kInvalid, "cursor is none of this list: \"" + base::Ellipsize(text, 40) +
                                   "\"; take it from X-Next-Cursor as it is, or leave it out to "
                                   "begin again"};
}

}  // namespace

std::string CursorAfter(const api::Observation& row) {
  return std::to_string(row.updated_ms) + "." + std::to_string(row.id);
}

std::string CursorAfter(const api::Session& row) {
  return std::to_string(row.started_ms) + "." + http::PercentEncode(row.id);
}

Result<std::optional<RowKey>> RowCursor(const http::Request& request) {
  const std::optional<std::string> text = request.Query("cursor");
  if (!text) return std::optional<RowKey>();
  const auto halves = HalvesOf(*text);
  const auto ms = halves ? CursorNumber(halves->first) : std::nullopt;
  const auto id = halves ? CursorNumber(halves->second) : std::nullopt;
  if (!ms || !id || *id <= 0) return NoCursor(*text);
  return std::optional<RowKey>(RowKey{*ms, *id});
}

Result<SessionKey> SessionCursor(const http::Request& request) {
  const std::optional<std::string> text = request.Query("cursor");
  if (!text) return SessionKey();
  const auto halves = HalvesOf(*text);
  const auto ms = halves ? CursorNumber(halves->first) : std::nullopt;
  if (!ms) return NoCursor(*text);
  const Result<std::string> id = http::PercentDecode(halves->second);
  if (!id || id->empty()) return NoCursor(*text);
  return SessionKey{*ms, *id};
}

std::string CursorOf(const TimelineKey& key) {
  return (key.later ? "after." : "before.") + std::to_string(key.id);
}

Result<std::optional<TimelineKey>> TimelineCursor(const http::Request& request) {
  const std::optional<std::string> text = request.Query("cursor");
  if (!text) return std::optional<TimelineKey>();
  const auto halves = HalvesOf(*text);
  const auto id = halves ? CursorNumber(halves->second) : std::nullopt;
  if (!id || *id <= 0 || (halves->first != "after" && halves->first != "before"))
    return NoCursor(*text);
  return std::optional<TimelineKey>(TimelineKey{halves->first == "after", *id});
}

}  // namespace memory
