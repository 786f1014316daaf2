// Reads the token file again after a minute, or after a refused token.
#include "lib/kube/client/token_source.h"

#include "lib/base/process/file.h"
#include "lib/base/process/log.h"
#include "lib/base/text/text.h"

namespace kube {

namespace {

constexpr int64_t kMaxAgeMs = 60'000;

}  // namespace

TokenSource::TokenSource(std::string fixed, std::string file, const base::Clock& clock)
    : file_(std::move(file)), clock_(clock), cached_(Cached{std::move(fixed), 0, false}) {}

std::string TokenSource::Token() {
  if (file_.empty()) return cached_.Copy().token;
  return cached_.With([&](Cached& cached) {
    int64_t now_ms = clock_.MonotonicMs();
    if (cached.fresh && now_ms - cached.read_ms < kMaxAgeMs) return cached.token;
    auto text = base::ReadFile(file_, 64 << 10);
    std::string token = text ? std::string(base::Trim(*text)) : "";
    // A missing or empty file keeps the present token, which may still be valid.
    if (!token.empty()) cached.token = token;
    if (token.empty()) base::LogWarn("token file cannot be read", {{"file", file_}});
    cached.fresh = true;
    cached.read_ms = now_ms;
    return cached.token;
  });
}

bool TokenSource::Distrust() {
  cached_.With([](Cached& cached) { cached.fresh = false; });
  return !file_.empty();
}

}  // namespace kube
