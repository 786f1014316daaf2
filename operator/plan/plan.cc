// Predicates of plans and objects of all kinds.
#include "operator/plan/plan.h"

#include "operator/names/names.h"

namespace controller {

bool Plan::IsEmpty() const {
  return apply.empty() && patch.empty() && remove.empty() && !status && events.empty();
}

bool IsOfClass(const base::Json& agent, const std::string& wanted) {
  return kube::AnnotationOf(agent, kClassAnnotation) == wanted;
}

}  // namespace controller
