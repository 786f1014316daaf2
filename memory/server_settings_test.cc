// What the server refuses to start with, and that config/memory.yaml says the truth.
#include "memory/server_settings.h"

#include <gtest/gtest.h>

#include "lib/base/json/json.h"
#include "lib/base/json/yaml.h"
#include "lib/base/process/file.h"

namespace memory {
namespace {

TEST(ServerSettings, NobodyListensToStrangersByAccident) {
  ServerSettings settings;
  EXPECT_TRUE(CheckServerSettings(settings));
  for (const char* listen : {":7437", "0.0.0.0:7437", "10.0.0.1:7437", "[::]:7437"}) {
    settings.listen = listen;
    EXPECT_FALSE(CheckServerSettings(settings)) << listen;
  }
  settings.insecure = true;
  EXPECT_TRUE(CheckServerSettings(settings));
}

TEST(ServerSettings, WithTokensEverybodyMayReachThePort) {
  ServerSettings settings;
  settings.listen = ":7437";
  settings.auth = "kubernetes";
  EXPECT_NE(CheckServerSettings(settings).error().message.find("audience"), std::string::npos);
  settings.audiences = {"agent-memory.agents.agent-memory"};
  EXPECT_TRUE(CheckServerSettings(settings));
  settings.anonymous_role = "admin";
  EXPECT_FALSE(CheckServerSettings(settings));
}

TEST(ServerSettings, WhatContradictsItselfIsRefused) {
  ServerSettings settings;
  settings.audiences = {"agent-memory.agents.agent-memory"};  // and nobody is asked
  EXPECT_FALSE(CheckServerSettings(settings));
  settings.auth = "kubernetes";
  settings.insecure = true;
  EXPECT_FALSE(CheckServerSettings(settings));
  settings = {};
  settings.auth = "password";
  EXPECT_FALSE(CheckServerSettings(settings));
  settings = {};
  settings.store.read_timeout_ms = settings.store.query_deadline_ms;
  EXPECT_NE(CheckServerSettings(settings).error().message.find("read-timeout"), std::string::npos);
}

TEST(ServerSettings, AnEndpointIsAnAddressThatCanBeAskedInTime) {
  ServerSettings settings;
  settings.embeddings.endpoint.model = "small";
  settings.embeddings.endpoint.url = "https://user:sk-secret@host/v1";
  std::string why = CheckServerSettings(settings).error().message;
  EXPECT_TRUE(why.starts_with("embedding-url: ")) << why;
  EXPECT_EQ(why.find("sk-secret"), std::string::npos);
  settings.embeddings.endpoint.url = "https://host/v1";
  EXPECT_TRUE(CheckServerSettings(settings));
  settings.embeddings.endpoint.deadline_ms = settings.store.query_deadline_ms;
  why = CheckServerSettings(settings).error().message;
  EXPECT_TRUE(why.starts_with("embedding-deadline: ")) << why;
}

TEST(ServerSettings, AnExtractionEndpointIsAnAddressWithAModel) {
  ServerSettings settings;
  EXPECT_TRUE(settings.extraction.url.empty()) << "no model is asked by default";
  settings.extraction.url = "ftp://host/v1";
  std::string why = CheckServerSettings(settings).error().message;
  EXPECT_TRUE(why.starts_with("extraction-url: ")) << why;
  settings.extraction.url = "https://host/v1";
  why = CheckServerSettings(settings).error().message;
  EXPECT_TRUE(why.starts_with("extraction-model: ")) << why;
  settings.extraction.model = "small";
  EXPECT_TRUE(CheckServerSettings(settings));
}

TEST(ServerSettings, HostsAndOriginsAreForServersWithoutIdentity) {
  ServerSettings settings;
  settings.hosts = {"memory.agents.svc", "http://memory"};
  const std::string why = CheckServerSettings(settings).error().message;
  EXPECT_NE(why.find("hosts: \"http://memory\" is not a host name"), std::string::npos) << why;
  settings.hosts = {"memory.agents.svc"};
  settings.allowed_origins = {"https://pages.example.org"};
  EXPECT_TRUE(CheckServerSettings(settings));
  settings.auth = "kubernetes";
  settings.audiences = {"agent-memory.agents.agent-memory"};
  EXPECT_FALSE(CheckServerSettings(settings));
  settings.hosts.clear();
  EXPECT_FALSE(CheckServerSettings(settings));
  settings.allowed_origins.clear();
  EXPECT_TRUE(CheckServerSettings(settings));
}

TEST(ServerSettings, QuotasHoldWithIdentityAndElseOnlyWhenTheyAreGiven) {
  auto read = [](std::vector<std::string> flags) {
    flags.insert(flags.begin(), "agent-memory-server");
    auto invocation = base::ReadCommandLine(ServerProgram(), flags, {});
    EXPECT_TRUE(invocation.run) << invocation.output;
    return ReadServerSettings(invocation.settings);
  };
  const ServerSettings none = read({});
  EXPECT_EQ(none.budgets.per_minute, 0);
  EXPECT_EQ(none.store.quota.rows, 0);
  EXPECT_EQ(none.store.quota.bytes, 0);
  const ServerSettings given = read({"--quota-rows", "10"});
  EXPECT_EQ(given.store.quota.rows, 10);
  EXPECT_EQ(given.budgets.per_minute, 0);
  const ServerSettings known = read({"--auth", "kubernetes", "--audience", "a"});
  EXPECT_EQ(known.budgets.per_minute, 1200);
  EXPECT_EQ(known.budgets.burst, 6000);
  EXPECT_EQ(known.store.quota.rows, 2'000'000);
  EXPECT_EQ(known.store.quota.bytes, int64_t{2} << 30);
}

TEST(ServerSettings, TheFileInConfigStartsAndCheckConfigSaysWhatAStartSays) {
  auto read = [](std::vector<std::string> more) {
    std::vector<std::string> words = {"agent-memory-server", "--config", "config/memory.yaml"};
    words.insert(words.end(), more.begin(), more.end());
    return base::ReadCommandLine(ServerProgram(), words, {});
  };
  EXPECT_TRUE(read({}).run) << read({}).output;
  EXPECT_EQ(read({"--check-config"}).exit_code, 0);
  for (const std::vector<std::string>& bad : std::vector<std::vector<std::string>>{
           {"--listen", ":7437"}, {"--log-level", "loud"}, {"--listen", "example.org:1"}}) {
    const base::Invocation start = read(bad);
    EXPECT_EQ(start.exit_code, 64) << bad[1];
    EXPECT_NE(start.output.find(bad[1]), std::string::npos) << start.output;
    auto checked = bad;
    checked.push_back("--check-config");
    EXPECT_EQ(read(checked).exit_code, 64);
    EXPECT_EQ(read(checked).output, start.output);
  }
  EXPECT_TRUE(read({"--listen", "localhost:7411"}).run);
  EXPECT_FALSE(read({"serve"}).run) << "no word starts a daemon";
}

TEST(ServerSettings, ItListensForEverybodyOnlyWhereItAsksForTokens) {
  auto listen = [](std::vector<std::string> words) {
    words.insert(words.begin(), "agent-memory-server");
    const auto settings =
        ReadServerSettings(base::ReadCommandLine(ServerProgram(), words, {}).settings);
    return settings.listen + " " + settings.admin;
  };
  EXPECT_EQ(listen({}), "127.0.0.1:7437 127.0.0.1:7438");
  EXPECT_EQ(listen({"--auth", "kubernetes", "--audience", "a"}), ":7437 :7438");
  EXPECT_EQ(listen({"--listen", "127.0.0.1:0"}), "127.0.0.1:0 127.0.0.1:7438");
}

TEST(ServerSettings, TheFileInConfigHasEverySettingWithItsDefault) {
  auto text = base::ReadFile("config/memory.yaml");
  ASSERT_TRUE(text);
  auto file = base::ParseYaml(*text);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->size(), ServerProgram().settings.size());
  for (const base::Setting& setting : ServerProgram().settings) {
    ASSERT_TRUE(file->contains(setting.name)) << setting.name;
    const base::Json& value = (*file)[setting.name];
    EXPECT_EQ(value.is_string() ? value.get<std::string>() : value.dump(), setting.fallback)
        << setting.name;
  }
}

}  // namespace
}  // namespace memory
