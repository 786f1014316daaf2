// Apart from stated.cc, so that this reads prompts without the API.
#include "sidecar/rules/stated_memory.h"

#include <string>

#include "lib/api/memory_api.h"

namespace sidecar {

Capture StatedMemory(const Stated& stated) {
  Capture capture;
  capture.rule = kStatedRule;
  capture.type = std::string(NameOf(stated.kind));
  capture.scope = "project";
  capture.title = stated.title;
  capture.content = stated.words;
  capture.trust = api::kOriginUser;
  capture.topic_key = "stated/" + api::NormalizedHash(stated.words).substr(0, 16);
  return capture;
}

}  // namespace sidecar
