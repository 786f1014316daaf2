// The estimate assumes that the rest is as quick as what is done.
#include "client/transcripts/progress.h"

#include <algorithm>
#include <ostream>

namespace client {
namespace {

constexpr std::chrono::milliseconds kOnTerminal(200), kElsewhere(3'000);

std::string Megabytes(int64_t bytes) { return std::to_string((bytes + 500'000) / 1'000'000); }

}  // namespace

void ImportProgress::At(int64_t bytes, size_t sessions, size_t of_sessions) {
  const auto now = Clock::now();
  if (now - said_ < (terminal_ ? kOnTerminal : kElsewhere)) return;
  said_ = now;
  bytes = std::min(bytes, whole_);
  std::string text = std::to_string(sessions) + " of " + std::to_string(of_sessions) +
                     " sessions, " + Megabytes(bytes) + " of " + Megabytes(whole_) + " MB";
  if (bytes > 0) {
    const double spent = std::chrono::duration<double>(now - begun_).count();
    const auto left = static_cast<int64_t>(spent * static_cast<double>(whole_ - bytes) /
                                           static_cast<double>(bytes));
    text += ", about " + std::to_string(left + 1) + " s left";
  }
  out_ << (terminal_ ? "\r\x1b[K" : "") << text << (terminal_ ? "" : "\n") << std::flush;
  line_ = terminal_;
}

ImportProgress::~ImportProgress() {
  if (line_) out_ << "\r\x1b[K" << std::flush;
}

}  // namespace client
