// Flattens arguments and results of tools into text, in the shapes of Claude Code, MCP servers and
// plain runtimes.
#include "sidecar/text/tool_text.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/base/text/text.h"
#include "sidecar/text/memory_blocks.h"

namespace sidecar {
namespace {

using base::Json;

constexpr const char* kNamingArguments[] = {
    "command", "cmd", "file_path", "path", "notebook_path", "query", "pattern", "url", "uri"};
constexpr size_t kMostArgumentBytes = 1 << 20;  // the JSON of nested values repeats at each depth

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// The name after mcp__server__ or mcp_server_; empty if it is not the tool of an MCP server.
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

// Joins lines; drops the middle of a text that is too long.
class OutputBuilder {
 public:
  void AddLine(std::string_view more) {
    if (more.empty()) return;
    if (total_ > 0 && last_ != '\n') Append("\n");
    Append(more);
  }
  void AddJson(const Json& value) {
    holds_json_ = true;
    AddLine(base::DumpJson(value));
  }
  void AddScalar(const Json& value) {
    if (!value.is_string()) return AddJson(value);
    AddLine(value.get_ref<const std::string&>());
  }
  size_t total() const { return total_; }

  ToolOutput Take() {
    if (tail_.empty()) return {std::move(head_), false, holds_json_};
    head_ += tail_;
    const size_t head = base::BorderBefore(head_, kKeptHalfBytes);
    const size_t tail = base::BorderAfter(head_, head_.size() - kKeptHalfBytes);
    const size_t left_out = total_ - head - (head_.size() - tail);
    return {head_.substr(0, head) + "\n[" + std::to_string(left_out) + " bytes left out]\n" +
                head_.substr(tail),
            true, holds_json_};
  }

 private:
  // Room for a string that ShortenStrings cut, with its mark.
  static constexpr size_t kMostHead = 2 * kKeptHalfBytes + 64;

  void Append(std::string_view piece) {
    total_ += piece.size();
    last_ = piece.back();
    const size_t fits = std::min(piece.size(), kMostHead - head_.size());
    head_ += piece.substr(0, fits);
    tail_ += piece.substr(fits);
    if (tail_.size() > 4 * kKeptHalfBytes) tail_.erase(0, tail_.size() - kKeptHalfBytes);
  }

  std::string head_, tail_;
  size_t total_ = 0;
  char last_ = '\n';
  bool holds_json_ = false;
};

void AddContent(const Json& content, OutputBuilder& out);

// One element of a content-block array: {"type": "text", "text"}, {"resource": {"text"}} or a
// string.
void AddBlock(const Json& block, OutputBuilder& out) {
  if (!block.is_object()) return out.AddScalar(block);
  if (auto text = block.find("text"); text != block.end() && text->is_string())
    return out.AddScalar(*text);
  if (auto resource = block.find("resource"); resource != block.end())
    return AddBlock(*resource, out);
  if (auto inner = block.find("content"); inner != block.end()) return AddContent(*inner, out);
  if (block.contains("data") || block.contains("blob")) return;  // an image or other bytes
  out.AddJson(block);
}

void AddContent(const Json& content, OutputBuilder& out) {
  if (!content.is_array()) return AddBlock(content, out);
  for (const Json& block : content) AddBlock(block, out);
}

// The texts of a result object whose shape is known; false for others.
bool AddKnownObject(const Json& object, OutputBuilder& out) {
  constexpr const char* kTexts[] = {"stdout", "stderr", "output", "content",
                                    "text",   "result", "error",  "message"};
  const size_t before = out.total();
  bool known = false;
  if (auto file = object.find("file"); file != object.end() && file->is_object()) {
    known = file->contains("content");
    out.AddLine(base::StringAt(*file, {"content"}));
  }
  for (const char* key : kTexts) {
    auto found = object.find(key);
    if (found == object.end() || (!found->is_string() && !found->is_array())) continue;
    known = true;
    AddContent(*found, out);
  }
  if (auto more = object.find("structuredContent"); out.total() == before && more != object.end()) {
    out.AddJson(*more);
    return true;
  }
  return known;
}

void AddResponse(const Json& response, OutputBuilder& out) {
  if (response.is_null()) return;
  if (response.is_array()) return AddContent(response, out);
  if (response.is_object() && AddKnownObject(response, out)) return;
  out.AddScalar(response);
}

// Texts up to a number of bytes.
struct FoundTexts {
  std::vector<std::string> texts;
  size_t bytes = 0;
  bool Full() const { return bytes > kMostArgumentBytes; }
  void Add(std::string text) {
    bytes += text.size() + 1;
    if (!Full()) texts.push_back(std::move(text));
  }
};

void AddLeaves(const Json& value, FoundTexts& found) {
  if (!value.is_structured()) return found.Add(ScalarText(value));
  for (const Json& inner : value) {
    if (found.Full()) return;
    AddLeaves(inner, found);
  }
}

void AddTexts(const Json& value, FoundTexts& found) {
  AddLeaves(value, found);
  if (value.is_structured() && !found.Full()) found.Add(base::DumpJson(value));
}

void FindKey(const Json& value, const std::string& name, FoundTexts& found) {
  if (!value.is_structured() || found.Full()) return;
  if (value.is_object()) {
    if (auto member = value.find(name); member != value.end()) AddTexts(*member, found);
  }
  for (const Json& inner : value) FindKey(inner, name, found);
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
  constexpr std::string_view kOthers[] = {
      "recall",        "memory_store",   "memory_retrieve",  "memory_forget",
      "memory_add",    "memory_update",  "memory_delete",    "memory_merge",
      "memory_search", "memory_reflect", "rehydrate_memory", "memory_update_item"};
  return name.starts_with("mem_") || bare.starts_with("mem_") || base::IsOneOf(name, kOthers) ||
         base::IsOneOf(bare, kOthers);
}

ToolOutput ReadOutput(const api::HookEvent& event) {
  OutputBuilder out;
  out.AddLine(event.error);
  AddResponse(event.tool_response, out);
  return out.Take();
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
  FoundTexts found;
  FindKey(arguments, name, found);
  if (name.find('.') != std::string::npos) {
    if (const Json* value = AtDottedPath(arguments, name)) AddTexts(*value, found);
  }
  return std::move(found.texts);
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

// Removes injected items that stand without their block, in the output of grep for example: from
// the head of the item to the end of the line. Each line is searched once.
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

bool ReadsLikeOurs(std::string_view line) {
  constexpr std::string_view kBegins[] = {"- ",
                                          "| ",
                                          "Remembered from earlier work.",
                                          "id ",
                                          "type ",
                                          "Records to weigh, not instructions",
                                          "source ",
                                          "trust ",
                                          "written ",
                                          "tag ",
                                          "scope ",
                                          "title",
                                          "content",
                                          "topic_key ",
                                          "message ",
                                          "conversation ",
                                          "The task so far, kept beside",
                                          "[TASK CONTEXT]",
                                          "[PLAN]",
                                          "[BUDGET]",
                                          "[CONTEXT BLOCKS]",
                                          "Blocks from prior interactions (use recall",
                                          "recall with {",
                                          "Task: ",
                                          "Files read: ",
                                          "Files modified: ",
                                          "Recent: ",
                                          "Goal: "};
  const size_t digits = line.find_first_not_of("0123456789", 1);
  const bool block = line.starts_with('#') && digits > 1 && digits < line.size() &&
                     line.substr(digits).starts_with(": ");  // of the catalogue
  return block || std::any_of(std::begin(kBegins), std::end(kBegins),
                              [&](std::string_view begin) { return line.starts_with(begin); });
}

// The end of an unclosed block, so that the mere beginning of a block hides no text after it.
size_t EndOfUnclosed(std::string_view text, size_t begin) {
  size_t end = std::min(text.find('\n', begin), text.size());
  while (end < text.size()) {
    const size_t next = std::min(text.find('\n', end + 1), text.size());
    if (!ReadsLikeOurs(text.substr(end + 1, next - end - 1))) break;
    end = next;
  }
  return end;
}

std::string WithoutBlocks(std::string_view text, std::string_view name) {
  const std::string open = OpenTag(name), close = CloseTag(name);
  std::string rest;
  size_t copied = 0;
  std::optional<size_t> end;  // the first one after the block's beginning; npos: none
  for (size_t begin = text.find(open); begin != std::string_view::npos;) {
    rest += text.substr(copied, begin - copied);
    if (!end || *end < begin) end = text.find(close, begin);
    // Our blocks do not nest: an end after the next beginning belongs to that block.
    const size_t next = text.find(open, begin + open.size());
    const bool closed = *end != std::string_view::npos && *end < next;
    // The search stops at the next beginning, so that all blocks cost one pass.
    copied = closed ? *end + close.size() : EndOfUnclosed(text.substr(0, next), begin);
    begin = next;
  }
  return rest.append(text.substr(copied));
}

}  // namespace

std::string WithoutInjected(std::string_view text) {
  std::string rest(text);
  for (const std::string_view name : kMemoryBlocks) rest = WithoutBlocks(rest, name);
  return WithoutItems(rest);
}

}  // namespace sidecar
