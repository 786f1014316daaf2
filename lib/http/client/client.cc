// Outbound HTTP: builds requests as bytes and waits for their answers (ADR 68).
#include "lib/http/client/client.h"

#include <openssl/crypto.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "lib/http/client/answer.h"
#include "lib/http/client/connection_pool.h"
#include "lib/http/client/streams.h"
#include "lib/http/client/tls_contexts.h"
#include "lib/http/client/url.h"

namespace http {

namespace {

using base::Code;
using base::Error;

// At process exit the I/O thread may be inside OpenSSL, which by default frees its tables then. Set
// before main, since the first initialization of OpenSSL decides.
[[maybe_unused]] const int kNoTlsCleanup = OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);

constexpr int64_t kLastCallsMs = 2000;  // the destructor's wait for abandoned calls

class RestClient : public Client {
 public:
  RestClient(ClientOptions options, Url base, std::shared_ptr<TlsContexts> tls)
      : options_(std::move(options)),
        base_(std::move(base)),
        pool_(std::make_shared<ConnectionPool>(Address{base_.host, base_.port},
                                               NextOf(std::move(tls)))) {}
  ~RestClient() override {
    pool_->Close();
    open_->WaitForNone(kLastCallsMs);
  }

  base::Result<Response> Send(const ClientRequest& request) override;
  std::unique_ptr<OpenStream> Open(const ClientRequest& request, StreamReader reader) override;

 private:
  static ConnectionPool::TlsOfNext NextOf(std::shared_ptr<TlsContexts> tls);
  base::Result<std::string> Build(const ClientRequest& request) const;
  base::Result<IncomingAnswer::Started> Begin(const ClientRequest& request,
                                              Clock::time_point head_by, uint64_t max_body_bytes,
                                              const std::shared_ptr<CallMonitor>& monitor);
  std::string What(const ClientRequest& request) const;

  const ClientOptions options_;
  const Url base_;
  const std::shared_ptr<OpenCalls> open_ = std::make_shared<OpenCalls>();
  const std::shared_ptr<ConnectionPool> pool_;
  ClientStreams streams_;  // last: its answers use all of the above
};

ConnectionPool::TlsOfNext RestClient::NextOf(std::shared_ptr<TlsContexts> tls) {
  if (!tls) return nullptr;
  return [tls = std::move(tls)] { return tls->Next(); };
}

// Without the query, which may contain a user's text.
std::string RestClient::What(const ClientRequest& request) const {
  return request.method + " " + options_.base_url +
         request.target.substr(0, request.target.find('?'));
}

base::Result<std::string> RestClient::Build(const ClientRequest& request) const {
  if (!request.target.starts_with('/') || !IsEncoded(request.target)) {
    return Error{Code::kInvalid, What(request) + ": the target is not an encoded path"};
  }
  Headers headers;  // one field a name
  headers.Set("Host", base_.authority);
  headers.Set("Connection", "Keep-Alive");
  headers.Set("User-Agent", options_.user_agent);
  if (!request.body.empty()) headers.Set("Content-Type", "application/json");
  for (const auto& [name, value] : request.headers.all()) {
    if (!IsFieldText(name) || !IsFieldText(value)) {
      return Error{Code::kInvalid,
                   What(request) + ": a line break in header " + PercentEncode(name)};
    }
    headers.Set(name, value);
  }
  if (options_.bearer_token) {
    const std::string token = options_.bearer_token();
    if (!IsFieldText(token)) return Error{Code::kInvalid, "a line break in the bearer token"};
    if (!token.empty()) headers.Set("Authorization", "Bearer " + token);
  }
  const bool may_have_body = request.method != "GET" && request.method != "HEAD";
  if (may_have_body || !request.body.empty())
    headers.Set("Content-Length", std::to_string(request.body.size()));
  std::string bytes = request.method + " " + base_.path + request.target + " HTTP/1.1\r\n";
  for (const auto& [name, value] : headers.all()) bytes += name + ": " + value + "\r\n";
  return bytes + "\r\n" + request.body;
}

base::Result<IncomingAnswer::Started> RestClient::Begin(
    const ClientRequest& request, Clock::time_point head_by, uint64_t max_body_bytes,
    const std::shared_ptr<CallMonitor>& monitor) {
  const std::string what = What(request);
  ASSIGN_OR_RETURN(std::string bytes, Build(request));
  // Sends nothing after the caller's deadline, which may have passed before a second attempt, or
  // during a slow bearer_token or a pause of the process.
  if (Clock::now() >= head_by) return Error{Code::kTimeout, what + ": not sent in time"};
  auto call = std::make_shared<Call>(open_, monitor);
  auto cancel =
      pool_->Begin({std::move(bytes), request.method == "HEAD", max_body_bytes, what}, call);
  return IncomingAnswer::Started{std::move(call), std::move(cancel)};
}

base::Result<Response> RestClient::Send(const ClientRequest& request) {
  Response response;
  const size_t limit = options_.max_response_bytes;
  const Error too_large{Code::kTooLarge, What(request) + ": the answer is larger than " +
                                             std::to_string(limit) + " bytes"};
  const auto end = Clock::now() + std::chrono::milliseconds(request.timeout_ms);
  const auto monitor = std::make_shared<CallMonitor>();
  IncomingAnswer answer(What(request), {end, end, request.timeout_ms}, IsIdempotent(request),
                        monitor, [&] { return Begin(request, end, limit, monitor); });
  answer.Start();
  for (;;) {
    {
      std::unique_lock lock(monitor->mutex);
      monitor->changed.wait_until(lock, end, [&] { return answer.Ready(); });
    }
    auto step = answer.Pop();
    if (!step) continue;
    if (step->kind == IncomingAnswer::Step::Kind::kEnd) {
      RETURN_IF_ERROR(step->end);
      return response;
    }
    if (step->kind == IncomingAnswer::Step::Kind::kHead) {
      response = std::move(step->head);
      const auto length = response.headers.Get("Content-Length");
      if (length && std::strtoull(length->c_str(), nullptr, 10) > limit) return too_large;
    }
    if (response.body.size() + step->bytes.size() > limit) return too_large;
    response.body.append(step->bytes);
  }
}

std::unique_ptr<OpenStream> RestClient::Open(const ClientRequest& request, StreamReader reader) {
  const auto head_by = Clock::now() + std::chrono::milliseconds(request.timeout_ms);
  const IncomingAnswer::Limits limits{head_by, Clock::time_point::max(), options_.idle_timeout_ms};
  auto answer = std::make_unique<IncomingAnswer>(
      What(request), limits, IsIdempotent(request), streams_.monitor(),
      [this, request, head_by] { return Begin(request, head_by, UINT64_MAX, streams_.monitor()); });
  return streams_.Open(std::move(answer), std::move(reader));
}

}  // namespace

void InitializeClientThread() { (void)ClientIo(); }

base::Result<std::unique_ptr<Client>> MakeClient(ClientOptions options) {
  InitializeClientThread();
  while (options.base_url.ends_with('/')) options.base_url.pop_back();
  ASSIGN_OR_RETURN(Url url, ParseUrl(options.base_url));
  if (options.certificate_file.empty() != options.key_file.empty()) {
    return Error{Code::kInvalid, "a client certificate needs its key, and a key its certificate"};
  }
  // Without TLS no context is created, since OpenSSL's providers take 3 MiB of memory.
  const bool files = !options.ca_file.empty() || !options.certificate_file.empty(), https = url.tls;
  std::shared_ptr<TlsContexts> tls;
  if (files || https) {
    tls =
        std::make_shared<TlsContexts>(options.ca_file, options.certificate_file, options.key_file);
    if (auto trial = tls->Next(); !trial) return base::Wrap(options.base_url, trial.error());
  }
  return std::unique_ptr<Client>(std::make_unique<RestClient>(std::move(options), std::move(url),
                                                              https ? std::move(tls) : nullptr));
}

}  // namespace http
