// An embeddings endpoint on loopback that knows a few words and misbehaves as a test sets it. Test
// code.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/testing/http_server.h"

namespace memory {

enum class Misbehave {
  kNot,
  kHang,  // answers only after the mode is changed
  kStatus,
  kFewerDimensions,
  kFewerVectors,
  kNotANumber,
  kNoJson,
  kHuge,  // a gigabyte
};

class FakeEndpoint {
 public:
  FakeEndpoint()
      : server_(testing::StartServer(
            {{"POST", "/v1/embeddings", [this](const http::Request& r) { return Answer(r); }}})) {}
  ~FakeEndpoint() { Set(Misbehave::kNot); }

  std::string url() const { return "http://" + server_->address() + "/v1"; }
  void Set(Misbehave way, int status = 500, const std::string& retry_after = "") {
    const std::lock_guard lock(mutex_);
    way_ = way, status_ = status, retry_after_ = retry_after;
    changed_.notify_all();
  }
  int requests() const { return Locked(requests_); }
  int hanging() const { return Locked(hanging_); }
  size_t sent_bytes() const { return Locked(sent_bytes_); }
  std::string authorization() const { return Locked(authorization_); }
  // The texts of requests that got vectors; refused ones may be requested again.
  std::multiset<std::string> texts() const { return Locked(texts_); }

 private:
  template <class T>
  T Locked(const T& value) const {
    const std::lock_guard lock(mutex_);
    return value;
  }
  static base::Json VectorOf(const std::string& text) {
    static const std::map<std::string, size_t> kMeanings = {
        {"car", 0}, {"vehicle", 0}, {"bread", 1}, {"loaf", 1}, {"lawn", 2}, {"garden", 2}};
    std::vector<double> values = {0, 0, 0, 0.05};
    for (const auto& [word, dimension] : kMeanings)
      if (text.find(word) != std::string::npos) values[dimension] = 0.9;
    return values;
  }
  http::Response Answer(const http::Request& request) {
    const auto body = base::ParseJson(request.body);
    std::unique_lock lock(mutex_);
    ++requests_;
    authorization_ = request.headers.Get("Authorization").value_or("");
    ++hanging_;
    changed_.wait(lock, request.client_gone, [this] { return way_ != Misbehave::kHang; });
    --hanging_;
    bool refused = !body || !body->contains("input");
    base::Json answer = {{"object", "list"}, {"data", base::Json::array()}};
    for (const base::Json& text : refused ? base::Json::array() : (*body)["input"]) {
      refused = refused || text.get<std::string>().find("poison") != std::string::npos;
      answer["data"].push_back(
          {{"index", answer["data"].size()}, {"embedding", VectorOf(text.get<std::string>())}});
    }
    if (refused) return http::JsonResponse(400, {{"error", {{"message", "no such input"}}}});
    if (way_ == Misbehave::kNot)
      for (const base::Json& text : (*body)["input"]) texts_.insert(text.get<std::string>());
    return Spoil(std::move(answer));
  }
  http::Response Spoil(base::Json answer) {
    base::Json& rows = answer["data"];
    switch (way_) {
      case Misbehave::kStatus: {
        http::Response response = http::JsonResponse(status_, {{"error", "sk-echo"}});
        if (!retry_after_.empty()) response.headers.Set("Retry-After", retry_after_);
        if (status_ == 307) response.headers.Set("Location", retry_after_);
        return response;
      }
      case Misbehave::kFewerDimensions:
        for (base::Json& row : rows) row["embedding"].erase(0);
        break;
      case Misbehave::kFewerVectors:
        rows.erase(rows.size() - 1);
        break;
      case Misbehave::kNotANumber:
        return http::TextResponse(200, R"({"data": [{"index": 0, "embedding": [NaN, 1, 1, 1]}]})");
      case Misbehave::kNoJson:
        return http::TextResponse(200, "<html>sk-echo</html>");
      case Misbehave::kHuge:
        return testing::HugeAnswer([this](size_t bytes) {
          const std::lock_guard lock(mutex_);
          sent_bytes_ += bytes;
        });
      case Misbehave::kNot:
      case Misbehave::kHang:
        break;
    }
    return http::JsonResponse(200, answer);
  }

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  Misbehave way_ = Misbehave::kNot;  // under mutex_, with what follows
  int status_ = 500, requests_ = 0, hanging_ = 0;
  size_t sent_bytes_ = 0;
  std::string retry_after_, authorization_;
  std::multiset<std::string> texts_;
  std::unique_ptr<http::Server> server_;  // last: its handlers use the above
};

}  // namespace memory
