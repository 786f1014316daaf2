// Links in a text, lines of edges, and what hostile texts cost.
#include "memory/transfer/notes/note_links.h"

#include <gtest/gtest.h>

#include <random>

namespace memory {
namespace {

using Names = std::vector<std::string>;

Names NamesOf(const FoundLinks& found) {
  Names names;
  for (const NoteLink& link : found.links) names.push_back(link.name);
  return names;
}

TEST(NoteLinks, LinksAreFoundInTextNotInCode) {
  const struct {
    const char* text;
    Names names;
  } kCases[] = {
      {"see [[Other Note]] and [[A]], [[a]]", {"other note", "a"}},
      {"[[Folder/Note|shown]] [[Note#Heading]] [[Note2#^block|x]]",
       {"folder/note", "note", "note2"}},
      {"![[embed]] ![[pic.png]] [[x.md]]", {"embed", "pic.png", "x"}},
      {"[[/root]] [[./here]] [[../up/there]]", {"root", "here", "up/there"}},
      {"| [[table\\|cell]] |", {"table"}},
      {"`[[code]]` ``[[co`de]]`` [[text]] `open [[b]]", {"text", "b"}},
      {"```\n[[fenced]]\n```\n[[after]]\n~~~ md\n[[fenced]]\n~~~~\n[[last]]", {"after", "last"}},
      {"``` not a fence ``` [[a]]", {"a"}},
      {"\\[[escaped]] \\`[[a]]` [[b]]", {"a", "b"}},
      {"[[[three]]] [[ spaced ]] [[]] [[#own heading]] [[|x]]", {"three", "spaced"}},
      {"[[open [[inner]] ]] [[cut\noff]] ]] [[", {"inner"}},
      {"[[Ünïcode]] [[u\xCC\x88 nfd]] [[日本語]]", {"ünïcode", "ü nfd", "日本語"}},
      {"- nested\n\t- [[list]]\n        - [[deep]]", {"list", "deep"}},
      {"", {}},
  };
  for (const auto& one : kCases) EXPECT_EQ(NamesOf(LinksIn(one.text)), one.names) << one.text;
}

TEST(NoteLinks, LinksOfANoteAndTheirNamesAreLimited) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "[[n" + std::to_string(i) + "]]";
  FoundLinks found = LinksIn(text);
  EXPECT_EQ(found.links.size(), kMaxNoteLinks);
  EXPECT_TRUE(found.cut);
  EXPECT_FALSE(LinksIn(text.substr(0, text.find("[[n256]]"))).cut);
  EXPECT_TRUE(LinksIn("[[" + std::string(kMaxLinkBytes + 1, 'x') + "]]").links.empty());
}

TEST(NoteLinks, HostileTextIsParsedInLinearTime) {
  constexpr size_t kBytes = 1 << 20;
  for (const std::string part :
       {"[[", "]]", "[[a", "`", "[[a]]`", "\\", "[[`", "a`b``c```", "[", "\n[["}) {
    std::string text;
    while (text.size() < kBytes) text += part;
    LinksIn(text);
    RelatedIn("### Related\n" + text);
    RelatedAt(text);
  }
  std::string runs;  // of each length one, so that none is closed
  for (size_t length = 1; runs.size() < kBytes; ++length) runs += std::string(length, '`') + " ";
  EXPECT_EQ(NamesOf(LinksIn(runs + "[[a]]")), Names{"a"});
}

TEST(NoteLinks, EdgeSurvivesARoundTripThroughItsLine) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  static const char* const kParts[] = {"a",  " ", "(0.5)", "—", "-", "\"", "]]", "[[",
                                       "\n", "ü", ")",     "(", "1", "\\", "#",  "\t"};
  for (int round = 0; round < 3000; ++round) {
    std::string kind = "k";
    for (size_t parts = random() % 6; parts > 0; --parts) {
      const char* part = kParts[random() % std::size(kParts)];
      kind = round % 2 ? part + kind : kind + part;
    }
    const double weight = round % 3 ? std::uniform_real_distribution<>(0, 1)(random) : round % 2;
    const std::string line = RelatedLine("semantic/12-tea", kind, weight);
    const FoundLinks found = RelatedIn("Session [[s]]\n\n### Related\n" + line);
    ASSERT_EQ(found.links.size(), 1u) << line;
    EXPECT_EQ(found.links[0].name, "semantic/12-tea");
    EXPECT_EQ(found.links[0].kind, kind) << line;
    EXPECT_EQ(found.links[0].weight, weight) << line;
  }
}

TEST(NoteLinks, AgentOsRelatedSectionIsParsed) {
  const std::string text =
      "Text\n#a #b\n### Related\n- [[mt_def456]] — deployment preferences\n* [[mt_x]]\n";
  ASSERT_NE(RelatedAt(text), std::string::npos);
  const FoundLinks found = RelatedIn(text.substr(RelatedAt(text)));
  ASSERT_EQ(NamesOf(found), (Names{"mt_def456", "mt_x"}));
  EXPECT_EQ(found.links[0].kind, "deployment preferences");
  EXPECT_EQ(found.links[1].kind, "related");
  for (const char* other :
       {"### Related\n- [[a]]\nand more", "no section", "x ### Related\n- [[a]]"})
    EXPECT_EQ(RelatedAt(other), std::string::npos) << other;
}

TEST(NoteLinks, NoteNamesAreSafeFileNames) {
  EXPECT_EQ(NoteName("decision", "mt_5f1c-a_1"), "decision/mt_5f1c-a_1");
  EXPECT_EQ(NoteName("Größe/../x", "mt_1"), "gr-e-x/mt_1");
  EXPECT_EQ(NoteName("", "mt_1"), "other/mt_1");
  // Ids that are no names, or the same name where case does not count, have a name of their own.
  for (const char* odd :
       {"mt_../../x", "mt_A", "mt_a/b", "mt_a b", "mt_ü", "mt_a.md", "mt_a|b#c"}) {
    const std::string name = TraceFileName(odd);
    EXPECT_EQ(name.size(), 35u) << odd;
    EXPECT_EQ(name.find_first_not_of("mt_0123456789abcdef"), std::string::npos) << name;
    EXPECT_NE(name, TraceFileName("mt_a"));
  }
}

}  // namespace
}  // namespace memory
