// Router and ParseQuery: matches, malformed paths, and decoding.
#include "lib/http/message/router.h"

#include <gtest/gtest.h>

namespace http {
namespace {

Route Named(std::string method, std::string pattern) {
  return {std::move(method), std::move(pattern), [](const Request&) { return EmptyResponse(204); }};
}

Router SampleRouter() {
  return Router({Named("GET", "/observations/{id}"), Named("GET", "/observations/recent"),
                 Named("DELETE", "/observations/{id}"), Named("POST", "/observations"),
                 Named("GET", "/a/{x}/c"), Named("GET", "/a/b/{y}"), Named("GET", "/")});
}

TEST(Router, LiteralWinsOverParameter) {
  const Router router = SampleRouter();
  EXPECT_EQ(router.Find("GET", "/observations/recent").route->pattern, "/observations/recent");
  EXPECT_EQ(router.Find("GET", "/observations/7").parameters.at("id"), "7");
  EXPECT_EQ(router.Find("GET", "/a/b/c").route->pattern, "/a/b/{y}");
  EXPECT_EQ(router.Find("GET", "/").route->pattern, "/");
}

TEST(Router, NamesMethodsOfThePath) {
  const auto match = SampleRouter().Find("PUT", "/observations/7");
  EXPECT_EQ(match.route, nullptr);
  EXPECT_EQ(match.allowed, (std::vector<std::string>{"DELETE", "GET", "HEAD"}));
  EXPECT_TRUE(SampleRouter().Find("PUT", "/nothing").allowed.empty());
}

TEST(Router, HeadFindsTheGetRoute) {
  const Router router = SampleRouter();
  EXPECT_EQ(router.Find("HEAD", "/observations/7").route->method, "GET");
  EXPECT_EQ(router.Find("HEAD", "/observations").route, nullptr);
}

TEST(Router, DecodesAfterSplitting) {
  const Router router = SampleRouter();
  EXPECT_EQ(router.Find("GET", "/observations/a%2fb%20c").parameters.at("id"), "a/b c");
  EXPECT_EQ(router.Find("GET", "/observations/..%2f..%2fetc").parameters.at("id"), "../../etc");
  EXPECT_EQ(router.Find("GET", "/observations/%e6%97%a5").parameters.at("id"), "日");
}

TEST(Router, RefusesPathsThatDoNotDecode) {
  const Router router = SampleRouter();
  for (const char* path :
       {"/observations/%zz", "/observations/%ff%fe", "/observations/%00", "/observations/%",
        "/observations/%4", "/observations/..", "/./x", "/observations/%2e%2e", "relative", ""}) {
    const auto match = router.Find("GET", path);
    EXPECT_TRUE(match.bad_path) << path;
    EXPECT_EQ(match.route, nullptr) << path;
  }
}

TEST(Router, ParameterIsNeverEmpty) {
  const Router router = SampleRouter();
  EXPECT_EQ(router.Find("GET", "/observations/").route, nullptr);
  EXPECT_EQ(router.Find("GET", "//observations").route, nullptr);
  EXPECT_FALSE(router.Find("GET", "/observations/").bad_path);
}

TEST(Query, KeepsOrderAndDecodesBothSides) {
  const auto query = ParseQuery("q=a+b%2Bc&type=&flag&q=2");
  ASSERT_TRUE(query);
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"q", "a b+c"}, {"type", ""}, {"flag", ""}, {"q", "2"}};
  EXPECT_EQ(*query, expected);
  EXPECT_FALSE(ParseQuery("q=%zz"));
  EXPECT_FALSE(ParseQuery("a%00b=1"));
}

TEST(Query, SearchTextMayEndInsideCharacter) {
  for (const char* cut : {"q=x%c3", "q=x%e2%82", "q=x%e2", "q=x%f0%9f%98", "q=x"}) {
    const auto query = ParseQuery(cut);
    ASSERT_TRUE(query) << cut;
    EXPECT_EQ(query->front().second, "x") << cut;
  }
  EXPECT_EQ(ParseQuery("q=%e2%82%ac")->front().second, "€");
  for (const char* bad :
       {"%c3=x", "q=%c3x", "q=%82", "q=%ff", "q=%ff%fe", "q=%c3%c3", "project=caf%c3"})
    EXPECT_FALSE(ParseQuery(bad)) << bad;
}

}  // namespace
}  // namespace http
