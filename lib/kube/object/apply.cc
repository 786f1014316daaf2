// Compares the desired object with the stored one, which may have more fields and other spellings.
#include "lib/kube/object/apply.h"

#include <algorithm>
#include <array>

#include "lib/base/text/digest.h"
#include "lib/kube/object/quantity.h"

namespace kube {

namespace {

bool IsAbsent(const Json& value) {
  return value.is_null() || ((value.is_object() || value.is_array()) && value.empty()) ||
         (value.is_string() && value.get_ref<const std::string&>().empty());
}

// The field that names the elements of a list, like the keys of the API's list maps; empty: none.
std::string NamingField(const Json& list) {
  static constexpr std::array kFields{"name", "containerPort", "mountPath", "type",
                                      "key",  "topologyKey",   "ip",        "uid"};
  if (list.empty() || !list[0].is_object()) return {};
  for (const char* field : kFields) {
    bool all = std::all_of(list.begin(), list.end(), [&](const Json& element) {
      return element.is_object() && element.contains(field) && !element[field].is_structured();
    });
    if (all) return field;
  }
  return {};
}

bool HoldsQuantities(const std::string& field) {
  return field == "limits" || field == "requests" || field == "capacity" || field == "sizeLimit";
}

std::string Compare(const Json& observed, const Json& desired, bool quantities);

std::string CompareNamed(const Json& observed, const Json& desired, const std::string& field) {
  for (const Json& element : desired) {
    auto twin = std::find_if(observed.begin(), observed.end(), [&](const Json& candidate) {
      return candidate.is_object() && candidate.contains(field) &&
             candidate[field] == element[field];
    });
    std::string place = "[" + field + "=" + base::DumpJson(element[field]) + "]";
    if (twin == observed.end()) return place;
    std::string difference = Compare(*twin, element, false);
    if (!difference.empty()) return difference == "." ? place : place + difference;
  }
  return {};
}

std::string CompareLists(const Json& observed, const Json& desired, bool quantities) {
  std::string field = NamingField(desired);
  if (!field.empty()) return CompareNamed(observed, desired, field);
  if (observed.size() != desired.size()) return ".";
  for (size_t i = 0; i < desired.size(); ++i) {
    std::string difference = Compare(observed[i], desired[i], quantities);
    if (difference.empty()) continue;
    std::string place = "[" + std::to_string(i) + "]";
    return difference == "." ? place : place + difference;
  }
  return {};
}

std::string CompareObjects(const Json& observed, const Json& desired, bool quantities) {
  for (const auto& [field, value] : desired.items()) {
    auto at = observed.find(field);
    if (at == observed.end()) {
      if (IsAbsent(value)) continue;
      return "." + field;
    }
    std::string difference = Compare(*at, value, quantities || HoldsQuantities(field));
    if (!difference.empty()) return "." + field + (difference == "." ? "" : difference);
  }
  return {};
}

// Empty: `observed` has all of `desired`; ".": this value differs; else the path of a difference.
std::string Compare(const Json& observed, const Json& desired, bool quantities) {
  if (observed == desired || (IsAbsent(observed) && IsAbsent(desired))) return {};
  if (observed.is_object() && desired.is_object()) {
    return CompareObjects(observed, desired, quantities);
  }
  if (observed.is_array() && desired.is_array()) return CompareLists(observed, desired, quantities);
  if (quantities && observed.is_string() && desired.is_string() &&
      SameQuantity(observed.get_ref<const std::string&>(), desired.get_ref<const std::string&>())) {
    return {};
  }
  return ".";
}

// The text after a Go-quoted string, whose opening quote precedes `text`.
std::string_view BehindQuoted(std::string_view text) {
  size_t at = 0;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return at < text.size() ? text.substr(at + 1) : std::string_view();
}

}  // namespace

std::string IntentHash(const Json& desired) { return base::Sha256Hex(base::DumpJson(desired)); }

Json WithIntent(Json desired, const std::string& annotation) {
  Json& metadata = desired["metadata"];
  if (metadata.contains("annotations")) metadata["annotations"].erase(annotation);
  if (metadata.contains("annotations") && metadata["annotations"].empty()) {
    metadata.erase("annotations");
  }
  std::string hash = IntentHash(desired);
  desired["metadata"]["annotations"][annotation] = hash;
  return desired;
}

bool IsFieldConflict(std::string_view words) {
  return words.find("Apply failed with ") != std::string_view::npos;
}

bool IsConflictOfAppliers(std::string_view words) {
  constexpr std::string_view kWith = " with \"", kSubresource = " with subresource \"";
  if (!IsFieldConflict(words)) return false;
  for (std::string_view name : {"conflict", "conflicts"}) {
    const std::string mark = std::string(name) + std::string(kWith);
    for (size_t at = words.find(mark); at != std::string_view::npos;
         at = words.find(mark, at + mark.size())) {
      std::string_view rest = BehindQuoted(words.substr(at + mark.size()));
      if (rest.starts_with(kSubresource)) rest = BehindQuoted(rest.substr(kSubresource.size()));
      if (!rest.starts_with(" using ")) return true;
    }
  }
  return false;
}

std::string FirstDifference(const Json& observed, const Json& desired) {
  return Compare(observed, desired, false);
}

bool Contains(const Json& observed, const Json& desired) {
  return FirstDifference(observed, desired).empty();
}

bool IsUpToDate(const Json& observed, const Json& desired, const std::string& annotation) {
  std::string hash = AnnotationOf(desired, annotation);
  return !hash.empty() && hash == AnnotationOf(observed, annotation) && Contains(observed, desired);
}

}  // namespace kube
