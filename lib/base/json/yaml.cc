// YAML to JSON and back; the only use of yaml-cpp. Scalars get the types that kubectl gives them:
// YAML 1.1 booleans and octals; a quoted scalar is a string.
#include "lib/base/json/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <charconv>
#include <cmath>
#include <sstream>

#include "lib/base/text/text.h"

namespace base {
namespace {

constexpr size_t kMaxBytes = 256 << 10;
constexpr size_t kMaxDepth = 32;

bool IsAnyOf(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words) {
    if (text == word) return true;
  }
  return false;
}

// Like Go's strconv.ParseInt with base 0, with which kubectl recognizes integers.
std::optional<Json> Integer(std::string_view digits) {
  bool negative = false;
  if (!digits.empty() && (digits[0] == '+' || digits[0] == '-')) {
    negative = digits[0] == '-';
    digits.remove_prefix(1);
  }
  int base = 10;
  if (digits.size() > 1 && digits[0] == '0') {
    char mark = static_cast<char>(digits[1] | 0x20);
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
    digits.remove_prefix(mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1);
  }
  uint64_t value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
    return std::nullopt;
  if (!negative) return Json(value);
  if (value > uint64_t{1} << 63) return std::nullopt;
  return Json(static_cast<int64_t>(~value + 1));
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool LooksLikeFloat(std::string_view text) {
  size_t at = 0;
  auto digits = [&] {
    size_t first = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at - first;
  };
  auto sign = [&] { at += at < text.size() && (text[at] == '+' || text[at] == '-'); };
  sign();
  size_t whole = digits(), fraction = 0;
  if (at < text.size() && text[at] == '.') {
    ++at;
    fraction = digits();
  }
  if (whole + fraction == 0) return false;
  if (at < text.size() && (text[at] | 0x20) == 'e') {
    ++at;
    sign();
    if (digits() == 0) return false;
  }
  return at == text.size();
}

Json PlainScalar(const std::string& text) {
  if (IsAnyOf(text, {"", "~", "null", "Null", "NULL"})) return nullptr;
  if (IsAnyOf(text, {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"}))
    return true;
  if (IsAnyOf(text, {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"}))
    return false;
  std::string bare;
  for (char c : text) {
    if (c != '_') bare += c;
  }
  bool number = !text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) ||
                                  text[0] == '+' || text[0] == '-' || text[0] == '.');
  if (!number) return text;
  if (std::optional<Json> integer = Integer(bare)) return *integer;
  if (LooksLikeFloat(bare)) {
    double value = std::strtod(bare.c_str(), nullptr);
    if (std::isfinite(value)) return value;
  }
  return text;
}

struct Problem {
  std::string why;
  YAML::Mark mark;
};

// Builds JSON from the parser's events; refuses anchors, aliases, excess depth and duplicate keys.
// Ignores all events after the first problem.
class Builder : public YAML::EventHandler {
 public:
  // At a token that begins no node, such as a comma, the parser emits empty documents endlessly
  // without advancing.
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (mark.pos <= last_start_) Refuse("no value begins here", mark);
    last_start_ = mark.pos;
    root_.reset();
  }
  void OnDocumentEnd() override {
    if (root_ && !root_->is_null()) documents.push_back(std::move(*root_));
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (Accept(mark, anchor)) Put(nullptr, "", mark);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    Refuse("aliases are not allowed", mark);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (value.find('\0') != std::string::npos) Refuse("a scalar holds the character NUL", mark);
    if (!Accept(mark, anchor)) return;
    bool quoted = tag == "!" || tag.ends_with(":str");
    Put(quoted ? Json(value) : PlainScalar(value), value, mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    if (Accept(mark, anchor)) Open(Json::array(), mark);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    if (Accept(mark, anchor)) Open(Json::object(), mark);
  }
  void OnMapEnd() override { Close(); }

  std::vector<Json> documents;
  std::optional<Problem> problem;

 private:
  struct Level {
    Json* value;
    std::optional<std::string> key;  // without its value yet
  };

  void Refuse(std::string why, const YAML::Mark& mark) {
    if (!problem) problem = Problem{std::move(why), mark};
  }
  bool Accept(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0) Refuse("anchors are not allowed", mark);
    return !problem;
  }
  bool KeyExpected() const {
    return !open_.empty() && open_.back().value->is_object() && !open_.back().key;
  }
  // `text`: the source text of a scalar; a key keeps it, whatever its type.
  void Put(Json value, const std::string& text, const YAML::Mark& mark) {
    if (!KeyExpected()) {
      Place(std::move(value));
    } else if (open_.back().value->contains(text)) {
      Refuse("the key '" + text + "' occurs twice", mark);
    } else {
      open_.back().key = text;
    }
  }
  Json* Place(Json value) {
    if (open_.empty()) return &root_.emplace(std::move(value));
    Level& level = open_.back();
    if (level.value->is_array()) {
      level.value->push_back(std::move(value));
      return &level.value->back();
    }
    Json* placed = &((*level.value)[*level.key] = std::move(value));
    level.key.reset();
    return placed;
  }
  void Open(Json empty, const YAML::Mark& mark) {
    if (open_.size() >= kMaxDepth) {
      Refuse("nested deeper than " + std::to_string(kMaxDepth), mark);
    } else if (KeyExpected()) {
      Refuse("a key must be a scalar", mark);
    } else {
      open_.push_back({Place(std::move(empty)), std::nullopt});
    }
  }
  void Close() {
    if (!problem) open_.pop_back();
  }

  std::optional<Json> root_;
  int last_start_ = -1;  // byte offset of the latest document
  std::vector<Level> open_;
};

Error Malformed(const std::string& why, const YAML::Mark& mark) {
  return {Code::kInvalid, "malformed YAML at line " + std::to_string(mark.line + 1) + ", column " +
                              std::to_string(mark.column + 1) + ": " + why};
}

// Whether a literal block can represent the text: exactly one final line end, a first line that is
// neither empty nor indented, no tabs or carriage returns.
bool IsLiteral(const std::string& text) {
  return text.size() > 1 && text.ends_with('\n') && !text.ends_with("\n\n") && text[0] != ' ' &&
         text[0] != '\n' && text.find_first_of("\t\r") == std::string::npos;
}

void Emit(YAML::Emitter& out, const Json& value) {
  if (value.is_object()) {
    out << (value.empty() ? YAML::Flow : YAML::Block) << YAML::BeginMap;
    for (const auto& [key, item] : value.items()) {
      out << YAML::Key;
      Emit(out, key);
      out << YAML::Value;
      Emit(out, item);
    }
    out << YAML::EndMap;
  } else if (value.is_array()) {
    out << (value.empty() ? YAML::Flow : YAML::Block) << YAML::BeginSeq;
    for (const Json& item : value) Emit(out, item);
    out << YAML::EndSeq;
  } else if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    if (IsLiteral(text)) {
      out << YAML::Literal << text;
    } else if (!PlainScalar(text).is_string() ||
               text.find_first_of("\n\r\t") != std::string::npos) {
      out << YAML::DoubleQuoted << text;
    } else {
      out << text;  // the emitter quotes if necessary
    }
  } else if (value.is_null()) {
    out << YAML::Null;
  } else {
    out << value.dump();
  }
}

}  // namespace

Result<std::vector<Json>> ParseYamlDocuments(std::string_view text) {
  if (text.size() > kMaxBytes) {
    return Error{Code::kTooLarge, "the YAML text has " + std::to_string(text.size()) +
                                      " bytes; the limit is " + std::to_string(kMaxBytes)};
  }
  if (!IsUtf8(text)) return Error{Code::kInvalid, "the YAML text is not UTF-8"};
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    Builder builder;
    while (!builder.problem && parser.HandleNextDocument(builder)) {
    }
    if (builder.problem) return Malformed(builder.problem->why, builder.problem->mark);
    return std::move(builder.documents);
  } catch (const YAML::Exception& error) {
    return Malformed(error.msg, error.mark);
  }
}

Result<Json> ParseYaml(std::string_view text) {
  ASSIGN_OR_RETURN(std::vector<Json> documents, ParseYamlDocuments(text));
  if (documents.size() != 1) {
    return Error{Code::kInvalid,
                 "one YAML document is expected, there are " + std::to_string(documents.size())};
  }
  return std::move(documents.front());
}

std::string DumpYaml(const Json& value) {
  YAML::Emitter out;
  out.SetOutputCharset(YAML::EmitNonAscii);
  Emit(out, value);
  return std::string(out.c_str()) + "\n";
}

}  // namespace base
