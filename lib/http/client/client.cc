// Outbound HTTP. cpprestsdk parses and checks URLs and holds a request's fields; our own
// connections carry the bytes, since the library's read the head, a chunk's size line and each
// chunk of an answer without any limit (ADR 68).
#define _TURN_OFF_PLATFORM_STRING  // its U macro breaks Boost headers

#include "lib/http/client/client.h"

#include <arpa/inet.h>
#include <cpprest/base_uri.h>
#include <cpprest/http_msg.h>
#include <openssl/crypto.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "lib/http/client/answer.h"
#include "lib/http/client/connection_pool.h"
#include "lib/http/client/streams.h"
#include "lib/http/client/tls_contexts.h"

namespace http {

namespace {

using base::Code;
using base::Error;

// At process exit the I/O thread may be inside OpenSSL, which by default frees its tables then. Set
// before main, since the first initialization of OpenSSL decides.
[[maybe_unused]] const int kNoTlsCleanup = OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);

constexpr int64_t kLastCallsMs = 2000;  // the destructor's wait for abandoned calls

// The authority of a URL: "[fd00::1]:443" of https://[fd00::1]:443/x.
std::string_view AuthorityOf(std::string_view url) {
  url.remove_prefix(url.find("://") + 3);
  return url.substr(0, url.find_first_of("/?#"));
}

// The IPv6 address in brackets; empty: the authority has another host.
std::string_view BracketedIn(std::string_view authority) {
  const size_t end = authority.find(']');
  if (!authority.starts_with('[') || end == authority.npos) return "";
  return authority.substr(1, end - 1);
}

// "[::1]" or "[::1]:80".
bool IsBracketedIpv6(std::string_view authority) {
  in6_addr bytes{};
  const std::string address(BracketedIn(authority));
  if (::inet_pton(AF_INET6, address.c_str(), &bytes) != 1) return false;
  const std::string_view port = authority.substr(address.size() + 2);
  return port.empty() || (port[0] == ':' && port.find_first_not_of("0123456789", 1) == port.npos);
}

class RestClient : public Client {
 public:
  RestClient(ClientOptions options, std::shared_ptr<TlsContexts> tls)
      : options_(std::move(options)),
        base_(options_.base_url),
        pool_(std::make_shared<ConnectionPool>(AddressOf(base_), NextOf(std::move(tls)))) {}
  ~RestClient() override {
    pool_->Close();
    open_->WaitForNone(kLastCallsMs);
  }

  base::Result<Response> Send(const ClientRequest& request) override;
  std::unique_ptr<OpenStream> Open(const ClientRequest& request, StreamReader reader) override;

 private:
  static Address AddressOf(const web::uri& base);
  static ConnectionPool::TlsOfNext NextOf(std::shared_ptr<TlsContexts> tls);
  base::Result<std::string> Build(const ClientRequest& request) const;
  base::Result<IncomingAnswer::Started> Begin(const ClientRequest& request,
                                              Clock::time_point head_by, uint64_t max_body_bytes,
                                              const std::shared_ptr<Meeting>& meeting);
  std::string What(const ClientRequest& request) const;

  const ClientOptions options_;
  const web::uri base_;
  const std::shared_ptr<OpenCalls> open_ = std::make_shared<OpenCalls>();
  const std::shared_ptr<ConnectionPool> pool_;
  ClientStreams streams_;  // last: its answers use all of the above
};

Address RestClient::AddressOf(const web::uri& base) {
  std::string host = base.host();  // resolved without brackets
  if (const auto bracketed = BracketedIn(host); !bracketed.empty()) host = std::string(bracketed);
  const int usual = base.scheme() == "https" ? 443 : 80;
  return {std::move(host), std::to_string(base.port() > 0 ? base.port() : usual)};
}

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
  if (!request.target.starts_with('/') || !web::uri::validate(request.target)) {
    return Error{Code::kInvalid, What(request) + ": the target is not an encoded path"};
  }
  web::http::http_headers headers;  // one field a name
  headers.add("Host", base_.host() + (base_.port() > 0 ? ":" + std::to_string(base_.port()) : ""));
  headers.add("Connection", "Keep-Alive");
  headers.add("User-Agent", options_.user_agent);
  if (!request.body.empty()) headers.add("Content-Type", "application/json");
  for (const auto& [name, value] : request.headers.all()) {
    if (!IsFieldText(name) || !IsFieldText(value)) {
      return Error{Code::kInvalid,
                   What(request) + ": a line break in header " + PercentEncode(name)};
    }
    headers.remove(name);
    headers.add(name, value);
  }
  if (options_.bearer_token) {
    const std::string token = options_.bearer_token();
    if (!IsFieldText(token)) return Error{Code::kInvalid, "a line break in the bearer token"};
    if (!token.empty()) headers.add("Authorization", "Bearer " + token);
  }
  const bool may_have_body = request.method != "GET" && request.method != "HEAD";
  if (may_have_body || !request.body.empty()) {
    headers.remove("Content-Length");
    headers.add("Content-Length", std::to_string(request.body.size()));
  }
  const std::string path = base_.path() == "/" ? "" : base_.path();
  std::string bytes = request.method + " " + path + request.target + " HTTP/1.1\r\n";
  for (const auto& [name, value] : headers) bytes += name + ": " + value + "\r\n";
  return bytes + "\r\n" + request.body;
}

base::Result<IncomingAnswer::Started> RestClient::Begin(const ClientRequest& request,
                                                        Clock::time_point head_by,
                                                        uint64_t max_body_bytes,
                                                        const std::shared_ptr<Meeting>& meeting) {
  const std::string what = What(request);
  try {
    ASSIGN_OR_RETURN(std::string bytes, Build(request));
    // Sends nothing after the caller's deadline, which may have passed before a second try, or
    // during a slow bearer_token or a pause of the process.
    if (Clock::now() >= head_by) return Error{Code::kTimeout, what + ": not sent in time"};
    auto call = std::make_shared<Call>(open_, meeting);
    auto cancel =
        pool_->Begin({std::move(bytes), request.method == "HEAD", max_body_bytes, what}, call);
    return IncomingAnswer::Started{std::move(call), std::move(cancel)};
  } catch (const std::exception& error) {  // from the library while it builds a request
    return Error{Code::kUnavailable, what + ": " + error.what()};
  }
}

base::Result<Response> RestClient::Send(const ClientRequest& request) {
  Response response;
  const size_t limit = options_.max_response_bytes;
  const Error too_large{Code::kTooLarge, What(request) + ": the answer is larger than " +
                                             std::to_string(limit) + " bytes"};
  const auto end = Clock::now() + std::chrono::milliseconds(request.timeout_ms);
  const auto meeting = std::make_shared<Meeting>();
  IncomingAnswer answer(What(request), {end, end, request.timeout_ms}, IsIdempotent(request),
                        meeting, [&] { return Begin(request, end, limit, meeting); });
  answer.Start();
  for (;;) {
    {
      std::unique_lock lock(meeting->mutex);
      meeting->changed.wait_until(lock, end, [&] { return answer.Ready(); });
    }
    auto step = answer.Take();
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
      What(request), limits, IsIdempotent(request), streams_.meeting(),
      [this, request, head_by] { return Begin(request, head_by, UINT64_MAX, streams_.meeting()); });
  return streams_.Open(std::move(answer), std::move(reader));
}

}  // namespace

void InitializeClientThread() { (void)ClientIo(); }

base::Result<std::unique_ptr<Client>> MakeClient(ClientOptions options) {
  InitializeClientThread();
  while (options.base_url.ends_with('/')) options.base_url.pop_back();
  const bool known =
      options.base_url.starts_with("http://") || options.base_url.starts_with("https://");
  if (!known || !web::uri::validate(options.base_url) ||
      web::uri(options.base_url).host().empty()) {
    return Error{Code::kInvalid,
                 "\"" + options.base_url + "\" is not an http:// or https:// address"};
  }
  const std::string_view authority = AuthorityOf(options.base_url);
  if (authority.starts_with('[') && !IsBracketedIpv6(authority))
    return Error{Code::kInvalid,
                 "\"" + options.base_url + "\" has no IPv6 address in its brackets"};
  if (options.certificate_file.empty() != options.key_file.empty()) {
    return Error{Code::kInvalid, "a client certificate needs its key, and a key its certificate"};
  }
  try {
    // Without TLS no context is created, since OpenSSL's providers take 3 MiB of memory.
    const bool files = !options.ca_file.empty() || !options.certificate_file.empty();
    const bool https = options.base_url.starts_with("https://");
    std::shared_ptr<TlsContexts> tls;
    if (files || https) {
      tls = std::make_shared<TlsContexts>(options.ca_file, options.certificate_file,
                                          options.key_file);
      if (auto trial = tls->Next(); !trial) return base::Wrap(options.base_url, trial.error());
    }
    return std::unique_ptr<Client>(
        std::make_unique<RestClient>(std::move(options), https ? std::move(tls) : nullptr));
  } catch (const std::exception& error) {  // from the library's URL
    return Error{Code::kInvalid, options.base_url + ": " + error.what()};
  }
}

}  // namespace http
