// Metrics, their rendering, and the table of names.
#include "lib/telemetry/metrics.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "lib/base/process/file.h"
#include "lib/base/text/text.h"

namespace telemetry {
namespace {

TEST(Metrics, CountsByLabels) {
  Metrics metrics;
  const Labels a = {{"server", "api"}, {"code", "200"}};
  metrics.Count("agent_memory_http_requests_total", a);
  metrics.Count("agent_memory_http_requests_total", a, 2);
  EXPECT_EQ(metrics.Value("agent_memory_http_requests_total", a), 3);
  EXPECT_EQ(metrics.Value("agent_memory_http_requests_total", {{"code", "500"}}), 0);
}

TEST(Metrics, RendersPrometheusText) {
  Metrics metrics;
  metrics.Count("agent_memory_http_requests_total", {{"route", "/a\"\n\\{b}"}});
  metrics.SetGauge("process_threads", 7);
  metrics.Observe("agent_memory_http_request_seconds", 0.002);
  const std::string text = metrics.Render();
  EXPECT_NE(text.find("# TYPE agent_memory_http_requests_total counter\n"), std::string::npos);
  EXPECT_NE(text.find(R"(agent_memory_http_requests_total{route="/a\"\n\\{b}"} 1)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("process_threads 7\n"), std::string::npos);
  EXPECT_NE(text.find("agent_memory_http_request_seconds_bucket{le=\"0.0025\"} 1\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("process_open_fds"), std::string::npos) << "unused metrics are not there";
}

TEST(Metrics, RemovedCounterRestartsAtZero) {
  Metrics metrics;
  const Labels rule = {{"rule", "gone"}};
  metrics.Count("agent_memory_sidecar_captures_total", rule, 3);
  metrics.RemoveCounter("agent_memory_sidecar_captures_total", rule);
  metrics.RemoveCounter("agent_memory_sidecar_captures_total", {{"rule", "never there"}});
  EXPECT_EQ(metrics.Render().find("rule=\"gone\""), std::string::npos);
  metrics.Count("agent_memory_sidecar_captures_total", rule);
  EXPECT_EQ(metrics.Value("agent_memory_sidecar_captures_total", rule), 1);
}

TEST(Metrics, AreThreadSafe) {
  Metrics metrics;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) {
          metrics.Count("agent_memory_http_requests_total", {{"code", std::to_string(i % 5)}});
        }
      });
    }
  }
  EXPECT_EQ(metrics.Value("agent_memory_http_requests_total", {{"code", "3"}}), 800);
}

TEST(KnownMetrics, AreNamedByTheRules) {
  std::set<std::string> names;
  for (const MetricInfo& metric : KnownMetrics()) {
    const std::string name = metric.name, type = metric.type;
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_TRUE(type == "counter" || type == "gauge" || type == "histogram") << name;
    EXPECT_EQ(type == "counter", name.ends_with("_total")) << name;
    EXPECT_FALSE(type == "histogram" && !name.ends_with("_seconds")) << name;
    const bool ours = name.starts_with("agent_memory_") || name.starts_with("process_");
    // The operator uses controller-runtime's names, so that existing dashboards fit.
    const bool theirs = name.starts_with("controller_runtime_") || name.starts_with("workqueue_") ||
                        name.starts_with("rest_client_") || name.starts_with("leader_election_");
    // docs/acceptance-operator.md, row 18, requires this name.
    const bool asked = name == "agentops_injection_skipped_total";
    EXPECT_TRUE(ours || theirs || asked) << name;
    EXPECT_TRUE(std::string(metric.help).ends_with('.')) << name;
  }
}

// Rows of the table in docs/operations/monitoring.md: | `name` | type | … | what to do |.
std::map<std::string, std::vector<std::string>> DocumentedMetrics() {
  std::map<std::string, std::vector<std::string>> rows;
  const std::string text = *base::ReadFile("docs/operations/monitoring.md");
  for (const std::string& line : base::Split(text, '\n')) {
    if (!line.starts_with("| `")) continue;
    std::vector<std::string> cells = base::Split(line, '|');
    const std::string name(base::Trim(cells[1]));
    const std::string bare = name.substr(1, name.size() - 2);
    const std::string type(base::Trim(cells[2]));
    if (type == "counter" || type == "gauge" || type == "histogram") rows[bare] = cells;
  }
  return rows;
}

TEST(KnownMetrics, AreDocumentedWithTypeAndRemedy) {
  auto documented = DocumentedMetrics();
  for (const MetricInfo& metric : KnownMetrics()) {
    const auto row = documented.find(metric.name);
    if (row == documented.end()) {
      ADD_FAILURE() << metric.name << " is not in docs/operations/monitoring.md";
      continue;
    }
    ASSERT_EQ(row->second.size(), 6u) << metric.name << " needs four cells";
    EXPECT_EQ(base::Trim(row->second[2]), metric.type) << metric.name;
    EXPECT_FALSE(base::IsBlank(row->second[3])) << metric.name << " has no unit";
    EXPECT_FALSE(base::IsBlank(row->second[4])) << metric.name << " does not say what to do";
    documented.erase(row);
  }
  for (const auto& [name, cells] : documented) ADD_FAILURE() << name << " is no metric of ours";
}

TEST(MetricsDeathTest, UnknownNameEndsTheProcess) {
  Metrics metrics;
  EXPECT_DEATH(metrics.Count("agent_memory_nonsense_total"), "agent_memory_nonsense_total");
  EXPECT_DEATH(metrics.Count("process_threads"), "no counter named process_threads");
}

}  // namespace
}  // namespace telemetry
