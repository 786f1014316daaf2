// A recursive-descent parser into small nodes, and their evaluation over JSON values.
#include "lib/kube/schema/crd_schema_rule.h"

#include <re2/re2.h>

#include <functional>
#include <memory>
#include <vector>

#include "lib/base/process/clock.h"

namespace kube {
namespace {

using base::Json;
using base::Result;
using Scope = std::map<std::string, Json>;

base::Error Fail(const std::string& why) { return {base::Code::kInvalid, why}; }

struct Node {
  enum class Kind { kLiteral, kName, kField, kCall, kNot, kAnd, kOr, kCompare };
  Kind kind;
  std::string text;  // name, field, function or operator
  Json literal;
  std::vector<std::unique_ptr<Node>> parts;  // of a call on a value: the value first
  bool on_value = false;
};
using NodePointer = std::unique_ptr<Node>;

// ---- reading ----

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<NodePointer> Parse() {
    NodePointer node = Or();
    Skip();
    if (node && at_ != text_.size()) error_ = "unexpected text";
    if (!error_.empty())
      return Fail("CEL: " + error_ + " at character " + std::to_string(at_) +
                  " of: " + std::string(text_));
    return node;
  }

 private:
  void Skip() {
    while (at_ < text_.size() && isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool Take(std::string_view token) {
    Skip();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  NodePointer Refuse(const char* why) {
    if (error_.empty()) error_ = why;
    return nullptr;
  }
  static NodePointer Make(Node::Kind kind, std::string text, NodePointer a = {},
                          NodePointer b = {}) {
    auto node = std::make_unique<Node>();
    node->kind = kind;
    node->text = std::move(text);
    if (a) node->parts.push_back(std::move(a));
    if (b) node->parts.push_back(std::move(b));
    return node;
  }
  NodePointer Or() {
    return Chain("||", Node::Kind::kOr, [this] { return And(); });
  }
  NodePointer And() {
    return Chain("&&", Node::Kind::kAnd, [this] { return Compare(); });
  }
  NodePointer Chain(const char* token, Node::Kind kind, const std::function<NodePointer()>& next) {
    NodePointer left = next();
    while (left && Take(token)) {
      NodePointer right = next();
      if (!right) return nullptr;
      left = Make(kind, token, std::move(left), std::move(right));
    }
    return left;
  }
  NodePointer Compare() {
    NodePointer left = Unary();
    if (!left) return nullptr;
    for (const char* token : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (!Take(token)) continue;
      NodePointer right = Unary();
      if (!right) return nullptr;
      return Make(Node::Kind::kCompare, token, std::move(left), std::move(right));
    }
    return left;
  }
  NodePointer Unary() {
    Skip();
    if (text_.substr(at_, 2) != "!=" && Take("!")) {
      NodePointer inner = Unary();
      return inner ? Make(Node::Kind::kNot, "!", std::move(inner)) : nullptr;
    }
    return Member();
  }
  NodePointer Member() {
    NodePointer node = Primary();
    while (node && Take(".")) {
      std::string name = Name();
      if (name.empty()) return Refuse("a field name is missing");
      if (Take("(")) {
        NodePointer call = Make(Node::Kind::kCall, name, std::move(node));
        call->on_value = true;
        node = Arguments(std::move(call));
      } else {
        node = Make(Node::Kind::kField, name, std::move(node));
      }
    }
    return node;
  }
  NodePointer Arguments(NodePointer call) {
    if (Take(")")) return call;
    do {
      NodePointer argument = Or();
      if (!argument) return nullptr;
      call->parts.push_back(std::move(argument));
    } while (Take(","));
    return Take(")") ? std::move(call) : Refuse("')' is missing");
  }
  NodePointer Primary() {
    Skip();
    if (at_ >= text_.size()) return Refuse("the rule ends too early");
    if (Take("(")) {
      NodePointer inner = Or();
      if (inner && !Take(")")) return Refuse("')' is missing");
      return inner;
    }
    char first = text_[at_];
    if (first == '\'' || first == '"') return Text(first);
    if (isdigit(static_cast<unsigned char>(first))) return Integer();
    std::string name = Name();
    if (name.empty()) return Refuse("unexpected character");
    if (Take("(")) return Arguments(Make(Node::Kind::kCall, name));
    if (name == "true" || name == "false") return Literal(name == "true");
    return Make(Node::Kind::kName, name);
  }
  NodePointer Literal(Json value) {
    NodePointer node = Make(Node::Kind::kLiteral, "");
    node->literal = std::move(value);
    return node;
  }
  NodePointer Integer() {
    int64_t value = 0;
    for (int digits = 0; at_ < text_.size() && isdigit(static_cast<unsigned char>(text_[at_]));
         ++at_) {
      if (++digits > 18) return Refuse("the number is too large");
      value = value * 10 + (text_[at_] - '0');
    }
    return Literal(value);
  }
  NodePointer Text(char quote) {
    std::string value;
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] != '\\') {
        value += text_[at_];
        continue;
      }
      static const std::map<char, char> kEscapes = {{'\\', '\\'}, {'\'', '\''}, {'"', '"'},
                                                    {'n', '\n'},  {'t', '\t'},  {'r', '\r'}};
      auto escape = ++at_ < text_.size() ? kEscapes.find(text_[at_]) : kEscapes.end();
      if (escape == kEscapes.end()) return Refuse("an escape is not known");
      value += escape->second;
    }
    if (at_ >= text_.size()) return Refuse("a string does not end");
    ++at_;
    return Literal(value);
  }
  std::string Name() {
    Skip();
    size_t begin = at_;
    while (at_ < text_.size() &&
           (isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string error_;
};

// ---- evaluating ----

Result<Json> Evaluate(const Node& node, const Scope& scope);

Result<bool> IsTrue(const Node& node, const Scope& scope) {
  ASSIGN_OR_RETURN(Json value, Evaluate(node, scope));
  if (!value.is_boolean()) return Fail("CEL: a condition is not true or false");
  return value.get<bool>();
}

// In CEL an error beside a decisive value does not count: `error || true` is true.
Result<Json> Logic(const Node& node, const Scope& scope) {
  const bool decisive = node.kind == Node::Kind::kOr;
  Result<bool> left = IsTrue(*node.parts[0], scope);
  if (left && *left == decisive) return Json(decisive);
  Result<bool> right = IsTrue(*node.parts[1], scope);
  if (right && *right == decisive) return Json(decisive);
  if (!left) return left.error();
  if (!right) return right.error();
  return Json(!decisive);
}

Result<Json> Compare(const Node& node, const Scope& scope) {
  ASSIGN_OR_RETURN(Json left, Evaluate(*node.parts[0], scope));
  ASSIGN_OR_RETURN(Json right, Evaluate(*node.parts[1], scope));
  if (node.text == "==") return Json(left == right);
  if (node.text == "!=") return Json(left != right);
  if (!left.is_number() || !right.is_number())
    return Fail("CEL: only numbers and durations are ordered");
  if (node.text == "<") return Json(left < right);
  if (node.text == "<=") return Json(left <= right);
  if (node.text == ">") return Json(left > right);
  return Json(left >= right);
}

Result<Json> Field(const Node& node, const Scope& scope) {
  ASSIGN_OR_RETURN(Json value, Evaluate(*node.parts[0], scope));
  if (!value.is_object() || !value.contains(node.text))
    return Fail("CEL: no such key: " + node.text);
  return value[node.text];
}

Result<Json> Has(const Node& node, const Scope& scope) {
  if (node.parts.size() != 1 || node.parts[0]->kind != Node::Kind::kField)
    return Fail("CEL: has() takes one field");
  ASSIGN_OR_RETURN(Json value, Evaluate(*node.parts[0]->parts[0], scope));
  return Json(value.is_object() && value.contains(node.parts[0]->text));
}

Result<Json> Matches(const Node& node, const Scope& scope) {
  if (node.parts.size() != 2) return Fail("CEL: matches() takes one pattern");
  ASSIGN_OR_RETURN(Json text, Evaluate(*node.parts[0], scope));
  ASSIGN_OR_RETURN(Json pattern, Evaluate(*node.parts[1], scope));
  if (!text.is_string() || !pattern.is_string()) return Fail("CEL: matches() is for strings");
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(1 << 20);
  RE2 regex(pattern.get<std::string>(), options);
  // Go's engine in the server has no such limit: there the pattern is valid.
  if (regex.error_code() == RE2::ErrorPatternTooLarge) return Json(false);
  if (!regex.ok()) return Fail("error parsing regexp: " + regex.error());
  return Json(RE2::PartialMatch(text.get<std::string>(), regex));
}

Result<Json> Size(const Json& value) {
  if (value.is_array() || value.is_object()) return Json(value.size());
  return Fail("CEL: size() is for lists and objects here");
}

Result<Json> Duration(const Node& node, const Scope& scope) {
  if (node.parts.size() != 1) return Fail("CEL: duration() takes one text");
  ASSIGN_OR_RETURN(Json text, Evaluate(*node.parts[0], scope));
  if (!text.is_string()) return Fail("CEL: duration() takes a text");
  std::string written = text.get<std::string>();
  if (written.starts_with('+')) written.erase(0, 1);
  ASSIGN_OR_RETURN(int64_t milliseconds, base::ParseDuration(written));
  constexpr int64_t kMostMs = INT64_MAX / 1'000'000;  // Go counts nanoseconds in 64 bits
  if (milliseconds > kMostMs) return Fail("duration out of range");
  return Json(milliseconds);
}

// all, exists and exists_one over the items of a list or the keys of an object.
Result<Json> Quantify(const Node& node, const Scope& scope) {
  if (node.parts.size() != 3 || node.parts[1]->kind != Node::Kind::kName)
    return Fail("CEL: " + node.text + "() takes a name and a condition");
  ASSIGN_OR_RETURN(Json range, Evaluate(*node.parts[0], scope));
  Json items = Json::array();
  if (range.is_object())
    for (const auto& item : range.items()) items.push_back(item.key());
  else if (range.is_array())
    items = range;
  else
    return Fail("CEL: " + node.text + "() is for lists and objects");
  size_t holds = 0;
  Scope inner = scope;
  for (const Json& item : items) {
    inner[node.parts[1]->text] = item;
    ASSIGN_OR_RETURN(bool truth, IsTrue(*node.parts[2], inner));
    holds += truth ? 1 : 0;
  }
  if (node.text == "all") return Json(holds == items.size());
  if (node.text == "exists") return Json(holds > 0);
  return Json(holds == 1);
}

Result<Json> Call(const Node& node, const Scope& scope) {
  if (!node.on_value) {
    if (node.text == "has") return Has(node, scope);
    if (node.text == "duration") return Duration(node, scope);
    return Fail("CEL: the function " + node.text + " is not known here");
  }
  if (node.text == "matches") return Matches(node, scope);
  if (node.text == "all" || node.text == "exists" || node.text == "exists_one")
    return Quantify(node, scope);
  if (node.text == "size") {
    ASSIGN_OR_RETURN(Json value, Evaluate(*node.parts[0], scope));
    return Size(value);
  }
  return Fail("CEL: the function " + node.text + " is not known here");
}

Result<Json> Evaluate(const Node& node, const Scope& scope) {
  switch (node.kind) {
    case Node::Kind::kLiteral:
      return node.literal;
    case Node::Kind::kName: {
      auto found = scope.find(node.text);
      if (found == scope.end()) return Fail("CEL: the name " + node.text + " is not known here");
      return found->second;
    }
    case Node::Kind::kField:
      return Field(node, scope);
    case Node::Kind::kCall:
      return Call(node, scope);
    case Node::Kind::kNot: {
      ASSIGN_OR_RETURN(bool truth, IsTrue(*node.parts[0], scope));
      return Json(!truth);
    }
    case Node::Kind::kAnd:
    case Node::Kind::kOr:
      return Logic(node, scope);
    case Node::Kind::kCompare:
      return Compare(node, scope);
  }
  return Fail("CEL: a kind of node is not known");
}

}  // namespace

base::Result<bool> EvaluateRule(std::string_view rule,
                                const std::map<std::string, base::Json>& variables) {
  ASSIGN_OR_RETURN(NodePointer node, Parser(rule).Parse());
  return IsTrue(*node, variables);
}

}  // namespace kube
