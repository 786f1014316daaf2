// Writes heads of answers: status line, the handler's sanitized fields, the server's own fields.
#include "lib/http/server/reply.h"

#include <strings.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace http {

namespace {

std::string_view ReasonPhrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    case 507:
      return "Insufficient Storage";
    default:
      return "Status";
  }
}

bool IsOurs(const std::string& name) {
  static constexpr std::array kOurs = {
      "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Date", "X-Request-Id"};
  return std::ranges::any_of(kOurs,
                             [&](const char* ours) { return strcasecmp(ours, name.c_str()) == 0; });
}

bool IsFieldName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
  });
}

void AppendField(std::string& head, std::string_view name, std::string_view value) {
  head.append(name).append(": ");
  for (const char c : value) head += c == '\r' || c == '\n' || c == '\0' ? ' ' : c;
  head.append("\r\n");
}

void AppendNumber(std::string& text, size_t number, int base = 10) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number, base).ptr;
  text.append(digits, end);
}

// IMF-fixdate (RFC 9110 §5.6.7), formatted at most once per second and thread.
const std::string& HttpDate() {
  thread_local time_t made_at = 0;
  thread_local std::string text;
  const time_t now = ::time(nullptr);
  if (now != made_at) {
    tm parts{};
    ::gmtime_r(&now, &parts);
    char buffer[40];
    text.assign(buffer, ::strftime(buffer, sizeof buffer, "%a, %d %b %Y %H:%M:%S GMT", &parts));
    made_at = now;
  }
  return text;
}

void AppendFraming(std::string& head, const Response& response, const ReplyShape& shape) {
  const bool bodiless = response.status == 204 || response.status == 304 || response.status < 200;
  const bool counted = shape.framing == BodyFraming::kCounted ||
                       (shape.framing == BodyFraming::kHeadOnly && !response.stream);
  if (counted && !bodiless) {
    head.append("Content-Length: ");
    AppendNumber(head, response.body.size());
    head.append("\r\n");
  }
  if (shape.framing == BodyFraming::kChunked) head.append("Transfer-Encoding: chunked\r\n");
  if (!shape.keep_alive) {
    head.append("Connection: close\r\n");
  } else if (shape.http_1_0) {
    head.append("Connection: keep-alive\r\n");
  }
}

}  // namespace

std::string ReplyHead(const Response& response, std::string_view request_id,
                      const ReplyShape& shape) {
  std::string head;
  head.reserve(256);
  head.append("HTTP/1.1 ");
  AppendNumber(head, static_cast<size_t>(response.status));
  head.append(" ").append(ReasonPhrase(response.status)).append("\r\n");
  for (const auto& [name, value] : response.headers.all()) {
    if (IsFieldName(name) && !IsOurs(name)) AppendField(head, name, value);
  }
  AppendField(head, "Date", HttpDate());
  AppendField(head, "X-Request-Id", request_id);
  AppendFraming(head, response, shape);
  head.append("\r\n");
  return head;
}

Response RefusalResponse(int status, const std::string& reason) {
  Response response =
      JsonResponse(status, {{"error", reason}, {"code", base::CodeName(CodeOf(status))}});
  if (status == 503) response.headers.Add("Retry-After", "1");
  return response;
}

std::string ChunkHead(size_t bytes) {
  std::string head;
  AppendNumber(head, bytes, 16);
  head.append("\r\n");
  return head;
}

}  // namespace http
