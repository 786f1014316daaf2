// A scripted http::Client for unit tests: answers in order, and every request recorded. For faults
// on the wire use http_script.h.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "lib/base/guarded.h"
#include "lib/http/client/client.h"

namespace testing {

// Any thread. Answers are taken in the order they were given; when none is left, `otherwise` is
// asked, and without one the call fails as kUnavailable.
class FakeClient : public http::Client {
 public:
  using Answerer = std::function<base::Result<http::Response>(const http::ClientRequest&)>;

  void Answer(int status, const base::Json& body = base::Json::object());
  void Answer(http::Response response);
  void Fail(base::Code code, std::string message = "scripted failure");
  void Otherwise(Answerer answerer);

  base::Result<http::Response> Send(const http::ClientRequest& request) override;
  // Gives the body of the next answer line by line, then ends.
  std::unique_ptr<http::OpenStream> Open(const http::ClientRequest& request,
                                         http::StreamReader reader) override;

  std::vector<http::ClientRequest> requests() const;
  size_t unused() const;  // answers that nobody has taken

 private:
  struct Script {
    std::deque<base::Result<http::Response>> answers;
    std::vector<http::ClientRequest> requests;
    Answerer otherwise;
  };
  base::Guarded<Script> script_;
};

}  // namespace testing
