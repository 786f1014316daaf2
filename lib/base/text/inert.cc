// Decides which characters mislead: by the general category and Default_Ignorable_Code_Point in
// utf8proc's Unicode data, and by the lists below where these do not suffice.
#include "lib/base/text/inert.h"

#include <utf8proc.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <iterator>

#include "lib/base/text/text.h"

namespace base {
namespace {

using CodePoint = utf8proc_int32_t;

constexpr CodePoint kEmojiStyle = 0xFE0F;
// Assigned, but invisible: braille blank, object replacement, filler, null note head.
constexpr CodePoint kBlank[] = {0x2800, 0xFFFC, 0x16FE4, 0x1D159};
// Resemble '<' or '\' without a decomposition into it.
constexpr CodePoint kMarkupLike[] = {0x02C2, 0x1438, 0x16B2, 0x2039, 0x2329, 0x276C, 0x276E,
                                     0x2770, 0x27E8, 0x29F5, 0x29F9, 0x29FC, 0x3008, 0x1D236};

struct Character {
  CodePoint code;
  size_t length;  // bytes
};

Character At(std::string_view text, size_t at) {
  CodePoint code = 0;
  const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                                       static_cast<utf8proc_ssize_t>(text.size() - at), &code);
  if (length <= 0) return {0xFFFD, 1};
  return {code, static_cast<size_t>(length)};
}

template <size_t N>
bool IsOneOf(const CodePoint (&list)[N], CodePoint code) {
  return std::find(std::begin(list), std::end(list), code) != std::end(list);
}

bool PassesForMarkup(CodePoint code) {
  if (IsOneOf(kMarkupLike, code)) return true;
  CodePoint parts[32];
  int last_class = 0;
  const auto how = static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT);
  const auto count = utf8proc_decompose_char(code, parts, std::size(parts), how, &last_class);
  const auto end = parts + std::clamp<utf8proc_ssize_t>(count, 0, std::size(parts));
  return std::any_of(parts, end,
                     [](CodePoint part) { return part == '<' || part == '&' || part == '\\'; });
}

bool IsPictograph(CodePoint code) {
  return utf8proc_get_property(code)->boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

// For controls and characters beyond ASCII. An emoji style after a pictograph does not mislead.
bool Misleads(CodePoint code, CodePoint before) {
  if (code >= 0x20 && code < 0x7F) return false;
  const utf8proc_property_t& property = *utf8proc_get_property(code);
  switch (property.category) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return true;
    default:
      break;
  }
  if (property.ignorable) return code != kEmojiStyle || !IsPictograph(before);
  return IsOneOf(kBlank, code) || PassesForMarkup(code);
}

std::string Escape(CodePoint code) {
  char text[16];
  std::snprintf(text, sizeof text, code > 0xFFFF ? "\\U%08X" : "\\u%04X",
                static_cast<unsigned>(code));
  return text;
}

// True when `rest`, which begins with '&', could be read as an entity.
bool BeginsEntity(std::string_view rest) {
  constexpr size_t kLongestName = 32;
  rest = rest.substr(1, kLongestName);
  if (rest.starts_with('#')) return true;
  size_t name = 0;
  while (name < rest.size() && std::isalnum(static_cast<unsigned char>(rest[name])) != 0) ++name;
  if (name > 0 && name < rest.size() && rest[name] == ';') return true;
  const std::string folded = FoldCase(rest.substr(0, std::min<size_t>(name, 3)));
  return folded.starts_with("lt") || folded == "amp";
}

// True if a backslash before `rest` could be read as the start of an escape.
bool JoinsBackslash(std::string_view rest, AlsoEscaped also) {
  if (rest.empty()) return false;
  const auto next = static_cast<unsigned char>(rest.front());
  return next == '\\' || next == 'n' || next == 'u' || next == 'U' || next < 0x20 || next >= 0x7F ||
         (also != nullptr && also(rest));
}

std::string InertAscii(std::string_view rest, AlsoEscaped also) {
  switch (rest.front()) {
    case '<':
      return "&lt;";
    case '&':
      return BeginsEntity(rest) ? "&amp;" : "&";
    case '\\':
      return JoinsBackslash(rest.substr(1), also) ? "\\\\" : "\\";
    case '\n':
      return "\\n";
    case '\t':
      return " ";
    case '\r':
      if (rest.starts_with("\r\n")) return "";  // the line end follows
      break;
    default:
      break;
  }
  return Misleads(rest.front(), 0) ? Escape(rest.front()) : std::string(1, rest.front());
}

// Whether a quoted name may show the character: it is no delimiter of the text around the name.
bool IsNameCharacter(CodePoint code) {
  constexpr std::string_view kDividers = "[]<>;&\\\"";
  if (code < 0x80) {
    return code >= 0x20 && code < 0x7F && kDividers.find(static_cast<char>(code)) == kDividers.npos;
  }
  const auto category = utf8proc_category(code);
  const bool word = category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO;
  return word && !Misleads(code, 0);
}

}  // namespace

std::string Inert(std::string_view bytes, AlsoEscaped also) {
  const std::string whole = ToUtf8(bytes);  // a cut character must not swallow a '<'
  const std::string_view text = whole;
  std::string inert;
  inert.reserve(text.size());
  CodePoint before = 0;
  for (size_t at = 0; at < text.size();) {
    const Character character = At(text, at);
    const std::string_view rest = text.substr(at);
    if (also != nullptr && also(rest)) {
      inert += Escape(character.code);
    } else if (character.code < 0x80) {
      inert += InertAscii(rest, also);
    } else if (Misleads(character.code, before)) {
      inert += Escape(character.code);
    } else {
      inert += rest.substr(0, character.length);
    }
    before = character.code;
    at += character.length;
  }
  return inert;
}

std::string InertName(std::string_view name) {
  const std::string shown = Ellipsize(CollapseWhitespace(ToUtf8(name)), kNameCharacters);
  std::string quoted = "\"";
  for (size_t at = 0; at < shown.size();) {
    const Character character = At(shown, at);
    const bool cut = character.code == 0x2026 && at + character.length == shown.size();
    quoted += IsNameCharacter(character.code) || cut ? shown.substr(at, character.length)
                                                     : Escape(character.code);
    at += character.length;
  }
  return quoted + "\"";
}

size_t BracketBytes(std::string_view text) {
  constexpr std::string_view kBrackets[] = {"[",      "\uFF3B", "\uFE47", "\u3010", "\u3014",
                                            "\u3016", "\u3018", "\u301A", "\u27E6", "\u2045"};
  for (const std::string_view bracket : kBrackets) {
    if (text.starts_with(bracket)) return bracket.size();
  }
  return 0;
}

std::string WithoutMisleading(std::string_view bytes) {
  const std::string text = ToUtf8(bytes);
  std::string seen;
  for (size_t at = 0; at < text.size();) {
    const Character character = At(text, at);
    seen += Misleads(character.code, 0) ? " " : text.substr(at, character.length);
    at += character.length;
  }
  return seen;
}

}  // namespace base
