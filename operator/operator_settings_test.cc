// config/operator.yaml has every setting with its default, and bad values fail the start.
#include "operator/operator_settings.h"

#include <gtest/gtest.h>

#include "lib/base/json/json.h"
#include "lib/base/json/yaml.h"
#include "lib/base/process/file.h"

namespace controller {
namespace {

using base::Json;

TEST(OperatorSettings, ConfigFileHasEverySettingAndDefault) {
  const Json file = base::ParseYaml(base::ReadFile("config/operator.yaml").value()).value();
  const base::Program& program = OperatorProgram();
  EXPECT_EQ(file.size(), program.settings.size());
  for (const base::Setting& setting : program.settings) {
    ASSERT_TRUE(file.contains(setting.name)) << setting.name;
    const Json& value = file[setting.name];
    EXPECT_EQ(value.is_string() ? value.get<std::string>() : value.dump(), setting.fallback)
        << setting.name;
  }
  EXPECT_TRUE(
      base::ReadCommandLine(program, {"operator", "--config", "config/operator.yaml"}, {}).run);
  for (const char* bad : {"--lease=operator", "--injection-mode=never", "--admin=here",
                          "--log-level=loud", "--otlp-endpoint=collector", "rendr"}) {
    const auto start = base::ReadCommandLine(program, {"operator", bad}, {});
    EXPECT_EQ(start.exit_code, 64) << bad;
    EXPECT_EQ(base::ReadCommandLine(program, {"operator", bad, "--check-config"}, {}).output,
              start.output);
  }
}

}  // namespace
}  // namespace controller
