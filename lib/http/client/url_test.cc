// URLs and targets, good ones and bad ones.
#include "lib/http/client/url.h"

#include <gtest/gtest.h>

namespace http {
namespace {

TEST(UrlTest, HasHostPortAndHostField) {
  struct Case {
    const char *text, *host, *port, *authority, *path;
  };
  for (const Case& one : {
           Case{"http://memory", "memory", "80", "memory", ""},
           Case{"https://memory.ns.svc:7437/", "memory.ns.svc", "7437", "memory.ns.svc:7437", ""},
           Case{"https://10.0.0.1/v1/a%20b//", "10.0.0.1", "443", "10.0.0.1", "/v1/a%20b"},
           Case{"http://[::1]", "::1", "80", "[::1]", ""},
           Case{"https://[fd00::1]:8443/x", "fd00::1", "8443", "[fd00::1]:8443", "/x"},
           Case{"https://[fd00::1]:/x", "fd00::1", "443", "[fd00::1]:", "/x"},
           Case{"http://a_b-c.d:", "a_b-c.d", "80", "a_b-c.d:", ""},
       }) {
    const auto url = ParseUrl(one.text);
    ASSERT_TRUE(url) << url.error().message;
    EXPECT_EQ(url->tls, std::string_view(one.text).starts_with("https")) << one.text;
    EXPECT_EQ(url->host, one.host);
    EXPECT_EQ(url->port, one.port);
    EXPECT_EQ(url->authority, one.authority);
    EXPECT_EQ(url->path, one.path);
  }
}

TEST(UrlTest, InvalidUrlIsRefusedWithReason) {
  for (const auto& [text, fault] : std::initializer_list<std::pair<const char*, const char*>>{
           {"", "is not an http"},
           {"ftp://h", "is not an http"},
           {"//h", "is not an http"},
           {"h:80", "is not an http"},
           {"http://", "is not an http"},
           {"http:///x", "is not an http"},
           {"http://:80", "is not an http"},
           {"http://h h", "is not an http"},
           {"http://h\n", "is not an http"},
           {"http://h/a b", "is not an http"},
           {"http://\xc3\xa4", "is not an http"},
           {"http://::1", "is not an http"},
           {"http://h:1:2", "port"},
           {"http://h:0", "port"},
           {"http://h:65536", "port"},
           {"http://h:8a", "port"},
           {"http://h:+8", "port"},
           {"http://h:99999999999999999999", "port"},
           {"http://[::1", "brackets"},
           {"http://[::1]x", "brackets"},
           {"http://[h]", "brackets"},
           {"http://[]", "brackets"},
           {"http://[::1%25eth0]", "brackets"},
           {"http://me:secret@h", "has a user"},
           {"http://h/x?y=1", "query"},
           {"http://h?y", "query"},
           {"http://h/#x", "fragment"},
       }) {
    const auto url = ParseUrl(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().code, base::Code::kInvalid);
    EXPECT_NE(url.error().message.find(fault), std::string::npos) << url.error().message;
  }
}

TEST(UrlTest, TargetsAreEncoded) {
  for (const char* text : {"/", "/a/b?c=d&e=%C3%BC", "/~a-b_c.d!$&'()*+,;=:@", "/a?b?/c"})
    EXPECT_TRUE(IsEncoded(text)) << text;
  for (const char* text :
       {"/a b", "/\r\nX: y", "/a#b", "/\xc3\xbc", "/\"", "/<", "/[", "/{", "/|", "/\\", "/^", "/`"})
    EXPECT_FALSE(IsEncoded(text)) << text;
}

}  // namespace
}  // namespace http
