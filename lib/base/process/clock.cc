// The system clock, and times and durations as text.
#include "lib/base/process/clock.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>

namespace base {
namespace {

class RealClock : public Clock {
 public:
  int64_t NowMs() const override {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
  }
  int64_t MonotonicMs() const override {
    // CLOCK_BOOTTIME advances during a suspend, so that a Lease expires meanwhile.
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
  }
};

// Reads exactly `digits` digits at `at`; -1: other characters.
int Digits(std::string_view text, size_t at, size_t digits) {
  if (at + digits > text.size()) return -1;
  int value = 0;
  for (size_t i = at; i < at + digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

// Parses the offset after the seconds, Z or ±hh:mm, into minutes.
Result<int64_t> Offset(std::string_view zone, const Error& error) {
  if (zone == "Z" || zone == "z") return int64_t{0};
  if (zone.size() != 6 || (zone[0] != '+' && zone[0] != '-') || zone[3] != ':') return error;
  int hours = Digits(zone, 1, 2), minutes = Digits(zone, 4, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return error;
  return int64_t{hours * 60 + minutes} * (zone[0] == '-' ? -1 : 1);
}

}  // namespace

const Clock& SystemClock() {
  static const RealClock clock;
  return clock;
}

namespace {

// 0000-01-01T00:00:00Z and 9999-12-31T23:59:59.999Z.
constexpr int64_t kFirstTimeMs = -62'167'219'200'000, kLastTimeMs = 253'402'300'799'999;

}  // namespace

std::string FormatTime(int64_t unix_ms) {
  int64_t seconds = unix_ms / 1000;
  int milliseconds = static_cast<int>(unix_ms % 1000);
  if (milliseconds < 0) --seconds, milliseconds += 1000;
  std::time_t time = seconds;
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[64];
  // RFC 3339 has four digits of a year, strftime as many as it takes.
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d", parts.tm_year + 1900,
                parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
  std::string out(text);
  if (milliseconds != 0) {
    std::snprintf(text, sizeof text, ".%03d", milliseconds);
    out += text;
  }
  return out + "Z";
}

Result<int64_t> ParseTime(std::string_view text) {
  Error error{Code::kInvalid,
              "'" + std::string(text) + "' is not a time like 2026-04-12T10:00:00Z"};
  int year = Digits(text, 0, 4), month = Digits(text, 5, 2), day = Digits(text, 8, 2);
  int hour = Digits(text, 11, 2), minute = Digits(text, 14, 2), second = Digits(text, 17, 2);
  if (text.size() < 20 || year < 0 || month < 1 || month > 12 || day < 1 || day > 31 || hour < 0 ||
      hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) {
    return error;
  }
  if (text[4] != '-' || text[7] != '-' || text[13] != ':' || text[16] != ':' ||
      (text[10] != 'T' && text[10] != 't' && text[10] != ' ')) {
    return error;
  }
  size_t at = 19;
  int64_t milliseconds = 0;
  if (text[at] == '.') {
    int64_t unit = 100;
    size_t first = ++at;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, unit /= 10) {
      milliseconds += unit * (text[at] - '0');
    }
    if (at == first) return error;
  }
  ASSIGN_OR_RETURN(int64_t offset_minutes, Offset(text.substr(at), error));
  using namespace std::chrono;
  year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                      std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return error;
  int64_t days = sys_days(date).time_since_epoch().count();
  int64_t minutes = (days * 24 + hour) * 60 + minute - offset_minutes;
  const int64_t time_ms = (minutes * 60 + second) * 1000 + milliseconds;
  // An offset or a leap second may lead out of the years that FormatTime can write.
  if (time_ms < kFirstTimeMs || time_ms > kLastTimeMs) return error;
  return time_ms;
}

Result<int64_t> ParseDuration(std::string_view text) {
  Error error{Code::kInvalid,
              "'" + std::string(text) + "' is not a duration like 45s, 250ms or 1h30m"};
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return int64_t{0};
  if (text.empty()) return error;
  double total_ms = 0;
  for (size_t at = 0; at < text.size();) {
    double number = 0, unit = 1;
    size_t first = at;
    for (bool fraction = false; at < text.size(); ++at) {
      if (text[at] == '.' && !fraction) {
        fraction = true;
      } else if (text[at] < '0' || text[at] > '9') {
        break;
      } else if (fraction) {
        number += (text[at] - '0') * (unit /= 10);
      } else {
        number = number * 10 + (text[at] - '0');
      }
    }
    if (at == first || text.substr(first, at - first) == ".") return error;
    std::string_view rest = text.substr(at);
    double scale_ms;
    size_t length = 1;
    if (rest.starts_with("ms")) {
      scale_ms = 1, length = 2;
    } else if (rest.starts_with("us")) {
      scale_ms = 1e-3, length = 2;
    } else if (rest.starts_with("µs") || rest.starts_with("μs")) {  // U+00B5, U+03BC
      scale_ms = 1e-3, length = 3;
    } else if (rest.starts_with("ns")) {
      scale_ms = 1e-6, length = 2;
    } else if (rest.starts_with("s")) {
      scale_ms = 1e3;
    } else if (rest.starts_with("m")) {
      scale_ms = 6e4;
    } else if (rest.starts_with("h")) {
      scale_ms = 36e5;
    } else {
      return error;
    }
    at += length;
    total_ms += number * scale_ms;
  }
  if (total_ms > 9e15) return error;
  return static_cast<int64_t>(std::llround(total_ms));
}

}  // namespace base
