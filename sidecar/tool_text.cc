// Flattens what agents send about tools into text. The shapes are those that Claude Code, MCP
// servers and plain runtimes use.
#include "sidecar/tool_text.h"

#include <algorithm>
#include <utility>

#include "lib/base/text.h"

namespace sidecar {
namespace {

using base::Json;

constexpr const char* kNamingArguments[] = {
    "command", "cmd", "file_path", "path", "notebook_path", "query", "pattern", "url", "uri"};
constexpr std::string_view kBlocks[] = {"memory:context", "memory:sessions"};

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// The name behind mcp__server__ or mcp_server_; empty when the tool is not one of an MCP server.
std::string_view BehindServer(std::string_view name) {
  if (name.starts_with("mcp__")) {
    const size_t end = name.find("__", 5);
    return end == std::string_view::npos ? std::string_view() : name.substr(end + 2);
  }
  if (name.starts_with("mcp_")) {
    const size_t end = name.find('_', 4);
    return end == std::string_view::npos ? std::string_view() : name.substr(end + 1);
  }
  return {};
}

std::string ScalarText(const Json& value) {
  return value.is_string() ? value.get<std::string>() : base::DumpJson(value);
}

void AddLine(std::string& text, std::string_view more) {
  if (more.empty()) return;
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += more;
}

std::string ContentText(const Json& content);

// One element of a content-block array: {"type": "text", "text"}, {"resource": {"text"}} or a
// string.
std::string BlockText(const Json& block) {
  if (!block.is_object()) return ScalarText(block);
  if (auto text = block.find("text"); text != block.end() && text->is_string()) return *text;
  if (auto resource = block.find("resource"); resource != block.end()) return BlockText(*resource);
  if (auto inner = block.find("content"); inner != block.end()) return ContentText(*inner);
  if (block.contains("data") || block.contains("blob")) return {};  // an image or other bytes
  return base::DumpJson(block);
}

std::string ContentText(const Json& content) {
  if (!content.is_array()) return BlockText(content);
  std::string text;
  for (const Json& block : content) AddLine(text, BlockText(block));
  return text;
}

// The texts of a result object whose shape is known; nullopt for others.
std::optional<std::string> KnownObjectText(const Json& object) {
  constexpr const char* kTexts[] = {"stdout", "stderr", "output", "content",
                                    "text",   "result", "error",  "message"};
  bool known = false;
  std::string text;
  if (auto file = object.find("file"); file != object.end() && file->is_object()) {
    known = file->contains("content");
    AddLine(text, base::StringAt(*file, {"content"}));
  }
  for (const char* key : kTexts) {
    auto found = object.find(key);
    if (found == object.end() || (!found->is_string() && !found->is_array())) continue;
    known = true;
    AddLine(text, ContentText(*found));
  }
  if (auto more = object.find("structuredContent"); text.empty() && more != object.end()) {
    return base::DumpJson(*more);
  }
  if (!known) return std::nullopt;
  return text;
}

std::string ResponseText(const Json& response) {
  if (response.is_null()) return {};
  if (response.is_array()) return ContentText(response);
  if (response.is_object()) {
    if (auto text = KnownObjectText(response)) return std::move(*text);
  }
  return ScalarText(response);
}

void AddLeaves(const Json& value, std::vector<std::string>& texts) {
  if (value.is_structured()) {
    for (const Json& inner : value) AddLeaves(inner, texts);
  } else {
    texts.push_back(ScalarText(value));
  }
}

void AddTexts(const Json& value, std::vector<std::string>& texts) {
  AddLeaves(value, texts);
  if (value.is_structured()) texts.push_back(base::DumpJson(value));
}

void FindKey(const Json& value, const std::string& name, std::vector<std::string>& texts) {
  if (!value.is_structured()) return;
  if (value.is_object()) {
    if (auto found = value.find(name); found != value.end()) AddTexts(*found, texts);
  }
  for (const Json& inner : value) FindKey(inner, name, texts);
}

const Json* AtDottedPath(const Json& value, const std::string& path) {
  const Json* at = &value;
  for (const std::string& step : base::Split(path, '.')) {
    if (!at->is_object() || !at->contains(step)) return nullptr;
    at = &(*at)[step];
  }
  return at;
}

void AddStrings(const Json& value, std::string& text) {
  if (value.is_string()) AddLine(text, value.get<std::string>());
  if (!value.is_structured()) return;
  for (const Json& inner : value) AddStrings(inner, text);
}

}  // namespace

bool ToolMatches(std::string_view pattern, std::string_view tool_name) {
  const std::string wanted = Lower(pattern), name = Lower(tool_name);
  if (base::MatchesGlob(wanted, name)) return true;
  const std::string_view bare = BehindServer(name);
  return !bare.empty() && base::MatchesGlob(wanted, bare);
}

bool IsOwnTool(std::string_view tool_name) {
  const std::string name = Lower(tool_name);
  const std::string_view bare = BehindServer(name);
  return name.starts_with("mem_") || bare.starts_with("mem_") || name == "recall" ||
         bare == "recall";
}

std::string OutputText(const api::HookEvent& event) {
  std::string text = event.error;
  AddLine(text, ResponseText(event.tool_response));
  return text;
}

Json Arguments(const Json& tool_input) {
  if (tool_input.is_object()) return tool_input;
  if (tool_input.is_string()) {
    auto parsed = base::ParseJson(tool_input.get_ref<const std::string&>());
    if (parsed && parsed->is_object()) return std::move(*parsed);
  }
  return Json::object();
}

std::vector<Json*> CallArguments(Json& tool_calls) {
  std::vector<Json*> all;
  if (!tool_calls.is_array()) return all;
  for (Json& call : tool_calls) {
    if (!call.is_object() || !call.contains("function")) continue;
    Json& function = call["function"];
    if (function.is_object() && function.contains("arguments"))
      all.push_back(&function["arguments"]);
  }
  return all;
}

std::vector<std::string> ArgumentTexts(const Json& arguments, const std::string& name) {
  std::vector<std::string> texts;
  FindKey(arguments, name, texts);
  if (name.find('.') != std::string::npos) {
    if (const Json* value = AtDottedPath(arguments, name)) AddTexts(*value, texts);
  }
  return texts;
}

std::string MainArgument(const Json& arguments) {
  if (arguments.is_object()) {
    for (const char* name : kNamingArguments) {
      auto found = arguments.find(name);
      if (found != arguments.end() && found->is_string() &&
          !base::IsBlank(found->get<std::string>()))
        return *found;
    }
  }
  std::string text;
  AddStrings(arguments, text);
  return text;
}

bool ShortenStrings(Json& value) {
  if (value.is_string()) {
    auto& text = value.get_ref<std::string&>();
    if (text.size() <= 2 * kKeptHalfBytes) return false;
    const size_t head = base::BorderBefore(text, kKeptHalfBytes);
    const size_t tail = base::BorderAfter(text, text.size() - kKeptHalfBytes);
    text = text.substr(0, head) + "\n[" + std::to_string(tail - head) + " bytes left out]\n" +
           text.substr(tail);
    return true;
  }
  if (!value.is_structured()) return false;
  bool cut = false;
  for (Json& inner : value) cut |= ShortenStrings(inner);
  return cut;
}

namespace {

// Without injected items wherever they were found again without their block, by grep for example:
// from the head of the item to the end of the line. Each line is searched once.
std::string WithoutItems(std::string_view text) {
  constexpr std::string_view kHead = "- [id ", kType = "; type ", kTrust = "; trust ";
  std::string rest;
  size_t copied = 0, line_end = 0, last_trust = 0;
  bool any_trust = false;
  for (size_t begin = text.find(kHead); begin != std::string_view::npos;
       begin = text.find(kHead, begin)) {
    if (begin >= line_end) {
      line_end = std::min(text.find('\n', begin), text.size());
      const size_t found = text.substr(begin, line_end - begin).rfind(kTrust);
      any_trust = found != std::string_view::npos;
      last_trust = any_trust ? begin + found : 0;
    }
    const size_t digits = text.find_first_not_of("0123456789", begin + kHead.size());
    const bool item = digits != std::string_view::npos && any_trust && digits <= last_trust &&
                      text.substr(digits).starts_with(kType);
    if (item) {
      rest += text.substr(copied, begin - copied);
      copied = line_end;
    }
    begin = item ? line_end : begin + kHead.size();
  }
  return rest.append(text.substr(copied));
}

std::string WithoutBlocks(std::string_view text, std::string_view name) {
  const std::string open = "<" + std::string(name) + ">", close = "</" + std::string(name) + ">";
  std::string rest;
  size_t copied = 0;
  for (size_t begin = text.find(open); begin != std::string_view::npos;
       begin = text.find(open, copied)) {
    rest += text.substr(copied, begin - copied);
    const size_t end = text.find(close, begin);
    if (end == std::string_view::npos) return rest;
    copied = end + close.size();
  }
  return rest.append(text.substr(copied));
}

}  // namespace

std::string WithoutInjected(std::string_view text) {
  std::string rest(text);
  for (const std::string_view name : kBlocks) rest = WithoutBlocks(rest, name);
  return WithoutItems(rest);
}

}  // namespace sidecar
