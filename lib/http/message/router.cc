// Finds the route of a path, segment by segment, literals before parameters.
#include "lib/http/message/router.h"

#include <algorithm>

#include "lib/base/text/text.h"

namespace http {

namespace {

bool IsParameter(const std::string& segment) {
  return segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
}

bool Fits(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
  if (pattern.size() != path.size()) return false;
  for (size_t i = 0; i < path.size(); ++i) {
    if (IsParameter(pattern[i]) ? path[i].empty() : pattern[i] != path[i]) return false;
  }
  return true;
}

// Of two patterns that match the same path: whether `a` has the literal where they first differ.
bool MoreSpecific(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (IsParameter(a[i]) != IsParameter(b[i])) return IsParameter(b[i]);
  }
  return false;
}

// The decoded segments after the leading slash; nullopt: a malformed path.
std::optional<std::vector<std::string>> DecodePath(std::string_view raw) {
  if (raw.empty() || raw.front() != '/') return std::nullopt;
  std::vector<std::string> segments;
  for (size_t begin = 1; begin <= raw.size();) {
    const size_t end = std::min(raw.find('/', begin), raw.size());
    auto segment = PercentDecode(raw.substr(begin, end - begin));
    if (!segment || *segment == "." || *segment == "..") return std::nullopt;
    segments.push_back(std::move(*segment));
    begin = end + 1;
  }
  return segments;
}

}  // namespace

Router::Router(std::vector<Route> routes) : routes_(std::move(routes)) {
  for (const Route& route : routes_) segments_.push_back(base::Split(route.pattern.substr(1), '/'));
}

Router::Match Router::Find(std::string_view method, std::string_view raw_path) const {
  Match match;
  const auto path = DecodePath(raw_path);
  if (!path) {
    match.bad_path = true;
    return match;
  }
  size_t best = routes_.size();
  bool best_is_exact = false;  // a HEAD route is preferred to the GET route
  for (size_t i = 0; i < routes_.size(); ++i) {
    if (!Fits(segments_[i], *path)) continue;
    const bool exact = routes_[i].method == method;
    if (!exact && !(method == "HEAD" && routes_[i].method == "GET")) {
      match.allowed.push_back(routes_[i].method);
      continue;
    }
    const bool better = best == routes_.size() || (exact && !best_is_exact) ||
                        (exact == best_is_exact && MoreSpecific(segments_[i], segments_[best]));
    if (!better) continue;
    best = i;
    best_is_exact = exact;
  }
  if (best == routes_.size()) {
    if (std::ranges::count(match.allowed, "GET") > 0) match.allowed.push_back("HEAD");
    std::ranges::sort(match.allowed);
    match.allowed.erase(std::unique(match.allowed.begin(), match.allowed.end()),
                        match.allowed.end());
    return match;
  }
  match.allowed.clear();
  match.route = &routes_[best];
  for (size_t i = 0; i < path->size(); ++i) {
    const std::string& segment = segments_[best][i];
    if (IsParameter(segment)) match.parameters[segment.substr(1, segment.size() - 2)] = (*path)[i];
  }
  return match;
}

base::Result<std::vector<std::pair<std::string, std::string>>> ParseQuery(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::string& part : base::Split(query, '&')) {
    if (part.empty()) continue;
    std::ranges::replace(part, '+', ' ');
    const size_t equals = part.find('=');
    ASSIGN_OR_RETURN(std::string name, PercentDecode(std::string_view(part).substr(0, equals)));
    std::string value;
    if (equals != std::string::npos) {
      const bool sought = name == "q" || name == "query";  // a text that clients cut by bytes
      ASSIGN_OR_RETURN(value, PercentDecode(std::string_view(part).substr(equals + 1),
                                            sought ? Ending::kCut : Ending::kWhole));
    }
    pairs.emplace_back(std::move(name), std::move(value));
  }
  return pairs;
}

}  // namespace http
