// The console's files over HTTP: whole, guarded, cached by their names, and only where they are
// wanted.
#include "memory/console/console_routes.h"

#include <set>

#include "memory/api/api_fixture.h"
#include "memory/console/console_files.h"
#include "memory/server_settings.h"

namespace memory {
namespace {

http::Response Answer(const std::string& path, const std::string& encoding = "") {
  const http::Router router(ConsoleRoutes({"none", true, "", nullptr}));
  http::Request request;
  request.method = "GET";
  request.path = path;
  if (!encoding.empty()) request.headers.Set("Accept-Encoding", encoding);
  const http::Router::Match match = router.Find("GET", path);
  if (!match.route) return http::EmptyResponse(404);
  request.parameters = match.parameters;
  return match.route->handler(request);
}

TEST(ConsoleFiles, ThePageNamesEveryFileThatItLoadsByAHashOfItsBytes) {
  const std::string page = Answer("/ui/").body;
  ASSERT_NE(page.find("<!doctype html>"), std::string::npos);
  size_t named = 0, packed = 0;
  for (const ConsoleFile& file : ConsoleFiles()) {
    packed += file.gzip.size();
    EXPECT_EQ(Answer("/ui/" + std::string(file.name)).body, file.bytes) << file.name;
    if (page.find(file.name) != std::string::npos) ++named;
  }
  EXPECT_GE(named, 3U) << "a script, a style and an icon";
  EXPECT_LE(packed, size_t{60} << 10);
}

TEST(ConsoleFiles, HashedFilesAreKeptForeverAndThePageIsAskedForAgain) {
  EXPECT_EQ(Answer("/ui/").headers.Get("Cache-Control"), "no-cache");
  for (const ConsoleFile& file : ConsoleFiles()) {
    if (file.name == "index.html") continue;
    EXPECT_EQ(Answer("/ui/" + std::string(file.name)).headers.Get("Cache-Control"),
              "public, max-age=31536000, immutable");
  }
}

TEST(ConsoleFiles, EveryAnswerForbidsForeignScriptsFramesAndGuessedTypes) {
  for (const char* path : {"/ui", "/ui/", "/ui/facts", "/ui/nothing.js"}) {
    const http::Headers headers = Answer(path).headers;
    const std::string policy = headers.Get("Content-Security-Policy").value_or("");
    for (const char* part :
         {"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "form-action 'none'",
          "require-trusted-types-for 'script'", "trusted-types 'none'"})
      EXPECT_NE(policy.find(part), std::string::npos) << path << ": " << part;
    EXPECT_EQ(policy.find("unsafe"), std::string::npos);
    EXPECT_EQ(headers.Get("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(headers.Get("Referrer-Policy"), "no-referrer");
    EXPECT_EQ(headers.Get("Cross-Origin-Opener-Policy"), "same-origin");
  }
  EXPECT_EQ(Answer("/ui/nothing.js").status, 404);
  EXPECT_EQ(Answer("/ui").headers.Get("Location"), "/ui/");
}

TEST(ConsoleFiles, GzipIsSentToWhoAcceptsIt) {
  for (const char* accepted : {"gzip", "br, GZIP;q=0.5", "deflate,gzip "})
    EXPECT_EQ(Answer("/ui/", accepted).headers.Get("Content-Encoding"), "gzip") << accepted;
  for (const char* refused : {"", "br", "gzip;q=0", "gzip;q=0.0", "xgzip"})
    EXPECT_FALSE(Answer("/ui/", refused).headers.Get("Content-Encoding")) << refused;
  EXPECT_EQ(Answer("/ui/", "gzip").body.substr(0, 2), "\x1f\x8b");
}

TEST_F(ApiTest, TheConsoleIsServedBesideTheApi) {
  const Answered page = Get("/ui/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.headers.Get("Content-Type"), "text/html; charset=utf-8");
  const Answered facts = Get("/ui/facts");
  EXPECT_EQ(facts.body, (Json{{"auth", "none"}, {"everybody", false}}));
}

TEST(ConsoleSetting, WithoutAuthenticationOffLoopbackItMustBeAskedFor) {
  auto serves = [](std::vector<std::string> words) {
    words.insert(words.begin(), "agent-memory-server");
    return ReadServerSettings(base::ReadCommandLine(ServerProgram(), words, {}).settings).ui;
  };
  EXPECT_TRUE(serves({}));
  EXPECT_FALSE(serves({"--ui", "false"}));
  EXPECT_FALSE(serves({"--listen", ":7437", "--insecure"}));
  EXPECT_TRUE(serves({"--listen", ":7437", "--insecure", "--ui", "true"}));
  EXPECT_TRUE(serves({"--auth", "kubernetes", "--audience", "a"}));
  const auto odd =
      base::ReadCommandLine(ServerProgram(), {"agent-memory-server", "--ui", "perhaps"}, {});
  EXPECT_EQ(odd.exit_code, 64);
}

}  // namespace
}  // namespace memory
