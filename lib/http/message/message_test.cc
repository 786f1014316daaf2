// Header fields, percent-encoding, and errors on the wire.
#include "lib/http/message/message.h"

#include <gtest/gtest.h>

namespace http {
namespace {

TEST(Headers, CompareNamesWithoutCase) {
  Headers headers;
  headers.Add("X-Thing", "1");
  headers.Add("x-thing", "2");
  EXPECT_EQ(headers.Get("X-THING"), "1");
  headers.Set("X-THING", "3");
  EXPECT_EQ(headers.all().size(), 1u);
  EXPECT_EQ(headers.Get("x-thing"), "3");
  EXPECT_FALSE(headers.Get("x-thin"));
}

TEST(PercentCoding, RoundTripsEveryCharacter) {
  const std::string text = "a/b?c=d&e f+%\"日本\n~.-_";
  EXPECT_EQ(*PercentDecode(PercentEncode(text)), text);
  EXPECT_EQ(PercentEncode("/ +~"), "%2F%20%2B~");
}

TEST(Errors, MapToStatusesAndBack) {
  for (const auto code : {base::Code::kInvalid, base::Code::kNotFound, base::Code::kDenied,
                          base::Code::kConflict, base::Code::kTooLarge, base::Code::kFull,
                          base::Code::kUnavailable, base::Code::kTimeout, base::Code::kInternal}) {
    EXPECT_EQ(CodeOf(StatusOf(code)), code);
  }
  EXPECT_EQ(CodeOf(429), base::Code::kUnavailable);
  const Response response = ErrorResponse({base::Code::kUnavailable, "busy"});
  EXPECT_EQ(response.status, 503);
  EXPECT_TRUE(response.headers.Get("Retry-After"));
  EXPECT_EQ(response.body, R"({"code":"unavailable","error":"busy"})");
}

}  // namespace
}  // namespace http
