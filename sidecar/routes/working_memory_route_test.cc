// Shows AEGIS working memory of a sidecar: it works without the server, survives a restart, and no
// secret reaches the disk.
#include <gtest/gtest.h>

#include <fstream>

#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

using base::Json;

class WorkingFieldsRoute : public SidecarTest {
 protected:
  Reply Put(const Json& body) { return Ask("PUT", "/working-memory/c1", body); }
};

TEST_F(WorkingFieldsRoute, FieldsAreKeptWithoutTheServerAndOverARestart) {
  memory_.Down();
  EXPECT_EQ(Put({{"fields", {{"scratchpad", "rule 37"}}}}).status, 200);
  EXPECT_EQ(Put({{"fields", {{"approved", nullptr}}}, {"ttl_seconds", 600}}).body["version"], 2);
  Start();
  const Json kept = Ask("GET", "/working-memory/c1").body;
  EXPECT_EQ(kept["fields"], (Json{{"scratchpad", "rule 37"}, {"approved", nullptr}}));
  EXPECT_EQ(kept["ttl_seconds"], 600);
  EXPECT_EQ(Ask("DELETE", "/working-memory/c1?fields=approved").body["deleted"], 1);
  EXPECT_EQ(Ask("GET", "/working-memory/c2").body["version"], 0);
}

TEST_F(WorkingFieldsRoute, NoSecretReachesTheDiskAndItsFieldCanBeDeleted) {
  const std::string secret = "ghp" + ("_" + std::string(36, 'Q'));
  const Json written = Put({{"fields",
                             {{"scratchpad", "push with " + secret},
                              {"entities", {{{"token", secret}}}},
                              {"of " + secret, 1}}}})
                           .body;
  EXPECT_EQ(written["fields"].size(), 3u);
  EXPECT_EQ(written.dump().find(secret), std::string::npos);
  running_.reset();
  for (const auto& file : std::filesystem::recursive_directory_iterator(directory_.path())) {
    if (!file.is_regular_file()) continue;
    std::ifstream in(file.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    EXPECT_EQ(bytes.find(secret), std::string::npos) << file.path();
  }
  Start();
  const Json names = {{"fields", {"of " + secret}}};
  EXPECT_EQ(Ask("DELETE", "/working-memory/c1", names).body["deleted"], 1);
}

TEST_F(WorkingFieldsRoute, WrongTypesAndTooMuchAreRefused) {
  EXPECT_EQ(Put({{"fields", {{"scratchpad", Json::array()}}}}).status, 400);
  EXPECT_EQ(Put({{"fields", {{"entities", {"x"}}}}}).status, 400);
  EXPECT_EQ(Put({{"fields", {{"big", std::string(65'536, 'x')}}}}).status, 413);
  EXPECT_EQ(Ask("GET", "/working-memory/c1").body["version"], 0);
}

}  // namespace
}  // namespace sidecar
