// The output, the refusals and the files of `render`.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "lib/api/policy.h"
#include "lib/base/json/yaml.h"
#include "lib/base/process/file.h"
#include "lib/base/process/random.h"
#include "lib/base/text/text.h"
#include "operator/commands/commands.h"

namespace controller {
namespace {

using base::Json;
namespace fs = std::filesystem;

struct Answer {
  int code;
  std::string out, err;
};
Answer Render(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  const int code = RunRender(arguments, out, err);
  return {code, out.str(), err.str()};
}

class RenderTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  std::string File(const std::string& name, const std::string& text) {
    const std::string path = (folder_ / name).string();
    EXPECT_TRUE(base::ReplaceFile(path, text));
    return path;
  }
  fs::path folder_ = fs::temp_directory_path() / ("render-" + base::RandomHex(4));
};

TEST_F(RenderTest, SidecarGetsTheTraceEndpoint) {
  const std::string endpoint = "--otlp-endpoint=http://collector.observability:4318";
  const Answer told = Render({"-f", "config/samples/agent.yaml", endpoint});
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_NE(told.out.find(endpoint), std::string::npos) << told.out;
  EXPECT_EQ(Render({"-f", "config/samples/agent.yaml"}).out.find("otlp"), std::string::npos);
  const Answer bad = Render({"-f", "config/samples/agent.yaml", "--otlp-endpoint=collector:4318"});
  EXPECT_EQ(bad.code, 64);
  EXPECT_NE(bad.err.find("otlp-endpoint"), std::string::npos) << bad.err;
}

TEST_F(RenderTest, PolicyWithoutServerIsAWarning) {
  const std::vector<std::string> words = {"config/samples/agent.yaml", "-o", folder_.string()};
  EXPECT_NE(Render(words).err.find("names no memory server, so a sidecar with it finds none; add "
                                   "--memory-url URL"),
            std::string::npos);
  std::vector<std::string> named = words;
  named.push_back("--memory-url=http://127.0.0.1:7437");
  EXPECT_EQ(Render(named).err.find("--memory-url"), std::string::npos) << Render(named).err;
}

TEST_F(RenderTest, SampleRendersObjectsAndValidPolicy) {
  const std::string directory = (folder_ / "out").string();
  Answer answer = Render({"-f", "config/samples/agent.yaml", "--memory-url",
                          "http://127.0.0.1:7437", "-o", directory});
  ASSERT_EQ(answer.code, 0) << answer.err;
  std::set<std::string> kinds;
  const std::vector<Json> objects = base::ParseYamlDocuments(answer.out).value();
  for (const Json& object : objects) kinds.insert(object["kind"]);
  EXPECT_EQ(kinds, (std::set<std::string>{"ConfigMap", "ServiceAccount", "StatefulSet"}));
  const std::string file = base::ReadFile(directory + "/policy.json").value();
  auto policy = api::DecodePolicy(base::ParseJson(file).value());
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_EQ(policy->server_url, "http://127.0.0.1:7437");
  EXPECT_EQ(policy->project, "coder");
  EXPECT_TRUE(fs::exists(directory + "/statefulset-coder.yaml"));
  const std::string map = base::ReadFile(directory + "/configmap-coder-policy.yaml").value();
  EXPECT_EQ(base::ParseYaml(map).value()["data"]["policy.json"], file)
      << "the same bytes as in the cluster";
}

TEST_F(RenderTest, FurtherFilesAreTheCluster) {
  const std::string service =
      File("service.yaml",
           "{apiVersion: v1, kind: Service, metadata: {name: agent-memory, namespace: agents}, "
           "spec: {ports: [{port: 7000}]}}");
  Answer answer =
      Render({"-f", "config/samples/agent.yaml", "-f", service, "--cluster-domain=my.net"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_NE(answer.out.find("http://agent-memory.agents.svc.my.net:7000"), std::string::npos);
}

TEST_F(RenderTest, RunOfATaskIsAJob) {
  const std::string task = File(
      "task.yaml",
      "{apiVersion: agents.agentops.io/v1alpha1, kind: Agent, metadata: {name: t}, spec: {mode: "
      "task, "
      "image: x, memory: {serverRef: m}}}\n---\n{apiVersion: agents.agentops.io/v1alpha1, kind: "
      "AgentRun, metadata: {name: r}, spec: {agentRef: t, prompt: go}}");
  const Answer answer = Render({"-f", task, "--memory-url=http://127.0.0.1:7437"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  std::vector<std::string> kinds;
  const std::vector<Json> objects = base::ParseYamlDocuments(answer.out).value();
  for (const Json& object : objects) kinds.push_back(object["kind"]);
  EXPECT_EQ(kinds, (std::vector<std::string>{"ServiceAccount", "ConfigMap", "ConfigMap", "Job"}));
  EXPECT_NE(answer.out.find("audience: agent-memory.default.m"), std::string::npos) << answer.out;
  EXPECT_NE(Render({"-f", task}).err.find("AgentRun r becomes no Job"), std::string::npos);
}

TEST_F(RenderTest, InvalidAgentIsRefusedNamingTheField) {
  const std::string agent = File(
      "agent.yaml",
      "{apiVersion: agents.agentops.io/v1alpha1, kind: Agent, metadata: {name: a}, spec: {image: "
      "x, memory: {serverRef: m, contextLimit: 51, contextLimt: 1}}}");
  Answer answer = Render({"-f", agent});
  EXPECT_EQ(answer.code, 1);
  EXPECT_NE(answer.err.find("spec.memory.contextLimit: Invalid value: 51"), std::string::npos)
      << answer.err;
  EXPECT_NE(answer.err.find("unknown field \"spec.memory.contextLimt\""), std::string::npos)
      << answer.err;
  EXPECT_EQ(answer.out, "");
}

TEST_F(RenderTest, UnmetConditionIsAWarning) {
  Answer answer = Render({"-f", "config/samples/agent.yaml"});
  EXPECT_EQ(answer.code, 0);
  EXPECT_NE(answer.err.find("MemoryResolved=False (ServiceNotFound)"), std::string::npos)
      << answer.err;
}

TEST_F(RenderTest, WrongCallsAndFilesHaveTheirExitCodes) {
  EXPECT_EQ(Render({}).code, 64);
  EXPECT_EQ(Render({"-f"}).code, 64);
  EXPECT_EQ(Render({"--nothing", "x"}).code, 64);
  EXPECT_EQ(Render({"--help"}).code, 0);
  EXPECT_EQ(Render({"-f", "/does/not/exist"}).code, 1);
  EXPECT_EQ(Render({"-f", File("empty.yaml", "")}).code, 1);
  EXPECT_EQ(Render({"-f", File("bad.yaml", "a: [")}).code, 1);
  EXPECT_EQ(Render({"-f", File("list.yaml", "[1]")}).code, 1);
  const std::string odd =
      File("odd.yaml",
           "{kind: Service, metadata: {namespace: agents}, spec: {ports: [1]}}\n---\n"
           "{kind: EndpointSlice, metadata: {name: x, namespace: agents, labels: "
           "{kubernetes.io/service-name: agent-memory}}, ports: [1], endpoints: [2]}\n---\n"
           "{kind: Service, metadata: {name: agent-memory, namespace: agents}, spec: "
           "{clusterIP: None, ports: [{name: memory, port: 1, targetPort: x}]}}");
  EXPECT_EQ(Render({"-f", "config/samples/agent.yaml", "-f", odd}).code, 0);
  EXPECT_EQ(Render({"-f", File("metadata.yaml", "{kind: Pod, metadata: 3}")}).code, 1);
  EXPECT_EQ(
      Render({"-f", File("kind.yaml", "{apiVersion: agents.agentops.io/v1alpha1, kind: Agnet}")})
          .code,
      1);
}

TEST_F(RenderTest, SeveralAgentsAreNotWrittenIntoOneFolder) {
  const std::vector<std::string> both = {"-f", "config/samples/agent.yaml", "-f",
                                         "config/samples/agent-quiet.yaml"};
  EXPECT_EQ(Render(both).code, 0);
  std::vector<std::string> written = both;
  written.insert(written.end(), {"-o", (folder_ / "out").string()});
  EXPECT_EQ(Render(written).code, 1);
}

}  // namespace
}  // namespace controller
