// HTTP messages as plain values, without library types. The server is server.h, the client
// client.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace http {

bool SameText(std::string_view a, std::string_view b);  // without case (ASCII)

// Header fields in order; names compare without case.
class Headers {
 public:
  void Add(std::string name, std::string value);
  void Set(std::string name, std::string value);                // replaces all of that name
  std::optional<std::string> Get(std::string_view name) const;  // the first of that name
  const std::vector<std::pair<std::string, std::string>>& all() const { return fields_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

// A request body that is read while it arrives (Route::streaming). Blocking; one reader.
class BodyReader {
 public:
  virtual ~BodyReader() = default;
  // The next bytes; empty at the end. kTooLarge, kTimeout, kUnavailable (client gone).
  virtual base::Result<std::string> Read() = 0;
};

// A response body that a handler writes piece by piece. Blocking: waits for a slow client, up to a
// limit.
class BodyWriter {
 public:
  virtual ~BodyWriter() = default;
  virtual base::Status Write(std::string_view bytes) = 0;  // kUnavailable: client gone; stop
};

struct Request {
  std::string method;                             // upper case
  std::string path;                               // raw, before percent-decoding, without the query
  std::map<std::string, std::string> parameters;  // of the route's pattern, decoded UTF-8
  std::vector<std::pair<std::string, std::string>> query;  // decoded UTF-8, in order
  Headers headers;
  std::string body;              // whole; empty when the route streams
  BodyReader* stream = nullptr;  // set when the route streams
  std::string id;                // X-Request-Id: the client's, else generated
  std::string peer;              // address of the client
  std::stop_token client_gone;   // requested when the connection closes under the handler
  std::string identity;          // of the authenticated caller; empty: anonymous
  std::shared_ptr<void> span;    // of lib/telemetry (SpanOf), which lies above this folder

  std::optional<std::string> Query(std::string_view name) const;  // the first of that name
};

struct Response {
  int status = 200;
  Headers headers;
  std::string body;
  // When set, called on the handler's thread after the head was sent (chunked); `body` is unused.
  // An error breaks the connection, so that the client sees the answer as cut off.
  std::function<base::Status(BodyWriter&)> stream;
};

Response JsonResponse(int status, const base::Json& body);
Response TextResponse(int status, std::string body, std::string content_type = "text/plain");
Response EmptyResponse(int status);
// {"error": message, "code": code name} with the status of the error's code; a 503 with
// Retry-After.
Response ErrorResponse(const base::Error& error);
int StatusOf(base::Code code);                     // the only mapping from errors to HTTP
base::Code CodeOf(int status);                     // the reverse, for clients
std::string PercentEncode(std::string_view text);  // keeps RFC 3986 unreserved characters
enum class Ending { kWhole, kCut };                // kCut: drops an incomplete last character
// kInvalid: bad escape, not UTF-8, NUL.
base::Result<std::string> PercentDecode(std::string_view text, Ending ending = Ending::kWhole);

using Handler = std::function<Response(const Request&)>;

}  // namespace http
