// A strict reader of one JSON object: refuses an unknown key, a wrong type or a value out of its
// limits, and names the key's path. The callers (policy.cc) know the fields. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/base/text/text.h"

namespace api {

// Reads the fields of one object. Stores the first error in `error`; null equals absent.
class Fields {
 public:
  Fields(const base::Json& object, std::string path, std::optional<base::Error>& error)
      : object_(object), path_(std::move(path)), error_(error) {
    if (!object_.is_object()) Refuse("", "must be an object");
  }

  const base::Json* Find(const char* key) {
    known_.insert(key);
    if (error_ || !object_.is_object()) return nullptr;
    auto found = object_.find(key);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }
  void Text(const char* key, std::string& into, std::initializer_list<const char*> words = {}) {
    const base::Json* value = Find(key);
    if (!value) return;
    if (!value->is_string()) return Refuse(key, "must be a string");
    into = value->get<std::string>();
    if (words.size() == 0) return;
    std::vector<std::string> all(words.begin(), words.end());
    if (std::find(all.begin(), all.end(), into) == all.end())
      Refuse(key, "must be one of " + base::Join(all, ", "));
  }
  void Number(const char* key, int& into, int lowest, int highest) {
    const base::Json* value = Find(key);
    if (!value) return;
    bool fits = value->is_number_integer() && *value >= lowest && *value <= highest;
    if (!fits)
      return Refuse(key, "must be a whole number from " + std::to_string(lowest) + " to " +
                             std::to_string(highest));
    into = value->get<int>();
  }
  void Count(const char* key, int64_t& into) {
    const base::Json* value = Find(key);
    if (!value) return;
    if (!value->is_number_integer() || *value < 0 || *value > INT64_MAX)
      return Refuse(key, "must be a whole number of 0 or more");
    into = value->get<int64_t>();
  }
  void Share(const char* key, double& into) {  // from 0 to 1
    const base::Json* value = Find(key);
    if (!value) return;
    if (!value->is_number() || !(*value >= 0 && *value <= 1))
      return Refuse(key, "must be a number from 0 to 1");
    into = value->get<double>();
  }
  void Flag(const char* key, bool& into) {
    const base::Json* value = Find(key);
    if (!value) return;
    if (!value->is_boolean()) return Refuse(key, "must be true or false");
    into = value->get<bool>();
  }
  void Texts(const char* key, std::vector<std::string>& into) {
    const base::Json* value = Find(key);
    if (!value) return;
    if (!value->is_array()) return Refuse(key, "must be a list of strings");
    into.clear();
    for (const base::Json& item : *value) {
      if (!item.is_string()) return Refuse(key, "must be a list of strings");
      into.push_back(item.get<std::string>());
    }
  }
  void TextMap(const char* key, std::map<std::string, std::string>& into) {
    const base::Json* value = Find(key);
    if (!value) return;
    if (!value->is_object()) return Refuse(key, "must be an object of strings");
    into.clear();
    for (const auto& [name, item] : value->items()) {
      if (!item.is_string()) return Refuse(key, "must be an object of strings");
      into[name] = item.get<std::string>();
    }
  }
  // Calls `read` with the Fields of the object `key`, if present.
  template <class Read>
  void Object(const char* key, Read read) {
    const base::Json* value = Find(key);
    if (!value) return;
    Fields inner(*value, PathOf(key), error_);
    read(inner);
    inner.RefuseUnknown();
  }
  template <class Read>
  void List(const char* key, size_t most, Read read) {
    const base::Json* value = Find(key);
    if (!value) return;
    if (!value->is_array() || value->size() > most)
      return Refuse(key, "must be a list of at most " + std::to_string(most));
    for (size_t i = 0; i < value->size() && !error_; ++i) {
      Fields inner((*value)[i], PathOf(key) + "[" + std::to_string(i) + "]", error_);
      read(inner);
      inner.RefuseUnknown();
    }
  }
  void Require(const char* key, const std::string& value) {
    if (value.empty()) Refuse(key, "is required");
  }
  void RefuseUnknown() {
    if (error_ || !object_.is_object()) return;
    for (const auto& item : object_.items())
      if (!known_.contains(item.key())) return Refuse(item.key().c_str(), "is not a known field");
  }
  void Refuse(const char* key, const std::string& why) {
    if (!error_) error_ = base::Error{base::Code::kInvalid, "policy: " + PathOf(key) + " " + why};
  }

 private:
  std::string PathOf(const std::string& key) const {
    if (key.empty()) return path_.empty() ? "the document" : path_;
    return path_.empty() ? key : path_ + "." + key;
  }
  const base::Json& object_;
  std::string path_;
  std::optional<base::Error>& error_;
  std::set<std::string> known_;
};

}  // namespace api
