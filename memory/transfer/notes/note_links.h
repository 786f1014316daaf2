// Links between notes: names of notes, [[wikilinks]] in a text, and the section of edges of a note.
// Pure. What the links lead to is note_graph.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memory {

inline constexpr size_t kMaxNoteLinks = 256;   // of a note: as many as a trace may have edges
inline constexpr size_t kMaxLinkBytes = 1024;  // of the name in a link; a longer one is text

// The file of a trace in a vault, without folder and .md, as links name it: its id, or a digest of
// an id that is no name on every file system.
std::string TraceFileName(const std::string& trace_id);
// With its folder: "semantic/mt_5f1c…".
std::string NoteName(std::string_view type, const std::string& trace_id);

// The form of a link for look-ups: case folded, without .md, #heading, ^block, |alias and slashes
// in front. "": no name.
std::string LinkName(std::string_view link);

struct NoteLink {
  std::string name;  // of LinkName
  std::string kind = "related";
  double weight = 1;
};

// [[links]] and ![[embeds]] of a text outside of code, each name once, in their order. Linear.
struct FoundLinks {
  std::vector<NoteLink> links;
  bool cut = false;  // there are more than kMaxNoteLinks
};
FoundLinks LinksIn(std::string_view text);

// A line of the section: "- [[name]] — kind (0.5)". Omits a weight of 1; a kind that would be
// parsed as another is a JSON string.
inline constexpr std::string_view kRelatedHeading = "### Related";
std::string RelatedLine(const std::string& name, const std::string& kind, double weight);
// The links of the lines after the heading, up to a line without one.
FoundLinks RelatedIn(std::string_view footer);
// Where the heading begins in a text that ends with the section; npos: nowhere.
size_t RelatedAt(std::string_view text);

}  // namespace memory
