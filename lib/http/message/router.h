// The table of a program's routes, and the lookup in it. Pure.
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
  bool waits = false;      // for a disk, for example: runs on ServerOptions::waiting_workers
  // Set: whether a request needs much of a processor: it runs on ServerOptions::computing_workers.
  // On the I/O thread: must not block.
  std::function<bool(const Request&)> computes = nullptr;
};

class Router {
 public:
  explicit Router(std::vector<Route> routes);

  struct Match {
    const Route* route = nullptr;  // null: no match
    std::map<std::string, std::string> parameters;
    std::vector<std::string> allowed;  // the methods of the path, if `method` is none of them (405)
    bool bad_path = false;             // a segment does not decode (400)
  };
  // Splits at '/' before decoding, so that %2f stays inside its segment. Prefers a literal segment
  // to a parameter; a parameter is never empty; "." and ".." are bad paths; HEAD finds the GET
  // route unless the path has a HEAD route. The match points into this router.
  Match Find(std::string_view method, std::string_view raw_path) const;
  const std::vector<Route>& routes() const { return routes_; }

 private:
  std::vector<Route> routes_;
  std::vector<std::vector<std::string>> segments_;  // of each route's pattern
};

// The decoded pairs of a query string (without '?'); '+' is a blank. kInvalid like PercentDecode,
// but the values of q and query may end inside a character, since clients cut texts by bytes.
base::Result<std::vector<std::pair<std::string, std::string>>> ParseQuery(std::string_view query);

}  // namespace http
