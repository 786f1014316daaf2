// What the environment of an AEGIS deployment means here.
#include "memory/aegis_settings.h"

#include <gtest/gtest.h>

#include "memory/server_settings.h"

namespace memory {
namespace {

TEST(AegisSettings, HostAndPortMakeAnAddress) {
  const auto address = [](std::vector<std::string> environment) {
    const auto read = ReadAegisEnvironment(environment);
    EXPECT_TRUE(read);
    return AegisAddress(read.value_or(AegisEnvironment()), "127.0.0.1");
  };
  EXPECT_EQ(address({}), "");
  EXPECT_EQ(address({"MEMORY_PORT=9000"}), "127.0.0.1:9000");
  EXPECT_EQ(address({"MEMORY_HOST=0.0.0.0"}), "0.0.0.0:8002");
  EXPECT_EQ(address({"MEMORY_HOST=::1", "MEMORY_PORT=8002"}), "[::1]:8002");
  EXPECT_EQ(address({"MEMORY_PORT=", "MEMORY_HOST="}), "");
  EXPECT_EQ(address({"MEMORY_PORT=tcp://10.96.0.7:7437", "MEMORY_PORT_7437_TCP=x"}), "")
      << "of a Service called memory";
}

TEST(AegisSettings, UnusableValuesAreRefusedByName) {
  for (const char* bad :
       {"MEMORY_PORT=0", "MEMORY_PORT=65536", "MEMORY_PORT=http", "WORKING_MEMORY_TTL=0",
        "WORKING_MEMORY_TTL=-1", "WORKING_MEMORY_TTL=1h", "WORKING_MEMORY_TTL=31536001"}) {
    const auto refused = ReadAegisEnvironment({bad});
    ASSERT_FALSE(refused) << bad;
    const std::string name = std::string(bad).substr(0, std::string(bad).find('='));
    EXPECT_NE(refused.error().message.find(name), std::string::npos) << refused.error().message;
  }
  EXPECT_EQ(ReadAegisEnvironment({"WORKING_MEMORY_TTL=86400"})->working_memory_ttl_ms, 86'400'000);
}

TEST(AegisSettings, KeyAndModelAreForTheEndpointThatIsSet) {
  const auto read = ReadAegisEnvironment({"OPENAI_API_KEY=sk-secret", "EMBEDDING_MODEL=large"});
  ASSERT_TRUE(read);
  const auto settings = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "agent-memory-server");
    const auto invocation = base::ReadCommandLine(ServerProgram(), words, {});
    EXPECT_TRUE(invocation.run) << invocation.output;
    return ReadEmbeddingSettings(invocation.settings, *read).endpoint;
  };
  EXPECT_EQ(settings({}).url, "") << "a key alone sends nothing anywhere";
  EXPECT_EQ(settings({}).key, "sk-secret");
  EXPECT_EQ(settings({}).model, "large");
  EXPECT_EQ(settings({"--embedding-model=small"}).model, "small");
  EXPECT_EQ(read->warning, "");
  for (const char* bad : {"OPENAI_API_KEY=sk-\r\nHost: x", "EMBEDDING_MODEL=a b"}) {
    const auto refused = ReadAegisEnvironment({bad});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message.find("sk-"), std::string::npos);
  }
}

TEST(AegisSettings, RedisAndDatabaseGetOneWarningWithoutTheirValues) {
  const auto read = ReadAegisEnvironment(
      {"REDIS_URL=redis://:secret@redis:6379", "DATABASE_URL=postgresql://aegis:secret@db/aegis"});
  ASSERT_TRUE(read);
  EXPECT_NE(read->warning.find("REDIS_URL, DATABASE_URL"), std::string::npos);
  EXPECT_EQ(read->warning.find("secret"), std::string::npos);
  EXPECT_EQ(ReadAegisEnvironment({"HOME=/"})->warning, "");
}

}  // namespace
}  // namespace memory
