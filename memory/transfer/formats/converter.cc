// The table of other programs' formats.
#include "memory/transfer/formats/converter.h"

#include <algorithm>
#include <utility>

#include "lib/base/text/text.h"

namespace memory {

namespace {

// A list of messages with roles may be of many programs: the narrow ones come first.
constexpr const Converter* kConverters[] = {&kChatGpt,   &kClaude, &kGemini,
                                            &kMcpMemory, &kMem0,   &kEngram};

}  // namespace

std::span<const Converter* const> Converters() { return kConverters; }

const Converter* ConverterNamed(std::string_view name) {
  const auto* found =
      std::ranges::find_if(kConverters, [&](const Converter* one) { return name == one->name; });
  return found == std::end(kConverters) ? nullptr : *found;
}

std::string AcceptedBodies() {
  std::vector<std::string> titles = {"AgentOS", "claude-mem (SQLite)"};
  for (const Converter* one : Converters()) titles.push_back(one->title);
  const std::string last = std::move(titles.back());
  titles.pop_back();
  return "accepted are exports of agent-memory (JSON, JSON lines, SQLite, Markdown, a tar of "
         "notes), Markdown (CLAUDE.md, AGENTS.md, MEMORY.md), CSV with a column content, and "
         "exports of " +
         base::Join(titles, ", ") + " and " + last;
}

}  // namespace memory
