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

// Lower-case ASCII letters, digits and single dashes: safe as a name on any file system.
std::string Slug(std::string_view text, size_t bytes);

// The file of a trace in a vault, without its folder and .md, which links name: its id, or where
// that is no name on every file system, another one for it.
std::string TraceFileName(const std::string& trace_id);
// With its folder: "semantic/mt_5f1c…".
std::string NoteName(std::string_view type, const std::string& trace_id);

// As it is looked up: case folded, without .md, #heading, ^block and |alias, with / between folders
// and none in front; "": no name.
std::string LinkName(std::string_view link);

struct NoteLink {
  std::string name;  // of LinkName
  std::string kind = "related";
  double weight = 1;
};

// [[links]] and ![[embeds]] of a text, each name once, in their order; not those in code. Linear.
struct FoundLinks {
  std::vector<NoteLink> links;
  bool cut = false;  // there are more than kMaxNoteLinks
};
FoundLinks LinksIn(std::string_view text);

// A line of the section: "- [[name]] — kind (0.5)"; a weight of 1 is left out, a kind that would be
// read as another stands in JSON's quotes.
inline constexpr std::string_view kRelatedHeading = "### Related";
std::string RelatedLine(const std::string& name, const std::string& kind, double weight);
// The lines behind the heading, up to one that is none.
FoundLinks RelatedIn(std::string_view footer);
// Where the heading begins in a text that ends with the section; npos: nowhere.
size_t RelatedAt(std::string_view text);

}  // namespace memory
