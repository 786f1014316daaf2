// HTML of exports as text. Not for pages: scripts and styles are text here.
#include <algorithm>
#include <array>
#include <charconv>

#include "lib/base/text/text.h"
#include "memory/transfer/rows/other_programs.h"

namespace memory {
namespace {

constexpr std::array kBlockTags = {"p",  "br", "div", "li", "ul", "ol", "tr", "pre", "h1",
                                   "h2", "h3", "h4",  "h5", "h6", "hr", "td", "th",  "blockquote"};
constexpr std::pair<std::string_view, std::string_view> kEntities[] = {
    {"amp", "&"},   {"lt", "<"},    {"gt", ">"},    {"quot", "\""},  {"apos", "'"},
    {"nbsp", " "},  {"mdash", "—"}, {"ndash", "–"}, {"hellip", "…"}, {"rsquo", "’"},
    {"lsquo", "‘"}, {"ldquo", "“"}, {"rdquo", "”"}, {"emsp", " "},   {"copy", "©"}};
constexpr size_t kLongestEntity = 12;

void AppendUtf8(uint32_t code, std::string& text) {
  if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = 0xFFFD;
  if (code < 0x80) {
    text += static_cast<char>(code);
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr unsigned kLead[] = {0, 0xC0, 0xE0, 0xF0};
  text += static_cast<char>(kLead[more] | (code >> (6 * more)));
  for (int shift = 6 * (more - 1); shift >= 0; shift -= 6)
    text += static_cast<char>(0x80 | ((code >> shift) & 0x3F));
}

// Decodes the entity at the beginning; returns its bytes, 0: none.
size_t TakeEntity(std::string_view html, std::string& text) {
  const size_t end = html.substr(0, kLongestEntity).find(';');
  if (end == html.npos || end < 2) return 0;
  std::string_view name = html.substr(1, end - 1);
  if (name.starts_with('#')) {
    name.remove_prefix(1);
    const bool hex = name.starts_with('x') || name.starts_with('X');
    if (hex) name.remove_prefix(1);
    uint32_t code = 0;
    const auto [rest, error] =
        std::from_chars(name.data(), name.data() + name.size(), code, hex ? 16 : 10);
    if (error != std::errc() || rest != name.data() + name.size()) return 0;
    AppendUtf8(code, text);
    return end + 1;
  }
  for (const auto& [known, is] : kEntities) {
    if (name != known) continue;
    text += is;
    return end + 1;
  }
  return 0;
}

bool IsBlockTag(std::string_view tag) {
  if (tag.starts_with('/')) tag.remove_prefix(1);
  const std::string name = base::FoldCase(tag.substr(0, tag.find_first_of(" \t\r\n/>")));
  return std::ranges::any_of(kBlockTags, [&](const char* block) { return name == block; });
}

}  // namespace

std::string TextOfHtml(std::string_view html) {
  std::string text;
  for (size_t at = 0; at < html.size();) {
    const char c = html[at];
    const bool tag = c == '<' && at + 1 < html.size() &&
                     (isalpha(static_cast<unsigned char>(html[at + 1])) || html[at + 1] == '/' ||
                      html[at + 1] == '!');
    const size_t end = tag ? html.find('>', at) : html.npos;
    if (end != html.npos) {
      if (IsBlockTag(html.substr(at + 1, end - at - 1)) && !text.empty() && text.back() != '\n')
        text += '\n';
      at = end + 1;
      continue;
    }
    const size_t entity = c == '&' ? TakeEntity(html.substr(at), text) : 0;
    if (entity == 0) text += c;
    at += std::max<size_t>(entity, 1);
  }
  return std::string(base::Trim(text));
}

}  // namespace memory
