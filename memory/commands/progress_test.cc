// What people read while memories move.
#include "memory/commands/progress.h"

#include <gtest/gtest.h>

#include <sstream>

#include "memory/commands/progress_report.h"

namespace memory {
namespace {

TEST(Progress, HasABarAmountsSpeedAndAnEstimate) {
  ProgressFigures figures;
  figures.done = 120 << 20;
  figures.total = 266 << 20;
  figures.elapsed_ms = 8500;
  EXPECT_EQ(ProgressLine(figures, true),
            "45% [#########-----------] 120.0 MiB of 266.0 MiB, 14.1 MiB/s, about 11 s left");
  EXPECT_EQ(ProgressLine(figures, false),
            "45% 120.0 MiB of 266.0 MiB, 14.1 MiB/s, about 11 s left");
  figures.done = 300 << 20;  // more than was expected
  EXPECT_EQ(ProgressLine(figures, false),
            "100% 266.0 MiB of 266.0 MiB, 31.3 MiB/s, about 0 s left");
  figures = {50, 100, true, 1 << 20, 100'000};
  EXPECT_EQ(ProgressLine(figures, false),
            "50% 50 of 100 memories, 1.0 MiB, 10.2 KiB/s, about 1 min 40 s left");
  EXPECT_EQ(ProgressLine({5000, 0, false, 0, 2000}, true), "4.9 KiB, 2.4 KiB/s");
  EXPECT_EQ(ProgressLine({0, 10, false, 0, 2000}, false), "0% 0 bytes of 10 bytes, 0 bytes/s");
  EXPECT_EQ(ProgressLine({10, 20, false, 0, 10}, false), "50% 10 bytes of 20 bytes");
}

TEST(Progress, TimesAndBytesAreShort) {
  EXPECT_EQ(ShownTime(1), "1 s");
  EXPECT_EQ(ShownTime(200'000), "3 min 20 s");
  EXPECT_EQ(ShownTime(7'500'000), "2 h 5 min");
  EXPECT_EQ(ShownBytes(1023), "1023 bytes");
  EXPECT_EQ(ShownBytes(int64_t{3} << 40), "3.0 TiB");
}

TEST(Progress, ATerminalHasOneLineThatChangesAFileOneNowAndThen) {
  int64_t now_ms = 0;
  std::ostringstream screen, file;
  {
    ProgressReport on_screen(screen, true, [&] { return now_ms; });
    ProgressReport in_file(file, false, [&] { return now_ms; });
    for (ProgressReport* report : {&on_screen, &in_file}) report->figures.total = 1000;
    for (; now_ms < 11'000; now_ms += 100) {
      for (ProgressReport* report : {&on_screen, &in_file}) {
        report->figures.done = now_ms / 20;
        report->Moved();
      }
    }
  }
  const std::string lines = file.str();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2) << lines;
  EXPECT_EQ(lines.substr(0, lines.find('\n')),
            "25% 250 bytes of 1000 bytes, 50 bytes/s, about 15 s left");
  EXPECT_EQ(lines.find('\x1b'), lines.npos);
  const std::string shown = screen.str();
  EXPECT_EQ(std::count(shown.begin(), shown.end(), '\r'), 54 + 1);
  EXPECT_EQ(shown.find('\n'), shown.npos);
  EXPECT_TRUE(shown.ends_with("\r\x1b[K")) << "it leaves nothing behind";
}

}  // namespace
}  // namespace memory
