// Parses a watch stream: pieces to lines, lines to events, and its end to one reason.
#include "lib/kube/cache/watch.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace kube {

namespace {

WatchEnd::Reason ReasonOfStatus(int code) {
  if (code == 410) return WatchEnd::Reason::kExpired;
  if (code == 504) return WatchEnd::Reason::kVersionTooLarge;
  return WatchEnd::Reason::kFailed;
}

int CodeOfStatus(const Json& status) {
  const Json* code = base::At(status, {"code"});
  return code && code->is_number_integer() ? code->get<int>() : 0;
}

http::ClientRequest RequestOf(const Resource& resource, const WatchOptions& options) {
  std::string query = QueryOf(options.selection);
  if (!query.empty()) query += "&";
  query += "watch=true&allowWatchBookmarks=true";
  query += options.from_list ? "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                             : "&resourceVersion=" + http::PercentEncode(options.resource_version);
  query += "&timeoutSeconds=" + std::to_string(options.timeout_s);
  http::ClientRequest request;
  request.target = CollectionPath(resource, options.selection.name_space) + "?" + query;
  request.headers.Set("Accept", options.selection.metadata_only
                                    ? "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
                                    : "application/json");
  // Limits the wait for the head; after it only silence ends the stream on the client's side.
  request.timeout_ms = int64_t{options.timeout_s + 60} * 1000;
  return request;
}

}  // namespace

base::Status LineSplitter::Append(std::string_view bytes,
                                  const std::function<bool(std::string_view)>& on_line) {
  while (!bytes.empty()) {
    size_t end = bytes.find('\n');
    std::string_view piece = bytes.substr(0, end);
    if (rest_.size() + piece.size() > max_line_bytes_) {
      return base::Error{base::Code::kTooLarge,
                         "a line over " + std::to_string(max_line_bytes_) + " bytes"};
    }
    if (end == std::string_view::npos) {
      rest_.append(piece);
      return {};
    }
    bytes.remove_prefix(end + 1);
    std::string whole;
    if (!rest_.empty()) {
      whole = std::exchange(rest_, {}).append(piece);
      piece = whole;
    }
    if (!piece.empty() && !on_line(piece)) return {};
  }
  return {};
}

base::Result<WatchEvent> ParseWatchEvent(std::string_view line) {
  static const std::map<std::string, WatchEvent::Type> kTypes{
      {"ADDED", WatchEvent::Type::kAdded},
      {"MODIFIED", WatchEvent::Type::kModified},
      {"DELETED", WatchEvent::Type::kDeleted},
      {"BOOKMARK", WatchEvent::Type::kBookmark},
      {"ERROR", WatchEvent::Type::kError}};
  Json event = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  auto type = kTypes.find(base::StringAt(event, {"type"}));
  if (type == kTypes.end() || !event.contains("object") || !event["object"].is_object()) {
    return base::Error{base::Code::kInternal,
                       "not a watch event: a line of " + std::to_string(line.size()) + " bytes"};
  }
  WatchEvent parsed{type->second, std::move(event["object"])};
  parsed.ends_list = parsed.type == WatchEvent::Type::kBookmark &&
                     base::StringAt(parsed.object, {"metadata", "annotations",
                                                    "k8s.io/initial-events-end"}) == "true";
  return parsed;
}

const char* ReasonName(WatchEnd::Reason reason) {
  switch (reason) {
    case WatchEnd::Reason::kClosed:
      return "closed";
    case WatchEnd::Reason::kExpired:
      return "expired";
    case WatchEnd::Reason::kVersionTooLarge:
      return "version_too_large";
    case WatchEnd::Reason::kIdle:
      return "idle";
    case WatchEnd::Reason::kFailed:
      return "failed";
  }
  return "failed";
}

// Handles the head, bytes and end of the stream.
class Watch::Reader {
 public:
  Reader(KubeClient& client, const Resource& resource, WatchOptions options,
         std::function<void(WatchEvent&&)> on_event, std::function<void(WatchEnd&&)> on_end)
      : client_(client),
        resource_(resource),
        options_(std::move(options)),
        on_event_(std::move(on_event)),
        on_end_(std::move(on_end)),
        what_("WATCH " + CollectionPath(resource_, options_.selection.name_space)) {}

  std::unique_ptr<http::OpenStream> Open() {
    http::StreamReader reader;
    reader.on_head = [this](const http::Response& head) { return OnHead(head); };
    reader.on_bytes = [this](std::string_view bytes) { return OnBytes(bytes); };
    reader.on_end = [this](const base::Status& status) { on_end_(EndOf(status)); };
    return client_.http().Open(RequestOf(resource_, options_), std::move(reader));
  }

 private:
  WatchEnd EndOf(const base::Status& status) {
    if (refused_) return {ReasonOfStatus(head_.status), ErrorOf(head_, what_)};
    if (end_) return *std::move(end_);
    if (status) return {};
    auto reason = status.error().code == base::Code::kTimeout ? WatchEnd::Reason::kIdle
                                                              : WatchEnd::Reason::kFailed;
    return {reason, base::Wrap(what_, status.error())};
  }

  bool OnHead(const http::Response& head) {
    client_.Inspect("WATCH", CollectionPath(resource_, {}), head, 0);
    head_ = head;
    refused_ = head.status != 200;
    if (!refused_ && options_.on_open) options_.on_open();
    return true;
  }

  bool OnBytes(std::string_view bytes) {
    if (refused_) {  // the body is a Status, which is small
      head_.body.append(
          bytes.substr(0, (16 << 10) - std::min<size_t>(head_.body.size(), 16 << 10)));
      return true;
    }
    auto status = lines_.Append(bytes, [this](std::string_view line) { return OnLine(line); });
    if (!status) end_ = WatchEnd{WatchEnd::Reason::kFailed, base::Wrap(what_, status.error())};
    return !end_;
  }

  bool OnLine(std::string_view line) {
    auto event = ParseWatchEvent(line);
    if (!event) {
      end_ = WatchEnd{WatchEnd::Reason::kFailed, base::Wrap(what_, event.error())};
      return false;
    }
    if (event->type == WatchEvent::Type::kError) {
      int code = CodeOfStatus(event->object);
      end_ =
          WatchEnd{ReasonOfStatus(code),
                   {http::CodeOf(code), what_ + ": " + base::StringAt(event->object, {"message"})}};
      return false;
    }
    event->object["apiVersion"] = resource_.ApiVersion();
    event->object["kind"] = resource_.kind;
    on_event_(*std::move(event));
    return true;
  }

  KubeClient& client_;
  const Resource resource_;
  const WatchOptions options_;
  const std::function<void(WatchEvent&&)> on_event_;
  const std::function<void(WatchEnd&&)> on_end_;
  const std::string what_;
  LineSplitter lines_;
  http::Response head_;
  bool refused_ = false;
  std::optional<WatchEnd> end_;
};

Watch::Watch(KubeClient& client, const Resource& resource, WatchOptions options,
             std::function<void(WatchEvent&&)> on_event, std::function<void(WatchEnd&&)> on_end)
    : reader_(std::make_unique<Reader>(client, resource, std::move(options), std::move(on_event),
                                       std::move(on_end))),
      stream_(reader_->Open()) {}

Watch::~Watch() = default;

}  // namespace kube
