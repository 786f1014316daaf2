// The speed is the mean since the start, so that the estimate is stable.
#include "memory/commands/progress.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace memory {

namespace {

constexpr int64_t kBarColumns = 20;
constexpr int64_t kSoonMs = 1000;  // no speed is shown before

std::string Amount(const ProgressFigures& figures, int64_t amount) {
  return figures.memories ? std::to_string(amount) : ShownBytes(amount);
}

}  // namespace

std::string ShownBytes(int64_t bytes) {
  constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return std::to_string(bytes) + " bytes";
  double amount = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < kUnits.size(); ++unit) amount /= 1024;
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.1f %s", amount, kUnits[unit]);
  return text.data();
}

std::string ShownTime(int64_t ms) {
  const int64_t seconds = (ms + 999) / 1000;
  if (seconds < 60) return std::to_string(seconds) + " s";
  const int64_t minutes = seconds / 60;
  if (minutes < 60) return std::to_string(minutes) + " min " + std::to_string(seconds % 60) + " s";
  return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

std::string ProgressLine(const ProgressFigures& given, bool bar) {
  ProgressFigures figures = given;
  std::string line;
  if (figures.total > 0) {
    figures.done = std::min(figures.done, figures.total);
    line = std::to_string(figures.done * 100 / figures.total) + "% ";
    const auto full = static_cast<size_t>(figures.done * kBarColumns / figures.total);
    if (bar) line += "[" + std::string(full, '#') + std::string(kBarColumns - full, '-') + "] ";
  }
  line += Amount(figures, figures.done);
  if (figures.total > 0) line += " of " + Amount(figures, figures.total);
  if (figures.memories) line += " memories, " + ShownBytes(figures.bytes);
  if (figures.elapsed_ms < kSoonMs) return line;
  const int64_t bytes = figures.memories ? figures.bytes : figures.done;
  line += ", " + ShownBytes(bytes * 1000 / figures.elapsed_ms) + "/s";
  if (figures.total == 0 || figures.done == 0) return line;
  const double left = static_cast<double>(figures.total - figures.done) /
                      static_cast<double>(figures.done) * static_cast<double>(figures.elapsed_ms);
  return line + ", about " + ShownTime(static_cast<int64_t>(left)) + " left";
}

}  // namespace memory
