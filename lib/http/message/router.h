// The table of routes of a program and the look-up in it. Pure: knows nothing of sockets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/http/message/message.h"

namespace http {

struct Route {
  std::string method;   // GET, POST, …
  std::string pattern;  // "/observations/{id}": a {name} takes one whole segment
  Handler handler;
  size_t max_body_bytes = 1 << 20;
  bool streaming = false;  // the handler reads Request::stream; max_body_bytes counts there too
  bool waits = false;      // on a disk, say: such handlers have threads of their own
};

class Router {
 public:
  explicit Router(std::vector<Route> routes);

  struct Match {
    const Route* route = nullptr;  // null: nothing fits
    std::map<std::string, std::string> parameters;
    std::vector<std::string>
        allowed;            // methods that the path has, when the method does not fit (405)
    bool bad_path = false;  // a segment does not decode (400)
  };
  // Segments are split at '/' first and decoded then, so %2f stays inside its segment. A literal
  // segment goes before a parameter; a parameter is never empty; "." and ".." are bad paths; HEAD
  // finds the GET route unless it has its own. The match points into this router.
  Match Find(std::string_view method, std::string_view raw_path) const;
  const std::vector<Route>& routes() const { return routes_; }

 private:
  std::vector<Route> routes_;
  std::vector<std::vector<std::string>> segments_;  // of each route's pattern
};

// The decoded pairs of a query string (without '?'); '+' is a blank. kInvalid as PercentDecode, but
// a value may end within a character: clients cut questions after so many bytes.
base::Result<std::vector<std::pair<std::string, std::string>>> ParseQuery(std::string_view query);

}  // namespace http
