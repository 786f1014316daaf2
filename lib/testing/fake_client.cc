// Returns the scripted answers in order.
#include "lib/testing/fake_client.h"

#include <algorithm>

#include "lib/testing/streams.h"

namespace testing {

void FakeClient::Answer(int status, const base::Json& body) {
  Answer(http::JsonResponse(status, body));
}

void FakeClient::Answer(http::Response response) {
  script_.With([&](Script& script) { script.answers.emplace_back(std::move(response)); });
}

void FakeClient::Fail(base::Code code, std::string message) {
  script_.With([&](Script& script) {
    script.answers.emplace_back(base::Error{code, std::move(message)});
  });
}

void FakeClient::Otherwise(Answerer answerer) {
  script_.With([&](Script& script) { script.otherwise = std::move(answerer); });
}

base::Result<http::Response> FakeClient::Send(const http::ClientRequest& request) {
  Answerer otherwise;
  std::optional<base::Result<http::Response>> answer;
  script_.With([&](Script& script) {
    script.requests.push_back(request);
    otherwise = script.otherwise;
    if (script.answers.empty()) return;
    answer = std::move(script.answers.front());
    script.answers.pop_front();
  });
  if (answer) return std::move(*answer);
  if (otherwise) return otherwise(request);  // outside the lock: it may call this client
  return base::Error{base::Code::kUnavailable, "no answer is scripted for " + request.target};
}

std::unique_ptr<http::OpenStream> FakeClient::Open(const http::ClientRequest& request,
                                                   http::StreamReader reader) {
  const auto give = [this, request](const std::stop_token&,
                                    const http::StreamReader& told) -> base::Status {
    ASSIGN_OR_RETURN(const http::Response response, Send(request));
    if (!told.on_head(response)) return {};
    std::string_view body = response.body;
    while (!body.empty()) {
      const size_t line = std::min(body.find('\n'), body.size() - 1) + 1;
      if (!told.on_bytes(body.substr(0, line))) return {};
      body.remove_prefix(line);
    }
    return {};
  };
  return std::make_unique<ThreadedStream>(give, std::move(reader));
}

std::vector<http::ClientRequest> FakeClient::requests() const {
  return script_.With([](const Script& script) { return script.requests; });
}

size_t FakeClient::unused() const {
  return script_.With([](const Script& script) { return script.answers.size(); });
}

}  // namespace testing
