// Falls back to patterns while the model is unavailable. An unusable answer is an error of the turn
// instead: another attempt may succeed.
#include "memory/endpoint/facts/endpoint_extractor.h"

#include <utility>

#include "lib/base/text/text.h"
#include "memory/endpoint/facts/fact_bodies.h"

namespace memory {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr size_t kKnownTurns = 64;

}  // namespace

EndpointExtractor::EndpointExtractor(ChatEndpoint& chat) : chat_(chat), known_(kKnownTurns) {}

Result<std::vector<FactCandidate>> EndpointExtractor::FactsOf(const std::string& user,
                                                              const std::string& assistant,
                                                              const std::stop_token& stop) {
  const std::string asked = chat_.Shown(user), answered = chat_.Shown(assistant);
  if (base::IsBlank(asked) && base::IsBlank(answered)) return Facts();
  const std::string request = EncodeFactRequest(chat_.model(), asked, answered);
  if (auto known = known_.Find(request)) return *std::move(known);
  // A fact that the model attributes to the user may come from a text that the assistant repeated,
  // so all facts get the lower trust class of both sides.
  const Speaker said_by = base::IsBlank(answered) ? Speaker::kUser : Speaker::kAssistant;
  Facts facts;
  const Status done = chat_.Query(
      request,
      [&](const std::string& text) -> Status {
        ASSIGN_OR_RETURN(facts, DecodeFacts(text, said_by));
        return {};
      },
      stop);
  if (!done && (done.error().code == Code::kInvalid || stop.stop_requested())) return done.error();
  if (!done) return ExtractFacts(user, assistant);
  known_.Put(request, facts);
  return facts;
}

}  // namespace memory
