// Refuses field lines that two parsers could read differently: bare CR or LF, NUL, folded lines, a
// blank before the colon.
#include "lib/http/message/fields.h"

#include <algorithm>

#include "lib/base/text/text.h"

namespace http {

namespace {

constexpr size_t kMaxLengthDigits = 18;  // fit in 64 bits

bool IsTokenCharacter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         (c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos);
}

std::optional<Refusal> ReadField(std::string_view line, Headers& headers) {
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

}  // namespace

bool IsToken(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, IsTokenCharacter);
}

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

std::optional<Refusal> ReadFields(std::string_view raw, size_t begin, size_t max_fields,
                                  Headers& headers) {
  for (size_t fields = 0; begin + 2 < raw.size();) {
    const size_t end = raw.find("\r\n", begin);
    if (++fields > max_fields) return Refusal{431, "too many header fields"};
    if (auto refusal = ReadField(raw.substr(begin, end - begin), headers)) return refusal;
    begin = end + 2;
  }
  return std::nullopt;
}

std::optional<Refusal> ReadLength(const std::string& value, uint64_t& length) {
  const bool digits =
      !value.empty() && std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) return Refusal{400, "malformed Content-Length"};
  if (value.size() > kMaxLengthDigits) return Refusal{413, "the announced body is too large"};
  length = std::stoull(value);
  return std::nullopt;
}

void ReadConnection(const std::string& value, ConnectionOptions& options) {
  for (const std::string& option : base::Split(value, ',')) {
    options.close |= SameText(base::Trim(option), "close");
    options.keep |= SameText(base::Trim(option), "keep-alive");
  }
}

}  // namespace http
