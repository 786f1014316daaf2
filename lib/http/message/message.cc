// Values only; the one mapping between error codes and statuses is here.
#include "lib/http/message/message.h"

#include <strings.h>

#include <algorithm>

#include "lib/base/text/text.h"

namespace http {

namespace {

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The length of a UTF-8 character by its first byte.
size_t BytesOfCharacter(unsigned char first) {
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  return first >= 0xF0 && first <= 0xF4 ? 4 : 1;
}

// The number of bytes of an incomplete character at the end.
size_t BytesOfCutCharacter(std::string_view bytes) {
  for (size_t back = 1; back <= std::min<size_t>(3, bytes.size()); ++back) {
    const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;  // not its first byte
    return back < BytesOfCharacter(byte) ? back : 0;
  }
  return 0;
}

}  // namespace

bool SameText(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

void Headers::Add(std::string name, std::string value) {
  fields_.emplace_back(std::move(name), std::move(value));
}

void Headers::Set(std::string name, std::string value) {
  std::erase_if(fields_, [&](const auto& field) { return SameText(field.first, name); });
  Add(std::move(name), std::move(value));
}

std::optional<std::string> Headers::Get(std::string_view name) const {
  for (const auto& [field, value] : fields_) {
    if (SameText(field, name)) return value;
  }
  return std::nullopt;
}

std::optional<std::string> Request::Query(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return value;
  }
  return std::nullopt;
}

Response JsonResponse(int status, const base::Json& body) {
  return TextResponse(status, base::DumpJson(body), "application/json");
}

Response TextResponse(int status, std::string body, std::string content_type) {
  Response response;
  response.status = status;
  response.headers.Add("Content-Type", std::move(content_type));
  response.body = std::move(body);
  return response;
}

Response EmptyResponse(int status) {
  Response response;
  response.status = status;
  return response;
}

Response ErrorResponse(const base::Error& error) {
  const int status = StatusOf(error.code);
  Response response =
      JsonResponse(status, {{"error", error.message}, {"code", base::CodeName(error.code)}});
  if (status == 503) response.headers.Add("Retry-After", "1");
  return response;
}

int StatusOf(base::Code code) {
  switch (code) {
    case base::Code::kInvalid:
      return 400;
    case base::Code::kNotFound:
      return 404;
    case base::Code::kDenied:
      return 403;
    case base::Code::kConflict:
      return 409;
    case base::Code::kTooLarge:
      return 413;
    case base::Code::kFull:
      return 507;
    case base::Code::kUnavailable:
      return 503;
    case base::Code::kTimeout:
      return 504;
    case base::Code::kInternal:
      return 500;
  }
  return 500;
}

base::Code CodeOf(int status) {
  switch (status) {
    case 401:
    case 403:
      return base::Code::kDenied;
    case 404:
    case 410:
      return base::Code::kNotFound;
    case 409:
    case 412:
      return base::Code::kConflict;
    case 413:
    case 414:
    case 431:
      return base::Code::kTooLarge;
    case 408:
    case 504:
      return base::Code::kTimeout;
    case 429:
    case 502:
    case 503:
      return base::Code::kUnavailable;
    case 507:
      return base::Code::kFull;
    case 501:
    case 505:
      return base::Code::kInvalid;
    default:
      return status >= 500 ? base::Code::kInternal : base::Code::kInvalid;
  }
}

std::string PercentEncode(std::string_view text) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (IsUnreserved(c)) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kDigits[byte >> 4];
    encoded += kDigits[byte & 15];
  }
  return encoded;
}

base::Result<std::string> PercentDecode(std::string_view text, Ending ending) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const int high = i + 1 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return base::Error{base::Code::kInvalid, "a % that no two hex digits follow"};
    }
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  if (decoded.find('\0') != std::string::npos) {
    return base::Error{base::Code::kInvalid, "a NUL character"};
  }
  if (ending == Ending::kCut) decoded.resize(decoded.size() - BytesOfCutCharacter(decoded));
  if (!base::IsUtf8(decoded)) return base::Error{base::Code::kInvalid, "bytes that are not UTF-8"};
  return decoded;
}

}  // namespace http
