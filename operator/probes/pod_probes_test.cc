// Which pods of memory servers are probed.
#include "operator/probes/pod_probes.h"

#include <gtest/gtest.h>

#include "lib/base/process/clock.h"
#include "operator/names/names.h"

namespace controller {
namespace {

using base::Json;

TEST(ServerProbe, ProbesReadyRestartedOrOldServers) {
  const int64_t started_ms = base::ParseTime("2026-01-02T00:00:00Z").value();
  Json pod = {{"metadata", {{"name", "s-0"}}},
              {"status",
               {{"containerStatuses",
                 {{{"name", kServerContainer},
                   {"restartCount", 0},
                   {"state", {{"running", {{"startedAt", "2026-01-02T00:00:00Z"}}}}}}}}}}};
  EXPECT_FALSE(ShouldProbe(pod, started_ms + 60'000));
  EXPECT_TRUE(ShouldProbe(pod, started_ms + 121'000)) << "what keeps it is worth knowing";
  Json& status = pod["status"];
  status["containerStatuses"][0]["restartCount"] = 1;
  EXPECT_TRUE(ShouldProbe(pod, started_ms));
  status["containerStatuses"][0]["restartCount"] = 0;
  status["conditions"] = {{{"type", "Ready"}, {"status", "True"}}};
  EXPECT_TRUE(ShouldProbe(pod, started_ms));
  EXPECT_FALSE(ShouldProbe({{"status", Json::object()}}, started_ms));
}

}  // namespace
}  // namespace controller
