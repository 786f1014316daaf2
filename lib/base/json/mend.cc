// Why a filter and not a lenient parser: two parsers disagree sooner or later, and denials would be
// judged by one of them while the tool runs by the other. So the strict parser stays the only one,
// and odd text is made valid first (ADR 47). Tools print such text: a NUL, half of an emoji. An
// event that is refused for it would be lost for the memory and unjudged for the policy.
//
// One pass over the bytes. Strings are split into units (a character, an escape, a run of ASCII),
// so that no cut splits a character; outside of strings only brackets, commas and numbers matter.
#include "lib/base/json/mend.h"

#include <cmath>
#include <cstdlib>
#include <utility>

#include "lib/base/text/text.h"

namespace base {
namespace {

constexpr size_t kMostRun = 1 << 10;     // bytes of ASCII in one unit
constexpr size_t kReserve = 256 << 10;   // for the fields of the outermost object
constexpr size_t kTopReserve = 4 << 10;  // for its end
constexpr size_t kMostToken = 4 << 10;   // bytes of a number
constexpr size_t kMostValues = 100'000;  // below the fields of the outermost object
constexpr size_t kLongestWord = 9;       // -Infinity

bool IsHexDigit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// The bytes of a UTF-8 character with this lead byte; 1 for an invalid lead byte.
size_t Utf8Length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  if (byte >= 0xF0) return byte <= 0xF4 ? 4 : 1;
  if (byte >= 0xE0) return 3;
  return byte >= 0xC2 ? 2 : 1;
}

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Numbers and words that JSON writers emit and strict parsers refuse.
bool IsOddToken(const std::string& token) {
  if (token.size() <= kLongestWord &&
      (token == "NaN" || token == "Infinity" || token == "-Infinity"))
    return true;
  if (token.find_first_not_of("0123456789+-.eE") != std::string::npos) return false;
  return !std::isfinite(std::strtod(token.c_str(), nullptr));
}

}  // namespace

JsonMender::JsonMender(size_t max_bytes, size_t max_depth)
    : max_bytes_(max_bytes), max_depth_(max_depth) {}

void JsonMender::Feed(std::string_view bytes) {
  // Mended JSON never reaches this size, so the rest of such a text is ignored: it is not JSON.
  while (!bytes.empty() && out_.size() < max_bytes_ + kReserve) {
    size_t used = 0;
    if (in_string_) {
      used = ReadInString(bytes);
    } else if (mode_ == Mode::kPlain) {
      used = ReadOutside(bytes.front());
    } else {
      used = ReadNested(bytes.front());
    }
    bytes.remove_prefix(used);
  }
}

std::string JsonMender::Finish() {
  EndToken();
  return std::move(out_);
}

size_t JsonMender::ReadOutside(char c) {
  const bool begins_or_goes_on =
      !IsBlank(c) && std::string_view("\"[]{},:").find(c) == std::string_view::npos;
  if (begins_or_goes_on) {
    if (token_ == std::string::npos) token_ = out_.size();
    if (out_.size() - token_ < kMostToken) {
      Put(c);
    } else {
      token_cut_ = true;
    }
    return 1;
  }
  EndToken();
  if (c == '"') {
    in_string_ = true;
    BeginString();
  } else if (c == '[' || c == '{') {
    Open(c);
  } else if (c == ']' || c == '}') {
    Close(c);
  } else if (c == ',' && IsFull()) {
    BeginSkip();
  } else {
    if (c == ',' && !open_.empty()) {
      ++open_.back().values;
      ++values_;
    }
    Put(c);
  }
  return 1;
}

// Reads a byte outside of strings in kText or kSkip.
size_t JsonMender::ReadNested(char c) {
  if (c == '"') in_string_ = true;
  if (c == '[' || c == '{') ++level_;
  if ((c == ']' || c == '}') && level_ == 0) {  // only in kSkip
    mode_ = Mode::kPlain;
    Close(c);
    return 1;
  }
  WriteUnit({&c, 1});
  if ((c == ']' || c == '}') && --level_ == 0 && mode_ == Mode::kText) {
    mode_ = Mode::kPlain;
    EndString();
  }
  return 1;
}

size_t JsonMender::ReadInString(std::string_view rest) {
  const char c = rest.front();
  if (!escape_.empty()) return ReadEscape(c);
  if (!utf8_.empty() || static_cast<unsigned char>(c) >= 0x80) return ReadUtf8(c);
  size_t run = 0;
  while (run < std::min(rest.size(), kMostRun) && rest[run] >= ' ' && rest[run] != '"' &&
         rest[run] != '\\')
    ++run;
  if (run > 0) {
    AddUnit(rest.substr(0, run));
    return run;
  }
  if (c == '"') {
    if (!high_.empty()) AddUnit({});
    in_string_ = false;
    if (mode_ == Mode::kPlain) {
      EndString();
    } else {
      WriteUnit("\"");
    }
  } else if (c == '\\') {
    escape_ = c;
  } else if (c == '\0') {
    Replace();
  } else {
    AddUnit(rest.substr(0, 1));
  }
  return 1;
}

size_t JsonMender::ReadEscape(char c) {
  if (escape_.size() > 1 && !IsHexDigit(c)) {  // not JSON
    AddUnit(std::exchange(escape_, {}));
    return 0;
  }
  escape_ += c;
  if (escape_.size() == 6) {
    ReadCodeUnit();
  } else if (escape_.size() == 2 && c != 'u') {
    AddUnit(std::exchange(escape_, {}));
  }
  return 1;
}

// Writes a complete \u escape with its four digits.
void JsonMender::ReadCodeUnit() {
  const std::string unit = std::exchange(escape_, {});
  const unsigned long code = std::strtoul(unit.c_str() + 2, nullptr, 16);
  const bool low = code >= 0xDC00 && code <= 0xDFFF;
  if (low && !high_.empty()) return AddUnit(std::exchange(high_, {}) + unit);
  if (code == 0 || low) return Replace();
  if (code < 0xD800 || code > 0xDBFF) return AddUnit(unit);
  if (!high_.empty()) AddUnit({});
  high_ = unit;
}

size_t JsonMender::ReadUtf8(char c) {
  const bool goes_on = utf8_.empty() || IsContinuation(c);
  if (goes_on) utf8_ += c;
  if (goes_on && utf8_.size() < Utf8Length(utf8_.front())) return 1;
  const std::string unit = std::exchange(utf8_, {});
  if (IsUtf8(unit)) {
    AddUnit(unit);
  } else {
    Replace();
  }
  return goes_on ? 1 : 0;
}

// A pending high surrogate is replaced, since no low one follows.
void JsonMender::AddUnit(std::string_view unit) {
  if (!std::exchange(high_, {}).empty()) Replace();
  if (!unit.empty()) WriteUnit(unit);
}

void JsonMender::Replace() {
  mends_.characters = true;
  AddUnit(kReplacement);
}

void JsonMender::WriteUnit(std::string_view unit) {
  if (mode_ == Mode::kSkip) return;
  if (mode_ == Mode::kPlain) return string_.Add(unit, out_);
  std::string quoted;
  for (const char c : unit) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) >= ' ') {
      quoted += c;
    } else {
      quoted += "\\u00";
      quoted += kDigits[static_cast<size_t>(c) / 16];
      quoted += kDigits[static_cast<size_t>(c) % 16];
    }
  }
  string_.Add(quoted, out_);
}

void JsonMender::Put(char c) {
  if (!IsBlank(c) || out_.size() + kReserve < max_bytes_) out_ += c;
}

void JsonMender::Open(char bracket) {
  if (open_.size() < max_depth_) {
    open_.push_back({bracket, 1});
    return Put(bracket);
  }
  mends_.levels = true;
  BeginString();
  mode_ = Mode::kText;
  level_ = 1;
  WriteUnit({&bracket, 1});
}

void JsonMender::Close(char bracket) {
  if (!open_.empty()) open_.pop_back();
  Put(bracket);
}

void JsonMender::EndToken() {
  if (token_ == std::string::npos) return;
  const std::string token = out_.substr(std::exchange(token_, std::string::npos));
  const bool cut = std::exchange(token_cut_, false);
  if (!cut && !IsOddToken(token)) return;
  mends_.numbers = true;
  mends_.cut |= cut;
  out_.insert(out_.size() - token.size(), 1, '"');
  if (cut) out_ += kReplacement;
  out_ += '"';
}

void JsonMender::BeginString() {
  const size_t taken = out_.size() + (open_.size() > 1 ? kReserve : kTopReserve);
  string_.Begin(StringRoom::Within(max_bytes_ - std::min(max_bytes_, taken)));
  Put('"');
}

void JsonMender::EndString() {
  mends_.cut |= string_.End(out_);
  Put('"');
}

// Whether the rest of the innermost container must be left out.
bool JsonMender::IsFull() const {
  if (open_.empty()) return false;
  const Container& inner = open_.back();
  if (inner.bracket == '{' && inner.values + 2 > JsonLimits().max_keys) return true;
  if (open_.size() == 1) return out_.size() + kTopReserve > max_bytes_;
  return values_ > kMostValues || out_.size() + kReserve > max_bytes_;
}

void JsonMender::BeginSkip() {
  mends_.cut = true;
  out_ += ",\"";
  out_ += kReplacement;
  if (open_.back().bracket == '{') {
    out_ += "\":\"";
    out_ += kReplacement;
  }
  out_ += "[more left out]\"";
  mode_ = Mode::kSkip;
  level_ = 0;
}

Result<MendedJson> ReadMendedJson(JsonMender& taken) {
  MendedJson mended;
  const std::string sound = taken.Finish();
  mended.mends = taken.mends();
  ASSIGN_OR_RETURN(mended.value, ParseJson(sound, {}, &mended.mends));
  return mended;
}

Result<MendedJson> ReadMendedJson(std::string_view text, size_t max_bytes) {
  auto strict = ParseJson(text);
  if (strict) return MendedJson{std::move(*strict), {}};
  if (strict.error().code == Code::kUnavailable) return strict.error();
  JsonMender mender(max_bytes);
  mender.Feed(text);
  return ReadMendedJson(mender);
}

}  // namespace base
