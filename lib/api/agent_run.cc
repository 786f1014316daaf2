// Decodes an AgentRun, which the API server has validated; null equals absent.
#include "lib/api/agent_run.h"

namespace api {
namespace {

using base::Json;

base::Error WrongRun(const std::string& what) {
  return base::Error{base::Code::kInvalid, "AgentRun: " + what};
}

base::Status ReadArguments(const Json& spec, AgentRun& run) {
  const Json* list = base::At(spec, {"args"});
  if (!list || list->is_null()) return {};
  if (!list->is_array()) return WrongRun("args must be a list of strings");
  run.args.emplace();
  for (const Json& item : *list) {
    if (!item.is_string()) return WrongRun("args must be a list of strings");
    run.args->push_back(item.get<std::string>());
  }
  return {};
}

base::Status ReadEnvironment(const Json& spec, AgentRun& run) {
  const Json* variables = base::At(spec, {"env"});
  if (!variables || variables->is_null()) return {};
  if (!variables->is_object()) return WrongRun("env must be an object of strings");
  for (const auto& [name, value] : variables->items()) {
    if (!value.is_string()) return WrongRun("env must be an object of strings");
    run.env[name] = value.get<std::string>();
  }
  return {};
}

}  // namespace

base::Result<AgentRun> DecodeAgentRun(const Json& object) {
  const Json* metadata = base::At(object, {"metadata"});
  const Json* spec = base::At(object, {"spec"});
  if (!metadata || !metadata->is_object() || !spec || !spec->is_object())
    return WrongRun("metadata and spec must be objects");
  AgentRun run;
  ASSIGN_OR_RETURN(run.name, base::RequiredString(*metadata, "name"));
  ASSIGN_OR_RETURN(auto name_space, base::OptionalString(*metadata, "namespace"));
  ASSIGN_OR_RETURN(auto uid, base::OptionalString(*metadata, "uid"));
  ASSIGN_OR_RETURN(auto generation, base::OptionalInt(*metadata, "generation"));
  ASSIGN_OR_RETURN(run.agent, base::RequiredString(*spec, "agentRef"));
  ASSIGN_OR_RETURN(auto prompt, base::OptionalString(*spec, "prompt"));
  run.name_space = name_space.value_or("");
  run.uid = uid.value_or("");
  run.generation = generation.value_or(0);
  run.prompt = prompt.value_or("");
  RETURN_IF_ERROR(ReadArguments(*spec, run));
  RETURN_IF_ERROR(ReadEnvironment(*spec, run));
  if (const Json* storage = base::At(*spec, {"storage"}); storage && !storage->is_null()) {
    ASSIGN_OR_RETURN(run.storage, DecodeStorage(*spec));
  }
  return run;
}

}  // namespace api
