// A scripted http::Client for unit tests: returns answers in order, and records every request. For
// faults on the wire use http_script.h.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "lib/base/guarded.h"
#include "lib/http/client/client.h"

namespace testing {

// Any thread. Each request takes the next answer; without answers it calls `otherwise`, and without
// that it fails with kUnavailable.
class FakeClient : public http::Client {
 public:
  using Answerer = std::function<base::Result<http::Response>(const http::ClientRequest&)>;

  void Answer(int status, const base::Json& body = base::Json::object());
  void Answer(http::Response response);
  void Fail(base::Code code, std::string message = "scripted failure");
  void Otherwise(Answerer answerer);

  base::Result<http::Response> Send(const http::ClientRequest& request) override;
  // Streams the body of the next answer line by line, then ends.
  std::unique_ptr<http::OpenStream> Open(const http::ClientRequest& request,
                                         http::StreamReader reader) override;

  std::vector<http::ClientRequest> requests() const;
  size_t unused() const;  // answers that no request has taken

 private:
  struct Script {
    std::deque<base::Result<http::Response>> answers;
    std::vector<http::ClientRequest> requests;
    Answerer otherwise;
  };
  base::Guarded<Script> script_;
};

}  // namespace testing
