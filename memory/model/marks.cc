// A mark's tag is found in the JSON text: inside of a longer tag its quotes have backslashes.
#include "memory/model/marks.h"

#include <algorithm>
#include <iterator>

#include "lib/api/marks.h"

namespace memory {

static_assert(std::string_view(kPinnedTag) == api::kPinnedTag);
static_assert(std::string_view(kBuriedTag) == api::kBuriedTag);

namespace {

bool HasTag(std::string_view tags, std::string_view quoted) {
  for (size_t at = tags.find(quoted); at != tags.npos; at = tags.find(quoted, at + 1))
    if (at > 0 && tags[at - 1] != '\\') return true;
  return false;
}

}  // namespace

int64_t MarksOf(std::string_view tags) {
  return (HasTag(tags, "\"@pinned\"") ? kFlagPinned : 0) |
         (HasTag(tags, "\"@buried\"") ? kFlagBuried : 0);
}

bool IsMark(std::string_view tag) { return tag == kPinnedTag || tag == kBuriedTag; }

std::vector<std::string> WithoutMarks(std::vector<std::string> tags) {
  std::erase_if(tags, [](const std::string& tag) { return IsMark(tag); });
  return tags;
}

std::vector<std::string> WithMarksOf(const std::vector<std::string>& before,
                                     std::vector<std::string> tags) {
  tags = WithoutMarks(std::move(tags));
  std::copy_if(before.begin(), before.end(), std::back_inserter(tags),
               [](const std::string& tag) { return IsMark(tag); });
  return tags;
}

std::vector<std::string> WithMark(std::vector<std::string> tags, std::string_view mark, bool set) {
  const bool has = std::find(tags.begin(), tags.end(), mark) != tags.end();
  if (set && !has) tags.emplace_back(mark);
  if (!set) std::erase(tags, mark);
  return tags;
}

}  // namespace memory
