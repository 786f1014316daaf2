// Encoding and decoding of the report of a running server, and refusal of other JSON.
#include "lib/api/server_report.h"

#include <gtest/gtest.h>

namespace api {
namespace {

TEST(ServerReport, WhatIsWrittenIsReadAgain) {
  const ServerReport report{"1.2.3", 7, 1'000'000, int64_t{1} << 40, true, "the volume is full"};
  const auto read = DecodeServerReport(EncodeServerReport(report));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, report);
}

TEST(ServerReport, WhatIsNoneIsRefusedByField) {
  EXPECT_FALSE(DecodeServerReport(base::Json::array()));
  EXPECT_FALSE(DecodeServerReport({{"rows", 1}})) << "without a version";
  const auto wrong = DecodeServerReport({{"version", "1"}, {"rows", "many"}});
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("rows"), std::string::npos) << wrong.error().message;
}

TEST(ServerReport, LongTextsAreCut) {
  ServerReport report;
  report.version = std::string(1'000, 'v');
  report.error = std::string(100'000, 'e');
  const auto read = DecodeServerReport(EncodeServerReport(report));
  ASSERT_TRUE(read);
  EXPECT_LE(read->version.size(), 70u);
  EXPECT_LE(read->error.size(), 1'030u);
}

}  // namespace
}  // namespace api
