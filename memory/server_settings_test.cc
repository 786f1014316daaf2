// What the server refuses to start with, and that config/memory.yaml says the truth.
#include "memory/server_settings.h"

#include <gtest/gtest.h>

#include "lib/base/file.h"
#include "lib/base/json.h"

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

TEST(ServerSettings, WhatIsNotServedYetSaysSo) {
  ServerSettings settings;
  settings.auth = "kubernetes";
  EXPECT_NE(CheckServerSettings(settings).error().message.find("not served yet"),
            std::string::npos);
  settings.auth = "password";
  EXPECT_FALSE(CheckServerSettings(settings));
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
