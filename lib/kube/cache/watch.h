// One watch request: parses the server's stream into events. reflector.h has the loop around it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "lib/kube/client/kube_client.h"

namespace kube {

// Splits a stream into lines; its pieces may end anywhere, even inside a character.
class LineSplitter {
 public:
  explicit LineSplitter(size_t max_line_bytes = 16 << 20) : max_line_bytes_(max_line_bytes) {}
  // Calls `on_line` for each complete, non-empty line, without its LF; false from `on_line` stops.
  // kTooLarge: a line over the limit.
  base::Status Append(std::string_view bytes, const std::function<bool(std::string_view)>& on_line);

 private:
  const size_t max_line_bytes_;
  std::string rest_;
};

struct WatchEvent {
  enum class Type { kAdded, kModified, kDeleted, kBookmark, kError };
  Type type;
  Json object;             // of kError: a Status
  bool ends_list = false;  // of kBookmark: the streamed list is complete
};
base::Result<WatchEvent> ParseWatchEvent(std::string_view line);

struct WatchEnd {
  enum class Reason {
    kClosed,           // by the server, at its timeout: resume from the last version
    kExpired,          // 410, as status or as event: list again
    kVersionTooLarge,  // 504: the server has older versions (restored from a backup): list again
    kIdle,             // no head or no bytes in time
    kFailed,           // anything else
  };
  Reason reason = Reason::kClosed;
  base::Error error;  // of all reasons but kClosed
};
const char* ReasonName(WatchEnd::Reason reason);  // for metrics: "closed", "expired", …

struct WatchOptions {
  Selection selection;
  std::string resource_version;
  int timeout_s = 270;                 // the server ends the stream then
  std::function<void()> on_open = {};  // the server has begun to stream; may be null
  // Begins with the present objects, one event each, instead of at a version (KEP-3157). A server
  // without streamed lists answers 422 (kInvalid).
  bool from_list = false;
};

// An open watch, until destroyed; needs no thread of its own.
class Watch {
 public:
  // `on_event` gets all but error events, with apiVersion and kind set; `on_end` runs last and
  // once, but not after the destructor. Like in http::StreamReader both run one at a time, on a
  // thread that other watches share, possibly before the constructor returns.
  Watch(KubeClient& client, const Resource& resource, WatchOptions options,
        std::function<void(WatchEvent&&)> on_event, std::function<void(WatchEnd&&)> on_end);
  ~Watch();  // ends the stream and waits for a running callback; not from a callback

 private:
  class Reader;
  std::unique_ptr<Reader> reader_;
  std::unique_ptr<http::OpenStream> stream_;  // last: calls reader_ until destroyed
};

}  // namespace kube
