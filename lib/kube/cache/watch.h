// One watch request: the server's stream of events, taken apart. Not the loop around it:
// reflector.h.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "lib/kube/client/kube_client.h"

namespace kube {

// Cuts a stream into lines, however it arrives: a piece may end anywhere, inside a character too.
class LineSplitter {
 public:
  explicit LineSplitter(size_t max_line_bytes = 16 << 20) : max_line_bytes_(max_line_bytes) {}
  // Calls `on_line` for each whole line, without its end; false from it ends. kTooLarge: a line
  // over the limit. Empty lines are left out.
  base::Status Append(std::string_view bytes, const std::function<bool(std::string_view)>& on_line);

 private:
  const size_t max_line_bytes_;
  std::string rest_;
};

struct WatchEvent {
  enum class Type { kAdded, kModified, kDeleted, kBookmark, kError };
  Type type;
  Json object;             // of kError: a Status
  bool ends_list = false;  // of kBookmark: the list that the watch began with is whole
};
base::Result<WatchEvent> ParseWatchEvent(std::string_view line);

struct WatchEnd {
  enum class Reason {
    kClosed,           // by the server at its time-out, or by us: go on from the last version
    kExpired,          // 410, as status or as event: list again
    kVersionTooLarge,  // 504: the server is behind us (restored from a backup): list again
    kIdle,             // nothing came for too long
    kFailed,           // anything else
  };
  Reason reason = Reason::kClosed;
  base::Error error;  // of all but kClosed
};
const char* ReasonName(WatchEnd::Reason reason);  // for metrics: "closed", "expired", …

struct WatchOptions {
  Selection selection;
  std::string resource_version;
  int timeout_s = 270;                 // the server ends the stream then
  std::function<void()> on_open = {};  // the server has begun to stream; may be null
  // Begin with what there is, one event an object, instead of from a version (KEP-3157). A server
  // that does not do so answers 422 (kInvalid).
  bool from_list = false;
};

// A watch while it is not destroyed; holds no thread.
class Watch {
 public:
  // `on_event` gets all but error events, with apiVersion and kind set; then `on_end`, last and
  // once. As with http::StreamReader they run one at a time, where other watches wait for them,
  // never before this returns and never after the destructor.
  Watch(KubeClient& client, const Resource& resource, WatchOptions options,
        std::function<void(WatchEvent&&)> on_event, std::function<void(WatchEnd&&)> on_end);
  ~Watch();  // ends it, waits for what just runs; not by it

 private:
  class Reader;
  std::unique_ptr<Reader> reader_;
  std::unique_ptr<http::OpenStream> stream_;  // last: tells the reader
};

}  // namespace kube
