// The answers of the admission webhook about pods, without a network.
#include "operator/admission/pod_review.h"

#include <gtest/gtest.h>

#include "lib/base/text/base64.h"
#include "operator/names/names.h"
#include "operator/pods/injection.h"

namespace controller {
namespace {

using base::Json;

Json Pod() {
  return {{"metadata", {{"name", "p"}, {"labels", {{kMemoryLabel, "coder"}}}}},
          {"spec",
           {{"containers", {{{"name", "app"}, {"image", "app:1"}}}},
            {"initContainers", {{{"name", "seed"}, {"image", "s:1"}}}},
            {"volumes", {{{"name", "v"}, {"emptyDir", Json::object()}}}}}}};
}

Json ReviewOf(const Json& pod) {
  return {{"apiVersion", "admission.k8s.io/v1"},
          {"kind", "AdmissionReview"},
          {"request",
           {{"uid", "u-1"},
            {"namespace", "n"},
            {"resource", {{"group", ""}, {"version", "v1"}, {"resource", "pods"}}},
            {"object", pod}}}};
}

Json AgentOfPod() {
  SidecarShape shape;
  shape.image = "sidecar:1";
  shape.audience = "agent-memory";
  shape.policy_map = "coder-policy";
  return {{"spec", {{"injection", {{"foreignPods", true}, {"placement", "Last"}}}}},
          {"status", {{"foreignPods", ForeignParts(shape)}}}};
}

AgentLookup Having(std::optional<Json> agent) {
  return [agent](const kube::ObjectKey& key) {
    EXPECT_EQ(key.Text(), "n/coder");
    return base::Result<std::optional<Json>>(agent);
  };
}

Json Injected() {
  Json pod = Pod();
  InjectIntoForeignPod(pod, AgentOfPod()["status"]["foreignPods"], "Last");
  return pod;
}

std::string MessageOf(const base::Result<Json>& answer) {
  return base::StringAt(answer.value(), {"response", "status", "message"});
}

TEST(PodReview, PatchMakesThePodOfRender) {
  const auto answer = AnswerMutation(ReviewOf(Pod()), Having(AgentOfPod()));
  ASSERT_TRUE(answer) << answer.error().message;
  const Json response = (*answer)["response"];
  EXPECT_EQ(response["uid"], "u-1");
  EXPECT_EQ(response["allowed"], true);
  EXPECT_EQ(response["patchType"], "JSONPatch");
  const auto patch =
      base::ParseJson(base::DecodeBase64(base::StringAt(response, {"patch"})).value());
  EXPECT_EQ(Pod().patch(*patch), Injected());
  EXPECT_EQ(Injected()["spec"]["initContainers"][1]["name"], "memory");
}

TEST(PodReview, InjectedPodIsNotChangedAgain) {
  const auto answer = AnswerMutation(ReviewOf(Injected()), Having(AgentOfPod()));
  EXPECT_EQ(base::DecodeBase64(base::StringAt(*answer, {"response", "patch"})).value(), "[]");
}

TEST(PodReview, PodWithoutLabelIsAdmitted) {
  Json pod = Pod();
  pod["metadata"].erase("labels");
  const auto answer = AnswerMutation(ReviewOf(pod), nullptr);
  EXPECT_EQ(base::DumpJson((*answer)["response"]), R"({"allowed":true,"uid":"u-1"})");
  EXPECT_EQ(AnswerValidation(ReviewOf(pod)).value()["response"]["allowed"], true);
}

TEST(PodReview, AgentWithoutPartsIsRefusedByName) {
  Json closed = AgentOfPod(), young = AgentOfPod();
  closed["spec"]["injection"]["foreignPods"] = false;
  young.erase("status");
  for (const std::optional<Json>& agent :
       {std::optional<Json>(), std::optional(closed), std::optional(young)}) {
    const auto answer = AnswerMutation(ReviewOf(Pod()), Having(agent));
    EXPECT_EQ((*answer)["response"]["allowed"], false);
    EXPECT_EQ((*answer)["response"]["status"]["code"], 403);
    EXPECT_NE(MessageOf(answer).find("Agent n/coder, which gives none"), std::string::npos);
    EXPECT_NE(MessageOf(answer).find("kubectl get agent -n n coder"), std::string::npos);
  }
}

TEST(PodReview, UninjectablePodIsSkippedOrRefusedWithReason) {
  Json pod = Pod();
  pod["spec"]["hostNetwork"] = true;
  for (const auto& answer :
       {AnswerMutation(ReviewOf(pod), nullptr), AnswerValidation(ReviewOf(pod))})
    EXPECT_EQ(base::DumpJson((*answer)["response"]), R"({"allowed":true,"uid":"u-1"})");
  pod = Injected();
  pod["spec"]["securityContext"]["runAsUser"] = 0;
  for (const auto& answer :
       {AnswerMutation(ReviewOf(pod), nullptr), AnswerValidation(ReviewOf(pod))})
    EXPECT_NE(MessageOf(answer).find("must not run as root"), std::string::npos);
}

TEST(PodReview, FailedLookupIsAnError) {
  const auto answer = AnswerMutation(ReviewOf(Pod()), [](const kube::ObjectKey&) {
    return base::Result<std::optional<Json>>(base::Error{base::Code::kUnavailable, "not yet"});
  });
  EXPECT_EQ(answer.error().code, base::Code::kUnavailable);
}

TEST(PodReview, ValidationRefusesEveryChangedSidecar) {
  auto said = [](const std::function<void(Json & spec, Json & sidecar)>& change) {
    Json pod = Injected();
    change(pod["spec"], pod["spec"]["initContainers"][1]);
    return MessageOf(AnswerValidation(ReviewOf(pod)));
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_EQ(said([](Json&, Json&) {}), "");
  EXPECT_TRUE(has(said([](Json& spec, Json&) { spec.erase("initContainers"); }), "has no init"));
  EXPECT_TRUE(has(said([](Json&, Json& sidecar) { sidecar.erase("restartPolicy"); }),
                  "took restartPolicy"));
  const std::pair<const char*, Json> floors[] = {{"runAsNonRoot", false},
                                                 {"allowPrivilegeEscalation", true},
                                                 {"readOnlyRootFilesystem", nullptr},
                                                 {"capabilities", Json::object()},
                                                 {"privileged", true}};
  for (const auto& [field, value] : floors)
    EXPECT_TRUE(has(said([&](Json&, Json& sidecar) { sidecar["securityContext"][field] = value; }),
                    "weakened"))
        << field;
  EXPECT_TRUE(has(said([](Json&, Json& sidecar) {
                    sidecar["securityContext"]["capabilities"]["add"] = {"NET_ADMIN"};
                  }),
                  "weakened"));
  EXPECT_TRUE(has(said([](Json& spec, Json&) {
                    for (Json& volume : spec["volumes"])
                      if (volume.contains("configMap"))
                        volume["configMap"]["name"] = "other-policy";
                  }),
                  "another Agent"));
}

TEST(PodReview, InvalidReviewIsRefused) {
  for (const char* text :
       {"null", "[]", "{}", R"({"apiVersion":"admission.k8s.io/v1"})",
        R"({"apiVersion":"admission.k8s.io/v1","request":{"uid":"u","object":1}})"}) {
    const Json review = Json::parse(text);
    EXPECT_EQ(AnswerMutation(review, nullptr).error().code, base::Code::kInvalid) << text;
    EXPECT_EQ(AnswerValidation(review).error().code, base::Code::kInvalid) << text;
  }
  const std::pair<const char*, Json> damages[] = {{"/spec", 1},
                                                  {"/spec/containers", Json::array()},
                                                  {"/spec/containers", {1}},
                                                  {"/spec/containers/0/env", {{"a", 1}}},
                                                  {"/spec/initContainers", "x"},
                                                  {"/spec/initContainers", {nullptr}},
                                                  {"/spec/volumes", {3}},
                                                  {"/metadata/annotations", "x"}};
  for (const auto& [path, value] : damages) {
    Json pod = Pod();
    pod[Json::json_pointer(path)] = value;
    EXPECT_EQ(AnswerMutation(ReviewOf(pod), Having(AgentOfPod())).error().code,
              base::Code::kInvalid)
        << path << base::DumpJson(value);
  }
  Json pod = Pod();
  pod["spec"]["initContainers"] = nullptr;
  pod["spec"]["volumes"] = nullptr;
  pod["metadata"]["annotations"] = nullptr;
  EXPECT_TRUE(AnswerMutation(ReviewOf(pod), Having(AgentOfPod())));
}

}  // namespace
}  // namespace controller
