// Prints the redactor's megabytes of tool output per second of processor time, and its seconds for
// 16, 32, 64 and 128 KiB of private keys without an end.
//   redaction_speed SECONDS
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>

#include "lib/redaction/redaction.h"

namespace {

// Lines like those of builds, logs and listings: many that resemble secrets, and a few secrets.
std::string Output(size_t bytes) {
  std::mt19937_64 source(1);
  const auto of = [&](const char* letters, size_t letters_size, size_t size) {
    std::string word;
    while (word.size() < size) word += letters[source() % letters_size];
    return word;
  };
  const auto word = [&] { return of("abcdefghijklmnopqrstuvwxyz", 26, 2 + source() % 9); };
  const auto hex = [&] { return of("0123456789abcdef", 16, 40); };
  std::string text;
  while (text.size() < bytes) {
    switch (source() % 8) {
      case 0:
        text +=
            "2026-04-12T10:00:00Z level=info msg=\"" + word() + " " + word() + "\" key=" + word();
        break;
      case 1:
        text += "commit " + hex();
        break;
      case 2:
        text += "/usr/lib/" + word() + "/" + word() + ".so => " + word() + ":" + word();
        break;
      case 3:
        text += "  \"" + word() + "_token\": \"" + word() + "\", \"id\": \"" + hex().substr(0, 8) +
                "\"";
        break;
      default:
        for (int i = 0; i < 12; ++i) text += word() + " ";
    }
    if (source() % 500 == 0) text += " ghp_" + hex();
    text += '\n';
  }
  return text;
}

// Seconds of processor time for `bytes` of private keys without an end, the least of three runs.
double SecondsOfKeys(const redaction::Redactor& redactor, size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += std::string("-----BEGIN ") + "PRIVATE KEY-----!\n";
  double least = 1e9;
  for (int round = 0; round < 3; ++round) {
    redaction::Redactor::Counts counts;
    const std::clock_t begin = std::clock();
    (void)redactor.Redact(text, counts);
    least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return least;
}

}  // namespace

int main(int count, char** arguments) {
  const double seconds = count > 1 ? std::atof(arguments[1]) : 3;
  const std::string text = Output(1 << 20);
  const auto redactor = redaction::Redactor::Compile({});
  if (!redactor) return 1;
  const std::clock_t begin = std::clock();
  double spent = 0, bytes = 0;
  while (spent < seconds) {
    redaction::Redactor::Counts counts;
    if (redactor->Redact(text, counts) == text) return 1;  // no secret was redacted
    bytes += static_cast<double>(text.size());
    spent = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  }
  std::printf("%.1f", bytes / 1e6 / spent);
  for (const size_t kib : {16, 32, 64, 128})
    std::printf(" %.5f", SecondsOfKeys(*redactor, kib << 10));
  std::printf("\n");
}
