// Foreign pods that `explain` injects, refuses or leaves unchanged.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "lib/base/json/json.h"
#include "lib/base/json/yaml.h"
#include "lib/base/process/random.h"
#include "lib/base/text/text.h"
#include "operator/commands/commands.h"

namespace controller {
namespace {

using base::Json;

constexpr const char* kAgentYaml =
    "{apiVersion: agents.agentops.io/v1alpha1, kind: Agent, metadata: {name: coder}, spec: {image: "
    "'i:1', injection: {foreignPods: true}, memory: {serverRef: m}}}";

class ExplainTest : public testing::Test {
 protected:
  ExplainTest() { std::filesystem::create_directory(folder_); }
  ~ExplainTest() override { std::filesystem::remove_all(folder_); }
  struct Answer {
    int code;
    std::string out, err;
  };
  Answer Explain(const std::string& yaml) {
    std::ofstream(folder_ / "x.yaml") << yaml;
    std::ostringstream out, err;
    const int code = RunExplain({"pod", "-f", (folder_ / "x.yaml").string()}, out, err);
    return {code, out.str(), err.str()};
  }
  static std::string Pod(const std::string& agent, const std::string& spec = "") {
    return "---\n{apiVersion: v1, kind: Pod, metadata: {name: p, labels: "
           "{agents.agentops.io/memory: '" +
           agent + "'}}, spec: {containers: [{name: app, image: a}]" + spec + "}}\n";
  }
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("explain-" + base::RandomHex(8));
};

TEST_F(ExplainTest, InjectedPodIsPrinted) {
  const Answer answer = Explain(std::string(kAgentYaml) + "\n" + Pod("coder"));
  EXPECT_EQ(answer.code, 0) << answer.err;
  const Json pod = base::ParseYaml(answer.out).value();
  EXPECT_EQ(pod["spec"]["initContainers"][0]["name"], "memory");
  EXPECT_NE(answer.err.find("Pod default/p gets the memory of Agent default/coder"),
            std::string::npos)
      << answer.err;
}

TEST_F(ExplainTest, WorkloadIsExplainedByItsPod) {
  const std::string made =
      "{metadata: {labels: {agents.agentops.io/memory: coder}}, spec: {containers: [{name: app, "
      "image: a}]}}";
  for (const char* kind : {"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job"}) {
    const Answer answer =
        Explain(std::string(kAgentYaml) + "\n---\n{apiVersion: apps/v1, kind: " + kind +
                ", metadata: {name: w}, spec: {template: " + made + "}}\n");
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_EQ(base::ParseYaml(answer.out).value()["spec"]["initContainers"][0]["name"], "memory");
    EXPECT_NE(answer.err.find("a Pod of " + std::string(kind) + " default/w gets the memory of"),
              std::string::npos)
        << answer.err;
  }
  const Answer timed = Explain(std::string(kAgentYaml) +
                               "\n---\n{apiVersion: batch/v1, kind: CronJob, metadata: {name: w}, "
                               "spec: {jobTemplate: {spec: {template: " +
                               made + "}}}}\n");
  EXPECT_NE(timed.err.find("a Pod of CronJob default/w gets"), std::string::npos) << timed.err;
  for (const char* odd : {"{}", "{template: 7}", "[]", "{template: {metadata: 7}}"})
    EXPECT_NO_THROW(Explain(std::string(kAgentYaml) +
                            "\n---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: w}, "
                            "spec: " +
                            odd + "}\n"))
        << odd;
}

TEST_F(ExplainTest, RefusedPodHasReasonAndExitCode) {
  std::string closed = kAgentYaml;
  closed.replace(closed.find("true"), 4, "false");
  const std::tuple<std::string, std::string, const char*> cases[] = {
      {kAgentYaml, Pod("coder", ", securityContext: {runAsUser: 0}"), "runAsUser is 0"},
      {kAgentYaml, Pod("codr"), "there is no Agent codr in namespace default"},
      {closed, Pod("coder"), "foreignPods"},
  };
  for (const auto& [agent, pod, reason] : cases) {
    const Answer answer = Explain(agent + "\n" + pod);
    EXPECT_EQ(answer.code, 1);
    EXPECT_EQ(answer.out, "");
    EXPECT_NE(answer.err.find(reason), std::string::npos) << answer.err;
  }
}

TEST_F(ExplainTest, UninjectablePodIsUnchanged) {
  const std::pair<std::string, const char*> cases[] = {
      {Pod("coder", ", hostNetwork: true"), "hostNetwork"},
      {Pod("coder", ", os: {name: windows}"), "Windows"},
      {Pod("coder", ", nodeSelector: {kubernetes.io/os: windows}"), "Windows"},
  };
  for (const auto& [pod, reason] : cases) {
    const Answer answer = Explain(std::string(kAgentYaml) + "\n" + pod);
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_FALSE(base::ParseYaml(answer.out).value()["spec"].contains("initContainers"));
    EXPECT_NE(answer.err.find("left as it is: it"), std::string::npos) << answer.err;
    EXPECT_NE(answer.err.find(reason), std::string::npos) << answer.err;
  }
}

TEST_F(ExplainTest, PodWithoutLabelIsUnchanged) {
  const Answer answer = Explain(
      "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: "
      "a}]}}");
  EXPECT_EQ(answer.code, 0);
  EXPECT_NE(answer.err.find("left as it is"), std::string::npos) << answer.err;
  EXPECT_EQ(answer.out.find("memory"), std::string::npos) << answer.out;
}

TEST_F(ExplainTest, WrongCallExits64) {
  std::ostringstream out, err;
  EXPECT_EQ(RunExplain({}, out, err), 64);
  EXPECT_EQ(RunExplain({"pod"}, out, err), 64);
  EXPECT_EQ(RunExplain({"--fil", "x"}, out, err), 64);
  EXPECT_EQ(RunExplain({"--help"}, out, err), 0);
  EXPECT_EQ(Explain(kAgentYaml).code, 1) << "no Pod in the files";
}

}  // namespace
}  // namespace controller
