// A chat endpoint on loopback that answers or misbehaves as a test sets it. Test code.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>

#include "lib/base/json/json.h"
#include "lib/testing/http_server.h"

namespace memory {

inline constexpr const char* kTeaFact =
    R"({"facts": [{"category": "user_preference", "content": "User likes green tea.", "importance": 0.9}]})";

class FakeChat {
 public:
  enum class Way { kAnswer, kHang, kStatus, kHtml, kHuge };

  FakeChat()
      : server_(testing::StartServer({{"POST", "/v1/chat/completions",
                                       [this](const http::Request& r) { return Answer(r); }}})) {}
  ~FakeChat() { Set(Way::kAnswer); }

  std::string url() const { return "http://" + server_->address() + "/v1"; }
  void Set(Way way, int status = 500, const std::string& retry_after = "") {
    const std::lock_guard lock(mutex_);
    way_ = way, status_ = status, retry_after_ = retry_after;
    changed_.notify_all();
  }
  // The next answers of the model, and their reported tokens; 0: not reported.
  void Say(const std::string& text, int64_t tokens = 500) {
    const std::lock_guard lock(mutex_);
    text_ = text, tokens_ = tokens;
  }
  int requests() const { return Locked(requests_); }
  int hanging() const { return Locked(hanging_); }
  size_t sent_bytes() const { return Locked(sent_bytes_); }
  std::string authorization() const { return Locked(authorization_); }
  base::Json asked() const { return Locked(asked_); }  // the last request
  // The turn in the last request.
  base::Json turn() const {
    const auto parsed = base::ParseJson(asked()["messages"][1]["content"].get<std::string>());
    return parsed ? *parsed : base::Json();
  }

 private:
  template <class T>
  T Locked(const T& value) const {
    const std::lock_guard lock(mutex_);
    return value;
  }
  http::Response Answer(const http::Request& request) {
    const auto body = base::ParseJson(request.body);
    std::unique_lock lock(mutex_);
    ++requests_;
    asked_ = body ? *body : base::Json();
    authorization_ = request.headers.Get("Authorization").value_or("");
    ++hanging_;
    changed_.wait(lock, request.client_gone, [this] { return way_ != Way::kHang; });
    --hanging_;
    if (way_ == Way::kHtml) return http::TextResponse(200, "<html>sk-echo</html>");
    if (way_ == Way::kHuge) return testing::HugeAnswer([this](size_t bytes) { Count(bytes); });
    if (way_ == Way::kStatus) {
      http::Response response = http::JsonResponse(status_, {{"error", "sk-echo"}});
      if (!retry_after_.empty()) response.headers.Set("Retry-After", retry_after_);
      return response;
    }
    base::Json answer = {{"object", "chat.completion"},
                         {"choices",
                          {{{"index", 0},
                            {"finish_reason", "stop"},
                            {"message", {{"role", "assistant"}, {"content", text_}}}}}}};
    if (tokens_ > 0) answer["usage"]["total_tokens"] = tokens_;
    return http::JsonResponse(200, answer);
  }
  void Count(size_t bytes) {
    const std::lock_guard lock(mutex_);
    sent_bytes_ += bytes;
  }

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  Way way_ = Way::kAnswer;  // under mutex_, with what follows
  int status_ = 500, requests_ = 0, hanging_ = 0;
  size_t sent_bytes_ = 0;
  int64_t tokens_ = 500;
  std::string retry_after_, authorization_, text_ = kTeaFact;
  base::Json asked_;
  std::unique_ptr<http::Server> server_;  // last: its handlers use the above
};

}  // namespace memory
