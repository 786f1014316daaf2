// Hands out the scripted answers.
#include "lib/testing/fake_client.h"

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
  if (otherwise) return otherwise(request);  // outside the lock: it may ask this client
  return base::Error{base::Code::kUnavailable, "no answer is scripted for " + request.target};
}

base::Status FakeClient::Stream(const http::ClientRequest& request, std::stop_token stop,
                                std::function<bool(const http::Response& head)> on_head,
                                std::function<bool(std::string_view bytes)> on_bytes) {
  ASSIGN_OR_RETURN(const http::Response response, Send(request));
  if (!on_head(response)) return {};
  const std::string_view body = response.body;
  for (size_t begin = 0; begin < body.size() && !stop.stop_requested();) {
    const size_t line_end = body.find('\n', begin);
    const size_t end = line_end == std::string_view::npos ? body.size() : line_end + 1;
    if (!on_bytes(body.substr(begin, end - begin))) return {};
    begin = end;
  }
  return {};
}

std::vector<http::ClientRequest> FakeClient::requests() const {
  return script_.With([](const Script& script) { return script.requests; });
}

size_t FakeClient::unused() const {
  return script_.With([](const Script& script) { return script.answers.size(); });
}

}  // namespace testing
