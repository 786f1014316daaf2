// Tests which Host, Origin and Content-Type a listener without authentication accepts.
#include "lib/http/server/cross_origin_guard.h"

#include <gtest/gtest.h>

namespace http {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

int StatusFor(const CrossOriginRules& rules, const Fields& fields) {
  Request request;
  for (const auto& [name, value] : fields) request.headers.Add(name, value);
  const auto refusal = RefuseCrossOrigin(request, rules);
  return refusal ? refusal->status : 200;
}

int StatusForHost(const std::string& host) {
  CrossOriginRules rules;
  rules.hosts = {"Memory.example.org", "fd00::7"};
  rules.addresses = host.starts_with("10.");
  return StatusFor(rules, {{"Host", host}});
}

int StatusForBody(const Fields& fields) {
  CrossOriginRules rules;
  rules.body_types = {"application/json", "text/csv"};
  Fields all = {{"Host", "localhost"}};
  all.insert(all.end(), fields.begin(), fields.end());
  return StatusFor(rules, all);
}

TEST(CrossOriginGuard, HealthRoutesAnswerAnyHost) {
  for (const char* path : {"/health", "/livez", "/readyz"}) {
    for (const char* host : {"", "probe.example", "10.1.2.3:80", "[fd00::1]"}) {
      Request request;
      request.method = "GET";
      request.path = path;
      if (*host) request.headers.Set("Host", host);
      EXPECT_FALSE(RefuseCrossOrigin(request, {})) << path << host;
      request.method = "POST";
      EXPECT_TRUE(RefuseCrossOrigin(request, {})) << path << host;
      request.method = "GET";
      request.path = "/context";
      EXPECT_TRUE(RefuseCrossOrigin(request, {}));
    }
  }
}

TEST(CrossOriginGuard, PassesLoopbackNamedHostsAndAllowedAddresses) {
  for (const char* host : {"localhost", "localhost:7437", "127.0.0.1", "127.0.0.1:1", "[::1]:7437",
                           "[::1]", "LOCALHOST:7437", "localhost.", "10.0.0.5:7437",
                           "memory.EXAMPLE.org:80", "memory.example.org.", "[fd00::7]:7437"}) {
    EXPECT_EQ(StatusForHost(host), 200) << host;
  }
  for (const char* host : {"evil.example",
                           "localhost.evil.example",
                           "127.0.0.1.evil.example",
                           "",
                           "localhost:",
                           "localhost:x",
                           "localhost:123456",
                           "127.0.0.2",
                           "::1",
                           "evil@localhost",
                           "localhost@evil",
                           "[localhost]",
                           "[::1",
                           "[::1]x",
                           "x.memory.example.org",
                           "memory.example.org:80:80",
                           "10.0.0",
                           "10.0.0.5.evil.example",
                           "192.0.2.1",
                           "fd00::7",
                           "."}) {
    EXPECT_EQ(StatusForHost(host), 421) << host;
  }
  CrossOriginRules any;
  any.addresses = true;
  EXPECT_EQ(StatusFor(any, {{"Host", "[2001:db8::1]:7437"}}), 200);
  EXPECT_EQ(StatusFor({}, {}), 421) << "no Host at all";
}

TEST(CrossOriginGuard, OriginsMustBeListed) {
  CrossOriginRules rules;
  rules.origins = {"http://localhost:3000"};
  auto status = [&](const std::string& origin) {
    return StatusFor(rules, {{"Host", "localhost"}, {"Origin", origin}});
  };
  EXPECT_EQ(status("http://localhost:3000"), 200);
  for (const char* origin : {"http://evil.example", "null", "", "http://localhost:3001"})
    EXPECT_EQ(status(origin), 403) << origin;
  rules.loopback_origins = true;
  for (const char* origin : {"http://localhost:3001", "https://[::1]:1", "http://127.0.0.1"})
    EXPECT_EQ(status(origin), 200) << origin;
  for (const char* origin : {"http://evil.example", "null", "", "http://localhost.evil.example",
                             "localhost", "http://", "file://localhost"})
    EXPECT_EQ(status(origin), 403) << origin;
}

TEST(CrossOriginGuard, BodyTypeOfAPageIsRefused) {
  for (const char* type : {"application/json", "Application/JSON; charset=utf-8", "text/csv"})
    EXPECT_EQ(StatusForBody({{"Content-Length", "2"}, {"Content-Type", type}}), 200) << type;
  for (const char* type :
       {"application/x-www-form-urlencoded", "text/plain", "text/plain; application/json",
        "multipart/form-data; boundary=x", "", "application/json, text/plain", "application/jso",
        "application/json-seq"})
    EXPECT_EQ(StatusForBody({{"Content-Length", "2"}, {"Content-Type", type}}), 415) << type;
  EXPECT_EQ(StatusForBody({{"Content-Length", "2"}}), 415) << "a Blob without a type";
  EXPECT_EQ(StatusForBody({{"Transfer-Encoding", "chunked"}}), 415);
  EXPECT_EQ(StatusForBody({{"Content-Length", "0"}, {"Content-Type", "text/plain"}}), 200);
  EXPECT_EQ(StatusForBody({}), 200);
  EXPECT_EQ(StatusFor({}, {{"Host", "localhost"}, {"Content-Length", "2"}}), 200) << "no list";
}

TEST(CrossOriginGuard, RefusalNamesValueAndRemedy) {
  Request request;
  request.headers.Set("Host", "evil.example\x1b[2J");
  CrossOriginRules rules;
  rules.body_types = {"application/json"};
  auto text = [&] { return RefuseCrossOrigin(request, rules)->body; };
  EXPECT_NE(text().find("Host \\\"evil.example\\\\u001B\\\\u005B2J\\\" is not a name"),
            std::string::npos)
      << text();
  EXPECT_EQ(text().find("setting hosts"), std::string::npos) << "there is none";
  rules.hosts.emplace();
  EXPECT_NE(text().find("name it in the setting hosts"), std::string::npos);
  request.headers.Set("Host", "localhost");
  request.headers.Set("Content-Length", "1");
  EXPECT_NE(text().find("send the header Content-Type: application/json (curl --json)"),
            std::string::npos);
  request.headers.Set("Origin", "https://evil.example");
  EXPECT_NE(text().find("\\\"https://evil.example\\\" may not call"), std::string::npos) << text();
}

TEST(CrossOriginGuard, HostsAreNamesAndAddresses) {
  for (const char* name : {"memory", "memory.example.org", "10.0.0.5", "fd00::7", "My_Host-1"})
    EXPECT_TRUE(CheckHostName(name)) << name;
  for (const char* name : {"", "*", "http://memory", "memory:7437:1 ", "[fd00::7]", "a b", "a/b",
                           "memory.", "b\xC3\xBC"})
    EXPECT_FALSE(CheckHostName(name)) << name;
}

TEST(CrossOriginGuard, LoopbackAddressesAreRecognized) {
  for (const char* ours : {"localhost:1", "127.9.9.9:0", "[::1]:1"})
    EXPECT_TRUE(IsLoopbackAddress(ours)) << ours;
  for (const char* open : {":1", "0.0.0.0:1", "[::]:1", "10.0.0.1:1", "[fd00::1]:1"})
    EXPECT_FALSE(IsLoopbackAddress(open)) << open;
  EXPECT_FALSE(IsLoopbackAddress("nonsense"));
}

}  // namespace
}  // namespace http
