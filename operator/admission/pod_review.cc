// The messages equal those of the chart's policies, so that users read the same in both modes.
#include "operator/admission/pod_review.h"

#include "lib/base/text/base64.h"
#include "operator/names/names.h"
#include "operator/pods/foreign_pods.h"
#include "operator/pods/injection.h"

namespace controller {
namespace {

using base::Json;

constexpr const char* kReviewVersion = "admission.k8s.io/v1";
constexpr int kForbidden = 403;

struct Question {
  std::string uid;
  kube::ObjectKey agent;  // no name: no label, or no sidecar possible
  const Json* pod = nullptr;
};

base::Error Bad(const std::string& what) {
  return {base::Code::kInvalid, "AdmissionReview: " + what};
}

bool IsListOfObjects(const Json& object, const char* name) {
  const Json* list = base::At(object, {name});
  if (!list || list->is_null()) return true;
  if (!list->is_array()) return false;
  for (const Json& item : *list)
    if (!item.is_object()) return false;
  return true;
}

// API servers send this shape, but other clients may call as well.
bool IsPod(const Json& pod) {
  const Json* spec = base::At(pod, {"spec"});
  const Json* metadata = base::At(pod, {"metadata"});
  if (!spec || !spec->is_object() || !metadata || !metadata->is_object()) return false;
  for (const char* list : {"containers", "initContainers", "volumes"})
    if (!IsListOfObjects(*spec, list)) return false;
  const Json* containers = base::At(*spec, {"containers"});
  if (!containers || !containers->is_array() || containers->empty() ||
      !IsListOfObjects(containers->front(), "env"))
    return false;
  const Json* annotations = base::At(*metadata, {"annotations"});
  return !annotations || annotations->is_null() || annotations->is_object();
}

base::Result<Question> Read(const Json& review) {
  Question question;
  if (base::StringAt(review, {"apiVersion"}) != kReviewVersion)
    return Bad("apiVersion is not " + std::string(kReviewVersion));
  question.uid = base::StringAt(review, {"request", "uid"});
  question.pod = base::At(review, {"request", "object"});
  if (question.uid.empty()) return Bad("request.uid is missing");
  if (!question.pod || base::StringAt(review, {"request", "resource", "resource"}) != "pods")
    return Bad("request.object is no pod: the configuration should ask about pods only");
  if (!IsPod(*question.pod)) return Bad("request.object has not the shape of a pod");
  question.agent = {
      base::StringAt(review, {"request", "namespace"}),
      SkipOf(*question.pod).reason.empty() ? kube::LabelOf(*question.pod, kMemoryLabel) : ""};
  return question;
}

std::string Asks(const Question& question) {
  return "the pod asks for the memory of Agent " + question.agent.Text();
}

std::string Leave() { return std::string(", or remove the label ") + kMemoryLabel; }

Json Answer(const Question& question, Json response) {
  response["uid"] = question.uid;
  return {{"apiVersion", kReviewVersion},
          {"kind", "AdmissionReview"},
          {"response", std::move(response)}};
}

Json Refuse(const Question& question, const std::string& words) {
  return Answer(question, {{"allowed", false},
                           {"status",
                            {{"status", "Failure"},
                             {"code", kForbidden},
                             {"reason", "Forbidden"},
                             {"message", Asks(question) + words}}}});
}

// The parts of an Agent for foreign pods; null: none.
const Json* PartsOf(const std::optional<Json>& agent) {
  const Json* wished = agent ? base::At(*agent, {"spec", "injection", "foreignPods"}) : nullptr;
  return wished && *wished == true ? base::At(*agent, {"status", "foreignPods"}) : nullptr;
}

bool IsTrue(const Json& object, const char* field, bool wanted = true) {
  const Json* value = base::At(object, {field});
  return value && *value == wanted;
}

bool IsRestricted(const Json& sidecar) {
  const Json* security = base::At(sidecar, {"securityContext"});
  if (!security) return false;
  const Json* dropped = base::At(*security, {"capabilities", "drop"});
  bool all = false;
  if (dropped && dropped->is_array())
    for (const Json& capability : *dropped) all = all || capability == "ALL";
  const Json* privileged = base::At(*security, {"privileged"});
  return IsTrue(*security, "runAsNonRoot") &&
         IsTrue(*security, "allowPrivilegeEscalation", false) &&
         IsTrue(*security, "readOnlyRootFilesystem") && all &&
         !base::At(*security, {"capabilities", "add"}) &&
         (!privileged || *privileged == false || privileged->is_null());
}

}  // namespace

base::Json PodPatch(const base::Json& before, const base::Json& after) {
  Json patch = Json::array();
  auto compare = [&](std::initializer_list<const char*> keys, const char* path) {
    const Json *was = base::At(before, keys), *is = base::At(after, keys);
    if (is && (!was || *was != *is))
      patch.push_back({{"op", "add"}, {"path", path}, {"value", *is}});
  };
  compare({"metadata", "annotations"}, "/metadata/annotations");
  compare({"spec", "initContainers"}, "/spec/initContainers");
  compare({"spec", "volumes"}, "/spec/volumes");
  const Json was = before["spec"]["containers"][0].value("env", Json());
  const Json is = after["spec"]["containers"][0].value("env", Json());
  if (was != is)
    patch.push_back({{"op", "add"}, {"path", "/spec/containers/0/env"}, {"value", is}});
  return patch;
}

base::Result<base::Json> AnswerMutation(const base::Json& review, const AgentLookup& agent_of) {
  ASSIGN_OR_RETURN(const Question question, Read(review));
  if (question.agent.name.empty()) return Answer(question, {{"allowed", true}});
  if (const std::string fault = ForeignPodFault(*question.pod); !fault.empty())
    return Refuse(question, ", and cannot have it: " + fault + "; change that" + Leave());
  ASSIGN_OR_RETURN(const std::optional<Json> agent, agent_of(question.agent));
  const Json* parts = PartsOf(agent);
  if (!parts)
    return Refuse(question,
                  ", which gives none: there is no such Agent in this namespace, its "
                  "spec.injection.foreignPods is not true, or it was changed a moment ago. See "
                  "kubectl get agent -n " +
                      question.agent.name_space + " " + question.agent.name +
                      "; correct the label" + Leave());
  Json pod = *question.pod;
  InjectIntoForeignPod(pod, *parts,
                       base::StringAt(*agent, {"spec", "injection", "placement"}, "First"));
  return Answer(question,
                {{"allowed", true},
                 {"patchType", "JSONPatch"},
                 {"patch", base::EncodeBase64(base::DumpJson(PodPatch(*question.pod, pod)))}});
}

std::string SidecarFault(const base::Json& pod, const std::string& agent) {
  const Json* sidecar = FindNamed(pod["spec"], "initContainers", kSidecarContainer);
  if (!sidecar) return ", and has no init container memory: create the pod again";
  if (base::StringAt(*sidecar, {"restartPolicy"}) != "Always")
    return ", and something took restartPolicy from its init container memory, which would then "
           "block the pod: look for a webhook with an old client";
  if (!IsRestricted(*sidecar))
    return ", and something weakened the securityContext of its init container memory: it must "
           "run as non-root, without privileges, on a read-only file system";
  const Json* volume = FindNamed(pod["spec"], "volumes", kPolicyVolume);
  if (!volume || base::StringAt(*volume, {"configMap", "name"}) != PolicyConfigMapName(agent))
    return ", but its init container memory is that of another Agent or of none: remove it and "
           "the volumes agent-memory-* from the pod, they are put in";
  return "";
}

base::Result<base::Json> AnswerValidation(const base::Json& review) {
  ASSIGN_OR_RETURN(const Question question, Read(review));
  if (question.agent.name.empty()) return Answer(question, {{"allowed", true}});
  if (const std::string fault = ForeignPodFault(*question.pod); !fault.empty())
    return Refuse(question, ", and cannot have it: " + fault + "; change that" + Leave());
  const std::string fault = SidecarFault(*question.pod, question.agent.name);
  return fault.empty() ? Answer(question, {{"allowed", true}}) : Refuse(question, fault);
}

}  // namespace controller
