// Parses a request head line by line and refuses ambiguous ones: bare CR or LF, NUL, folded lines,
// a blank before the colon, two lengths, a length with a transfer coding, unknown codings and
// versions.
#include "lib/http/server/head.h"

#include <strings.h>

#include <algorithm>
#include <array>
#include <random>

#include "lib/base/text/text.h"

namespace http {

namespace {

using Check = std::optional<Refusal>;

// Room for a search text of 10 kB, and for some fields in a head of 16 KiB.
constexpr size_t kMaxTargetBytes = 15 << 10;
constexpr size_t kMaxLengthDigits = 18;  // fit in 64 bits

bool SameText(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

// RFC 9110 §5.6.2
bool IsTokenCharacter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         (c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos);
}

bool IsToken(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, IsTokenCharacter);
}

bool IsVisible(char c) { return c > ' ' && c < 0x7f; }

// Whether CR and LF occur only as CRLF, and no other control character except TAB.
bool HasCleanBytes(std::string_view raw) {
  for (size_t i = 0; i < raw.size(); ++i) {
    const auto c = static_cast<unsigned char>(raw[i]);
    if (c >= ' ' && c != 0x7f) continue;
    if (c == '\t') continue;
    if (c == '\r' && i + 1 < raw.size() && raw[i + 1] == '\n') {
      ++i;
      continue;
    }
    return false;
  }
  return true;
}

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

Check ReadField(std::string_view line, Headers& headers) {
  if (line.front() == ' ' || line.front() == '\t') return Refusal{400, "a folded header line"};
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return Refusal{400, "a header line without a colon"};
  if (!IsToken(line.substr(0, colon))) return Refusal{400, "malformed header name"};
  std::string_view value = line.substr(colon + 1);
  while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
  while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
  headers.Add(std::string(line.substr(0, colon)), std::string(value));
  return std::nullopt;
}

Check ReadLength(const std::string& value, RequestHead& head) {
  const bool digits =
      !value.empty() && std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) return Refusal{400, "malformed Content-Length"};
  if (value.size() > kMaxLengthDigits) return Refusal{413, "the announced body is too large"};
  head.content_length = std::stoull(value);
  return std::nullopt;
}

void ReadConnection(const std::string& value, bool& close, bool& keep) {
  for (const std::string& option : base::Split(value, ',')) {
    close |= SameText(base::Trim(option), "close");
    keep |= SameText(base::Trim(option), "keep-alive");
  }
}

// The numbers of framing fields, and the options of Connection.
struct Framing {
  int hosts = 0, lengths = 0, codings = 0;
  bool close = false, keep = false;
};

Check ReadFramingField(const std::string& name, const std::string& value, RequestHead& head,
                       Framing& framing) {
  if (SameText(name, "Host")) {
    ++framing.hosts;
    if (!IsAuthority(value)) return Refusal{400, "malformed Host"};
  } else if (SameText(name, "Content-Length")) {
    ++framing.lengths;
    return ReadLength(value, head);
  } else if (SameText(name, "Transfer-Encoding")) {
    ++framing.codings;
    if (!SameText(value, "chunked")) return Refusal{501, "the only transfer coding is chunked"};
    head.chunked = true;
  } else if (SameText(name, "Connection")) {
    ReadConnection(value, framing.close, framing.keep);
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
  head.keep_alive = !framing.close && (!head.http_1_0 || framing.keep);
  return std::nullopt;
}

}  // namespace

std::variant<RequestHead, Refusal> ReadHead(std::string_view raw, size_t max_fields) {
  if (!HasCleanBytes(raw)) return Refusal{400, "a control character in the head"};
  RequestHead head;
  std::string authority;
  const size_t line_end = raw.find("\r\n");
  if (auto refusal = ReadRequestLine(raw.substr(0, line_end), head, authority)) return *refusal;
  size_t fields = 0;
  for (size_t begin = line_end + 2; begin + 2 < raw.size();) {
    const size_t end = raw.find("\r\n", begin);
    if (++fields > max_fields) return Refusal{431, "too many header fields"};
    if (auto refusal = ReadField(raw.substr(begin, end - begin), head.headers)) return *refusal;
    begin = end + 2;
  }
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
