// Pairs of a conversation; the name of a member says whether it is a text.
#include "memory/transfer/formats/conversation_rows.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <utility>

#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"

namespace memory {

using base::Json;

namespace {

constexpr int kDeepest = 16;
// The last word of a name that stands for no text.
constexpr std::array kNoTexts = {
    "type", "pointer", "id",        "uuid", "url",  "uri",       "format", "mime",   "status",
    "role", "model",   "recipient", "name", "key",  "hash",      "slug",   "locale", "language",
    "time", "date",    "at",        "data", "size", "signature", "width",  "height", "timestamp"};

// "type", "content_type", "mimeType", "asset_pointers".
bool IsNoText(std::string_view name) {
  if (name.ends_with('s') && !name.ends_with("us")) name.remove_suffix(1);
  const auto last = std::find_if(name.rbegin(), name.rend(), [](char c) {
    return c == '_' || c == '-' || (c >= 'A' && c <= 'Z');
  });
  size_t begin = static_cast<size_t>(name.rend() - last);
  if (begin > 0 && name[begin - 1] != '_' && name[begin - 1] != '-') --begin;
  const std::string word = base::FoldCase(name.substr(begin));
  return std::ranges::any_of(kNoTexts, [&](const char* one) { return word == one; });
}

// `strings`: whether those of the part itself are texts.
void AddTexts(const Json& part, bool strings, std::string& text, int depth) {
  if (part.is_string() && strings) {
    const std::string& one = part.get_ref<const std::string&>();
    if (!base::IsBlank(one)) text += (text.empty() ? "" : "\n") + one;
  }
  if (!part.is_structured() || depth >= kDeepest) return;
  for (const auto& [name, inner] : part.items())
    AddTexts(inner, part.is_array() ? strings : !IsNoText(name), text, depth + 1);
}

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

ConversationRows::ConversationRows(const std::string& program, std::string id, const Json& of,
                                   std::string title)
    : id_(base::Ellipsize(
          program + "-" + (id.empty() ? base::Sha256Hex(base::DumpJson(of)).substr(0, 32) : id),
          api::kMaxSessionId)),
      title_(std::move(title)) {}

void ConversationRows::Say(bool question, const std::string& text, const Json& time) {
  if (base::IsBlank(text)) return;
  const Json at = ForeignTime(time);
  if (!other_branch_) {
    summary_.Add(question ? "user" : "assistant", text);
    if (first_.is_null()) first_ = at;
    if (!at.is_null()) last_ = at;
  }
  if (std::exchange(begins_, false) || question) {
    pairs_.push_back(
        {{"session_id", id_}, {"title", TitleOf(text)}, {"tags", Json::array()}, {"content", ""}});
    if (!at.is_null()) pairs_.back()["created_at"] = at;
    if (!base::IsBlank(title_))
      pairs_.back()["tags"].push_back(base::Ellipsize(title_, api::kMaxTag));
    if (other_branch_) pairs_.back()["tags"].push_back("other branch");
  }
  std::string& content = pairs_.back()["content"].get_ref<std::string&>();
  content +=
      (content.empty() ? "" : "\n\n") + std::string(question ? "User: " : "Assistant: ") + text;
}

void ConversationRows::Note(const std::string& title, const std::string& text) {
  if (!base::IsBlank(text)) notes_.push_back({{"title", title}, {"content", text}});
}

ForeignRows ConversationRows::Finish(Json started, Json ended) {
  ForeignRows made;
  if (started.is_null()) started = first_;
  if (ended.is_null()) ended = last_;
  for (Json& note : notes_) made.rows.push_back({.fields = std::move(note)});
  for (Json& pair : pairs_) {
    if (!pair.contains("created_at") && !started.is_null()) pair["created_at"] = started;
    made.rows.push_back({.fields = std::move(pair), .episode = true});
  }
  for (const auto& [what, count] : left_out_)
    made.left_out.push_back((title_.empty() ? id_ : "\"" + base::Ellipsize(title_, 80) + "\"") +
                            ": " + std::to_string(count) +
                            " parts without text of a person or a model were left out: " + what);
  Json session = {{"id", id_}, {"summary", summary_.Text()}, {"message_count", summary_.counted()}};
  if (!started.is_null()) session["started_at"] = started;
  if (!ended.is_null()) session["ended_at"] = ended;
  made.sessions.push_back(std::move(session));
  return made;
}

std::string TextsIn(const Json& part) {
  std::string text;
  AddTexts(part, true, text, 0);
  return text;
}

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
