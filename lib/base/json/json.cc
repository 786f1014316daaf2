// Parses JSON through nlohmann's SAX interface, to check duplicate keys and limits while reading.
#include "lib/base/json/json.h"

#include <cmath>

#include "lib/base/json/value_charge.h"
#include "lib/base/text/text.h"

template class nlohmann::basic_json<>;

namespace base {
namespace {

// Builds the value; refuses NUL, numbers out of range, duplicate keys and violations of JsonLimits.
// The library has already checked syntax and UTF-8.
class StrictReader : public nlohmann::json_sax<Json> {
 public:
  StrictReader(const JsonLimits& limits, DuplicateKeys* duplicates)
      : limits_(limits), counted_(duplicates) {}

  bool null() override { return Put(nullptr); }
  bool boolean(bool value) override { return Put(value); }
  bool number_integer(number_integer_t value) override { return Put(value); }
  bool number_unsigned(number_unsigned_t value) override { return Put(value); }
  bool number_float(number_float_t value, const std::string& text) override {
    return std::isfinite(value) ? Put(value) : Fail("the number " + text + " is out of range");
  }
  bool string(std::string& value) override {
    if (value.find('\0') != std::string::npos) return Fail("a string holds the character NUL");
    return Put(std::move(value));
  }
  bool binary(binary_t&) override { return Fail("binary values are not JSON"); }
  bool start_object(std::size_t) override { return Open(Json::object()); }
  bool start_array(std::size_t) override { return Open(Json::array()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(std::string& name) override {
    if (name.find('\0') != std::string::npos) return Fail("a key holds the character NUL");
    Json& object = *open_.back();
    if (object.contains(name) && !KeepDuplicate(object, name)) {
      return Fail("the key \"" + name + "\" occurs twice");
    }
    if (object.size() >= limits_.max_keys) {
      return Fail("an object has more than " + std::to_string(limits_.max_keys) + " keys");
    }
    key_ = name;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception&) override {
    return Fail("near byte " + std::to_string(position) +
                (token.empty() ? "" : " ('" + ToUtf8(Prefix(token, 20)) + "')"));
  }

  Json root;
  std::string failure;
  Code code = Code::kInvalid;

 private:
  bool Fail(std::string why) {
    if (failure.empty()) failure = std::move(why);
    return false;
  }
  bool Put(Json value) {
    Place(std::move(value));
    return ChargeValue();
  }
  // Tries each suffix once per text, so that the cost is linear in the number of duplicates.
  bool KeepDuplicate(Json& object, const std::string& name) {
    if (counted_ == nullptr) return false;
    ++counted_->duplicates;
    if (open_.size() == 1) ++counted_->top_duplicates;
    std::string kept;
    do {
      kept = name;
      for (size_t bits = ++suffixes_; bits > 0; bits /= 2) kept += bits % 2 == 1 ? '_' : '-';
    } while (object.contains(kept));
    object[kept] = std::move(object[name]);
    return true;
  }
  bool ChargeValue() {
    if (charge_.Add()) return true;
    Error refusal = charge_.Refusal();
    code = refusal.code;
    return Fail(std::move(refusal.message));
  }
  Json* Place(Json value) {
    if (open_.empty()) {
      root = std::move(value);
      return &root;
    }
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[key_] = std::move(value));
  }
  bool Open(Json empty) {
    if (open_.size() >= limits_.max_depth) {
      return Fail("nested deeper than " + std::to_string(limits_.max_depth));
    }
    open_.push_back(Place(std::move(empty)));
    return ChargeValue();
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  const JsonLimits& limits_;
  DuplicateKeys* const counted_;
  ValueCharge charge_;
  std::vector<Json*> open_;  // valid: a child is complete before its parent grows
  std::string key_;
  size_t suffixes_ = 0;
};

Error WrongType(const char* field, const char* wanted, const Json& value) {
  return {Code::kInvalid, std::string(field) + " must be " + wanted + ", not " + value.type_name()};
}

}  // namespace

Result<Json> ParseJson(std::string_view text, const JsonLimits& limits) {
  return ParseJson(text, limits, nullptr);
}

Result<Json> ParseJson(std::string_view text, const JsonLimits& limits, DuplicateKeys* duplicates) {
  if (Trim(text).empty()) return Error{Code::kInvalid, "the JSON text is empty"};
  // The library treats a NUL as the end of the input and ignores the rest.
  if (const size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return Error{Code::kInvalid, "malformed JSON: a NUL at byte " + std::to_string(nul + 1)};
  }
  StrictReader reader(limits, duplicates);
  if (!Json::sax_parse(text.begin(), text.end(), &reader)) {
    const bool malformed = reader.code == Code::kInvalid;
    return Error{reader.code, (malformed ? "malformed JSON: " : "") + reader.failure};
  }
  return std::move(reader.root);
}

std::string DumpJson(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<std::optional<std::string>> OptionalString(const Json& object, const char* field) {
  auto found = object.find(field);
  if (found == object.end() || found->is_null()) return std::optional<std::string>();
  if (!found->is_string()) return WrongType(field, "a string", *found);
  return std::optional<std::string>(found->get<std::string>());
}

Result<std::optional<int64_t>> OptionalInt(const Json& object, const char* field) {
  auto found = object.find(field);
  if (found == object.end() || found->is_null()) return std::optional<int64_t>();
  if (!found->is_number_integer()) return WrongType(field, "an integer", *found);
  if (found->is_number_unsigned() && found->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)) {
    return Error{Code::kInvalid, std::string(field) + " is out of range"};
  }
  return std::optional<int64_t>(found->get<int64_t>());
}

Result<std::optional<bool>> OptionalBool(const Json& object, const char* field) {
  auto found = object.find(field);
  if (found == object.end() || found->is_null()) return std::optional<bool>();
  if (!found->is_boolean()) return WrongType(field, "true or false", *found);
  return std::optional<bool>(found->get<bool>());
}

Result<std::string> RequiredString(const Json& object, const char* field) {
  ASSIGN_OR_RETURN(std::optional<std::string> value, OptionalString(object, field));
  if (!value) return Error{Code::kInvalid, std::string(field) + " is required"};
  return std::move(*value);
}

const Json* At(const Json& value, std::initializer_list<const char*> path) {
  const Json* at = &value;
  for (const char* key : path) {
    if (!at->is_object()) return nullptr;
    auto found = at->find(key);
    if (found == at->end()) return nullptr;
    at = &*found;
  }
  return at;
}

std::string StringAt(const Json& value, std::initializer_list<const char*> path,
                     std::string_view fallback) {
  const Json* found = At(value, path);
  return found && found->is_string() ? found->get<std::string>() : std::string(fallback);
}

}  // namespace base
