// Tests both alphabets, and characters outside of them.
#include "lib/base/text/base64.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(Base64, UrlAlphabetHasNoPaddingAndSkipsNothing) {
  EXPECT_EQ(DecodeBase64Url("").value_or("?"), "");
  EXPECT_EQ(DecodeBase64Url("Zg").value_or("?"), "f");
  EXPECT_EQ(DecodeBase64Url("Zm8").value_or("?"), "fo");
  EXPECT_EQ(DecodeBase64Url("Zm9v").value_or("?"), "foo");
  EXPECT_EQ(DecodeBase64Url("-_8").value_or("?"), "\xfb\xff");
  for (const char* text : {"Z", "Zm9vY", "+/8", "Zg==", "Zm 8", "Zm8\n", "Zm8.", "Zm8\t"})
    EXPECT_FALSE(DecodeBase64Url(text)) << text;
}

TEST(Base64, RoundTrips) {
  for (const std::string& bytes :
       {std::string("f"), std::string("fo"), std::string("\0\xff\xfe", 3)})
    EXPECT_EQ(DecodeBase64(EncodeBase64(bytes)).value_or("?"), bytes);
}

}  // namespace
}  // namespace base
