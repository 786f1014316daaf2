// Which tokens are identifiers, and which are words.
#include "lib/base/text/identifier.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(Identifier, TokensWithoutAWordAreIdentifiers) {
  for (std::string_view token : {"10.0.0.12",
                                 "10.0.0.12:8080",
                                 "10.0.0.0/24",
                                 "v1.2.3",
                                 "1.2.3-rc.1",
                                 "2024-01-05",
                                 "05.01.2024",
                                 "2024-01-05T10:22:00Z",
                                 "10:22",
                                 "8a1f0c52-77aa-4c1e-9d0b-0a1b2c3d4e5f",
                                 "deadbeef",
                                 "9f86d081884c7d65",
                                 "sha256:9f86d081",
                                 "JIRA-123",
                                 "INC0012345",
                                 "owner/repo#45",
                                 "/etc/nginx/nginx.conf",
                                 "etc/nginx/nginx.conf",
                                 "/usr/bin",
                                 "C:\\Users\\ann",
                                 "https://example.com/a",
                                 "foo_bar.baz",
                                 "foo_bar",
                                 "std::string",
                                 "node.js",
                                 "user@host",
                                 "ann@example.com",
                                 "8080",
                                 "0x7ffe12",
                                 "fe80::1",
                                 "aa:bb:cc:dd:ee:ff",
                                 "+49-30-1234567",
                                 "E0425",
                                 "xKqPzRtWvYhJ",
                                 "(10.0.0.12),",
                                 "2023 8080"}) {
    EXPECT_TRUE(IsIdentifier(token)) << token;
  }
}

TEST(Identifier, WordsAreNoIdentifiers) {
  for (std::string_view token : {"",
                                 " ",
                                 "...",
                                 "word",
                                 "Straße",
                                 "facade",
                                 "well-being",
                                 "and/or",
                                 "don't",
                                 "20-year-old",
                                 "5-minute",
                                 "e.g.",
                                 "i.e.",
                                 "a.m",
                                 "end.Next",
                                 "OvertimeService",
                                 "parseHTMLResponse",
                                 "note:this",
                                 "wait...what",
                                 "yes--no",
                                 "数据库",
                                 "第3章",
                                 "Кириллица",
                                 "server 10.0.0.12",
                                 "internationalization",
                                 "C++",
                                 "C#"}) {
    EXPECT_FALSE(IsIdentifier(token)) << token;
  }
}

TEST(Identifier, TokensKeepJoiners) {
  EXPECT_EQ(Tokens("See \"/etc/nginx/nginx.conf\", (v1.2.3)... it's foo_bar=10.0.0.12:80!"),
            (std::vector<std::string_view>{"See", "/etc/nginx/nginx.conf", "v1.2.3", "it", "s",
                                           "foo_bar", "10.0.0.12:80"}));
  EXPECT_EQ(Tokens("在2024-01-05用abc数据"),
            (std::vector<std::string_view>{"在", "2024-01-05", "用", "abc", "数据"}));
  EXPECT_TRUE(Tokens(" -- ... !").empty());
}

TEST(Identifier, WithoutIdentifiersRemovesThem) {
  EXPECT_EQ(WithoutIdentifiers("Request 8a1f0c52-77aa failed on 10.0.0.12."),
            "Request   failed on  .");
  EXPECT_EQ(WithoutIdentifiers("all words"), "all words");
}

}  // namespace
}  // namespace base
