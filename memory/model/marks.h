// The marks that a person sets on a row: pinned (it never expires and ranks first) and buried (it
// is never injected). A mark is a tag, so that exports, imports and both engines keep it, and a
// flag in the column marks beside those of words.h, so that no query reads tags. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memory {

inline constexpr const char* kPinnedTag = "@pinned";
inline constexpr const char* kBuriedTag = "@buried";
inline constexpr int64_t kFlagPinned = 16, kFlagBuried = 32;

// The flags of tags, which are a JSON list.
int64_t MarksOf(std::string_view tags);

bool IsMark(std::string_view tag);
// What a writer of tags may set: all but marks.
std::vector<std::string> WithoutMarks(std::vector<std::string> tags);
// `tags` with the marks of `before` instead of their own.
std::vector<std::string> WithMarksOf(const std::vector<std::string>& before,
                                     std::vector<std::string> tags);
// `tags` with the mark, or without it.
std::vector<std::string> WithMark(std::vector<std::string> tags, std::string_view mark, bool set);

}  // namespace memory
