// One short list per suspect, by its UID.
#include "operator/reconcile/event_reader.h"

#include <utility>

#include "lib/base/process/log.h"

namespace controller {
namespace {

// For how long an outdated answer stays, in case it is too early to ask again.
constexpr int64_t kKeepMs = 300'000;
constexpr int kMostEvents = 100;

}  // namespace

std::optional<Cause> EventReader::ReadCause(const std::string& name_space, const Suspect& suspect,
                                            int64_t now_ms) {
  kube::Selection selection;
  selection.name_space = name_space;
  selection.field_selector = "regarding.uid=" + suspect.uid + ",type=Warning";
  auto page = client_.List(kube::Events(), selection, kMostEvents);
  if (!page)
    base::LogWarn("Events cannot be read, and conditions do not say why a pod is missing",
                  {{"object", suspect.kind + " " + name_space + "/" + suspect.name},
                   {"error", page.error().message}});
  Answer answer{now_ms + (page ? EventsAreGoodForMs(suspect, now_ms) : kKeepMs),
                page ? CauseOf(suspect, page->items) : std::nullopt};
  answers_.With([&](auto& answers) {
    std::erase_if(answers, [&](const auto& one) { return one.second.until_ms + kKeepMs < now_ms; });
    answers[suspect.uid] = answer;
  });
  return answer.cause;
}

std::vector<Cause> EventReader::CausesOf(const std::string& name_space,
                                         const std::vector<Suspect>& suspects,
                                         const std::stop_token& stop) {
  std::vector<Cause> causes;
  for (const Suspect& suspect : suspects) {
    const int64_t now_ms = clock_.NowMs();
    std::optional<Answer> known = answers_.With([&](auto& answers) -> std::optional<Answer> {
      const auto at = answers.find(suspect.uid);
      return at == answers.end() ? std::nullopt : std::optional(at->second);
    });
    const bool current = known && now_ms < known->until_ms;
    std::optional<Cause> cause = known ? known->cause : std::nullopt;
    if (!current && !stop.stop_requested() && lists_.Acquire(clock_.MonotonicMs()) == 0)
      cause = ReadCause(name_space, suspect, now_ms);
    if (cause) causes.push_back(*std::move(cause));
  }
  return causes;
}

}  // namespace controller
