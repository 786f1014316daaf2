// Tests of ParseAddress: valid and invalid forms.
#include "lib/http/server/address.h"

#include <gtest/gtest.h>

namespace http {
namespace {

TEST(Address, ParsesItsForms) {
  EXPECT_EQ(*ParseAddress("127.0.0.1:80"), (std::pair<std::string, int>("127.0.0.1", 80)));
  EXPECT_EQ(*ParseAddress("[::1]:0"), (std::pair<std::string, int>("::1", 0)));
  EXPECT_EQ(*ParseAddress(":7437"), (std::pair<std::string, int>("::", 7437)));
  EXPECT_EQ(*ParseAddress("localhost:7411"), (std::pair<std::string, int>("127.0.0.1", 7411)));
  for (const char* bad : {"", "80", "example.org:80", "1.2.3:80", "localhost", "a:", "a:b",
                          "a:70000", "::1:80", "[::1:80", "a:-1", "a:80x"}) {
    EXPECT_FALSE(ParseAddress(bad)) << bad;
  }
}

}  // namespace
}  // namespace http
