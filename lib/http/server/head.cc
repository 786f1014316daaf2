// Parses a request head line by line and refuses ambiguous ones: two lengths, a length with a
// transfer coding, unknown codings and versions, and what fields.h refuses.
#include "lib/http/server/head.h"

#include <algorithm>
#include <array>
#include <random>

#include "lib/base/text/text.h"

namespace http {

namespace {

using Check = std::optional<Refusal>;

// Room for a search text of 10 kB, and for some fields in a head of 16 KiB.
constexpr size_t kMaxTargetBytes = 15 << 10;

bool IsVisible(char c) { return c > ' ' && c < 0x7f; }

Check ReadMethod(std::string_view method, RequestHead& head) {
  static constexpr std::array kServed = {"GET",   "HEAD",   "POST",   "PUT",
                                         "PATCH", "DELETE", "OPTIONS"};
  if (!IsToken(method)) return Refusal{400, "the method is not a token"};
  if (std::ranges::count(kServed, method) == 0)
    return Refusal{501, "unknown method"};  // TRACE and CONNECT too
  head.method = method;
  return std::nullopt;
}

Check ReadVersion(std::string_view version, RequestHead& head) {
  const bool well_formed = version.size() == 8 && version.starts_with("HTTP/") &&
                           std::isdigit(static_cast<unsigned char>(version[5])) &&
                           version[6] == '.' &&
                           std::isdigit(static_cast<unsigned char>(version[7]));
  if (!well_formed) return Refusal{400, "malformed HTTP version"};
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return Refusal{505, "only HTTP/1.0 and HTTP/1.1 are spoken here"};
  }
  head.http_1_0 = version == "HTTP/1.0";
  return std::nullopt;
}

// Whether the text is an authority for Host: no user, no path, no blanks, not empty.
bool IsAuthority(std::string_view authority) {
  return !authority.empty() && std::ranges::all_of(authority, [](char c) {
    return IsVisible(c) && std::string_view("/\\@,?#\"<>").find(c) == std::string_view::npos;
  });
}

// Origin form, absolute form (RFC 9112 §3.2.2: its authority replaces Host), or "*" for OPTIONS.
Check ReadTarget(std::string_view target, RequestHead& head, std::string& authority) {
  if (target.size() > kMaxTargetBytes) return Refusal{414, "the request target is too long"};
  if (target.empty() || !std::ranges::all_of(target, IsVisible)) {
    return Refusal{400, "malformed request target"};
  }
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!SameText(target.substr(0, scheme.size()), scheme)) continue;
    target.remove_prefix(scheme.size());
    const size_t end = std::min(target.find_first_of("/?"), target.size());
    authority = target.substr(0, end);
    if (!IsAuthority(authority)) return Refusal{400, "malformed authority in the request target"};
    target.remove_prefix(end);
    if (target.empty()) target = "/";
    break;
  }
  if (target == "*" && head.method == "OPTIONS") {
    head.path = "*";
    return std::nullopt;
  }
  if (target.front() != '/' || target.find('#') != std::string_view::npos) {
    return Refusal{400, "malformed request target"};
  }
  const size_t question = std::min(target.find('?'), target.size());
  head.path = target.substr(0, question);
  if (question < target.size()) head.query = target.substr(question + 1);
  return std::nullopt;
}

Check ReadRequestLine(std::string_view line, RequestHead& head, std::string& authority) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    return Refusal{400, "malformed request line"};
  }
  if (auto refusal = ReadVersion(line.substr(last + 1), head)) return refusal;
  if (auto refusal = ReadMethod(line.substr(0, first), head)) return refusal;
  return ReadTarget(line.substr(first + 1, last - first - 1), head, authority);
}

// The numbers of framing fields, and the options of Connection.
struct Framing {
  int hosts = 0, lengths = 0, codings = 0;
  ConnectionOptions connection;
};

Check ReadFramingField(const std::string& name, const std::string& value, RequestHead& head,
                       Framing& framing) {
  if (SameText(name, "Host")) {
    ++framing.hosts;
    if (!IsAuthority(value)) return Refusal{400, "malformed Host"};
  } else if (SameText(name, "Content-Length")) {
    ++framing.lengths;
    return ReadLength(value, head.content_length);
  } else if (SameText(name, "Transfer-Encoding")) {
    ++framing.codings;
    if (!SameText(value, "chunked")) return Refusal{501, "the only transfer coding is chunked"};
    head.chunked = true;
  } else if (SameText(name, "Connection")) {
    ReadConnection(value, framing.connection);
  } else if (SameText(name, "Expect")) {
    if (!SameText(value, "100-continue")) return Refusal{417, "unknown expectation"};
    head.expects_continue = !head.http_1_0;
  } else if (SameText(name, "Content-Encoding") && !SameText(value, "identity")) {
    return Refusal{415, "bodies are not accepted compressed"};
  }
  return std::nullopt;
}

Check CheckFraming(RequestHead& head) {
  Framing framing;
  for (const auto& [name, value] : head.headers.all()) {
    if (auto refusal = ReadFramingField(name, value, head, framing)) return refusal;
  }
  if (framing.hosts > 1 || (framing.hosts == 0 && !head.http_1_0)) {
    return Refusal{400, "exactly one Host is required"};
  }
  if (framing.lengths > 1) return Refusal{400, "more than one Content-Length"};
  if (framing.codings > 1) return Refusal{400, "more than one Transfer-Encoding"};
  if (framing.codings > 0 && framing.lengths > 0) {
    return Refusal{400, "Content-Length beside Transfer-Encoding"};
  }
  if (framing.codings > 0 && head.http_1_0) return Refusal{400, "Transfer-Encoding in HTTP/1.0"};
  head.keep_alive = !framing.connection.close && (!head.http_1_0 || framing.connection.keep);
  return std::nullopt;
}

}  // namespace

std::variant<RequestHead, Refusal> ReadHead(std::string_view raw, size_t max_fields) {
  if (!HasCleanBytes(raw)) return Refusal{400, "a control character in the head"};
  RequestHead head;
  std::string authority;
  const size_t line_end = raw.find("\r\n");
  if (auto refusal = ReadRequestLine(raw.substr(0, line_end), head, authority)) return *refusal;
  if (auto refusal = ReadFields(raw, line_end + 2, max_fields, head.headers)) return *refusal;
  if (auto refusal = CheckFraming(head)) return *refusal;
  if (!authority.empty()) head.headers.Set("Host", authority);
  return head;
}

std::string RequestId(const Headers& headers) {
  if (auto given = headers.Get("X-Request-Id")) {
    const bool fits =
        !given->empty() && given->size() <= 128 && std::ranges::all_of(*given, [](char c) {
          return std::isalnum(static_cast<unsigned char>(c)) ||
                 (c != '\0' && std::string_view("._:/+=@-").find(c) != std::string_view::npos);
        });
    if (fits) return *given;
  }
  // Unique, not secret: a seeded generator per thread saves a system call per request.
  thread_local std::mt19937_64 random{std::random_device{}()};
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string id(16, '0');
  uint64_t bits = random();
  for (char& digit : id) {
    digit = kDigits[bits & 15];
    bits >>= 4;
  }
  return id;
}

}  // namespace http
