// Outbound HTTP with cpprestsdk, whose tasks and thread stay inside this file: they put answers
// into a Call, from which other threads consume, and every task has a continuation that takes its
// exception. Requests begin and are canceled on the library's only thread (OnLibraryThread).
#define _TURN_OFF_PLATFORM_STRING  // its U macro breaks Boost headers

#include "lib/http/client/client.h"

#include <arpa/inet.h>
#include <cpprest/http_client.h>
#include <cpprest/producerconsumerstream.h>
#include <openssl/crypto.h>
#include <openssl/x509.h>
#include <pplx/threadpool.h>

#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <mutex>
#include <string>
#include <string_view>

#include "lib/base/process/log.h"
#include "lib/http/client/answer.h"
#include "lib/http/client/streams.h"

namespace http {

namespace {

using base::Code;
using base::Error;

// At process exit the library's thread may be inside OpenSSL, which by default frees its tables
// then. Set before main, since the first initialization of OpenSSL decides.
[[maybe_unused]] const int kNoTlsCleanup = OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);

constexpr int64_t kLibraryTimeoutMs = 600'000;  // a backstop: calls have shorter deadlines
constexpr int64_t kLastCallsMs = 2000;          // the destructor's wait for abandoned calls

// Receives the body from the library for the call's queue; a full queue pauses the library.
class Sink : public Concurrency::streams::details::basic_producer_consumer_buffer<uint8_t> {
 public:
  explicit Sink(std::shared_ptr<Call> call)
      : basic_producer_consumer_buffer(16), call_(std::move(call)) {}

 private:
  pplx::task<size_t> _putn(const uint8_t* bytes, size_t count) override {
    if (call_->Add({reinterpret_cast<const char*>(bytes), count}))
      return pplx::task_from_result(count);
    const pplx::task_completion_event<void> room;
    call_->WhenRoom([room] { room.set(); });
    return pplx::create_task(room).then([count] { return count; });
  }

  std::shared_ptr<Call> call_;
};

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

// The library resolves the host of a URI with its brackets, which fails, and compares it so with a
// certificate: an IPv6 address goes without them, and with its port, which ends the host then.
std::string ForLibrary(const std::string& url) {
  const std::string_view authority = AuthorityOf(url), address = BracketedIn(authority);
  if (address.empty()) return url;
  std::string port(authority.substr(address.size() + 2));
  if (port.size() < 2) port = url.starts_with("https") ? ":443" : ":80";
  const size_t from = static_cast<size_t>(authority.data() - url.data());
  return url.substr(0, from) + std::string(address) + port + url.substr(from + authority.size());
}

Error FromException(const std::string& what, std::exception_ptr exception, bool& may_retry) {
  may_retry = false;
  try {
    std::rethrow_exception(exception);
  } catch (const web::http::http_exception& error) {
    const bool late = error.error_code() == std::errc::timed_out;
    // An open connection broke before the answer began: most likely it was idle for too long.
    const std::string_view reason = error.what();
    may_retry = !late && (reason.find("write request") != std::string_view::npos ||
                          reason.find("status line") != std::string_view::npos);
    return {late ? Code::kTimeout : Code::kUnavailable, what + ": " + error.what()};
  } catch (const std::exception& error) {
    return {Code::kUnavailable, what + ": " + error.what()};
  } catch (...) {
    return {Code::kUnavailable, what + ": unknown failure"};
  }
}

Response HeadOf(const web::http::http_response& answer) {
  Response head;
  head.status = answer.status_code();
  for (const auto& [name, value] : answer.headers()) head.headers.Add(name, value);
  return head;
}

// Runs `work` soon, in order; `work` must not throw. The library locks a socket at the beginning of
// an operation, but not for its later pieces: a close by another thread between two pieces ends the
// process, and so may an answer that arrives before the request's cancellation is registered.
void OnLibraryThread(std::function<void()> work) { pplx::create_task(std::move(work)); }

void Launch(web::http::client::http_client& client, web::http::http_request& request,
            const pplx::cancellation_token& token, const std::shared_ptr<Call>& call,
            const std::function<void()>& fail) {
  Concurrency::streams::streambuf<uint8_t> buffer(std::make_shared<Sink>(call));
  request.set_response_stream(buffer.create_ostream());
  client.request(request, token)
      .then([call, fail](const pplx::task<web::http::http_response>& task) {
        try {
          const web::http::http_response answer = task.get();  // finished: does not block
          call->HeadCame(HeadOf(answer));
          answer.content_ready().then(
              [call, fail](const pplx::task<web::http::http_response>& body) {
                try {
                  (void)body.get();
                  call->End(std::nullopt);
                } catch (...) {
                  fail();
                }
              });
        } catch (...) {
          fail();
        }
      });
}

class RestClient : public Client {
 public:
  explicit RestClient(ClientOptions options)
      : options_(std::move(options)), client_(ForLibrary(options_.base_url), Config(options_)) {}
  ~RestClient() override { open_->WaitForNone(kLastCallsMs); }

  base::Result<Response> Send(const ClientRequest& request) override;
  std::unique_ptr<OpenStream> Open(const ClientRequest& request, StreamReader reader) override;

 private:
  static web::http::client::http_client_config Config(const ClientOptions& options);
  base::Result<web::http::http_request> Build(const ClientRequest& request) const;
  base::Result<IncomingAnswer::Started> Begin(const ClientRequest& request,
                                              Clock::time_point head_by,
                                              const std::shared_ptr<Meeting>& meeting);
  std::string What(const ClientRequest& request) const;

  const ClientOptions options_;
  const std::shared_ptr<OpenCalls> open_ = std::make_shared<OpenCalls>();
  web::http::client::http_client client_;
  ClientStreams streams_;  // last: its answers use all of the above
};

void SetUpTls(const ClientOptions& options, boost::asio::ssl::context& context) {
  using boost::asio::ssl::context_base;
  context.set_options(context_base::default_workarounds | context_base::no_sslv2 |
                      context_base::no_sslv3 | context_base::no_tlsv1 | context_base::no_tlsv1_1);
  if (!options.ca_file.empty()) {
    // Replaces the system's authorities, which the library has loaded, by the given ones.
    SSL_CTX_set_cert_store(context.native_handle(), X509_STORE_new());
    context.load_verify_file(options.ca_file);
  }
  if (!options.certificate_file.empty()) {
    context.use_certificate_chain_file(options.certificate_file);
    context.use_private_key_file(options.key_file, context_base::pem);
  }
}

web::http::client::http_client_config RestClient::Config(const ClientOptions& options) {
  web::http::client::http_client_config config;
  config.set_max_redirects(0);
  config.set_timeout(
      std::chrono::milliseconds(std::max(kLibraryTimeoutMs, options.idle_timeout_ms)));
  config.set_ssl_context_callback(
      [options](boost::asio::ssl::context& context) { SetUpTls(options, context); });
  return config;
}

// Without the query, which may contain a user's text.
std::string RestClient::What(const ClientRequest& request) const {
  return request.method + " " + options_.base_url +
         request.target.substr(0, request.target.find('?'));
}

base::Result<web::http::http_request> RestClient::Build(const ClientRequest& request) const {
  if (!request.target.starts_with('/') || !web::uri::validate(request.target)) {
    return Error{Code::kInvalid, What(request) + ": the target is not an encoded path"};
  }
  web::http::http_request message(request.method);
  message.set_request_uri(web::uri(request.target));
  if (!request.body.empty() && IsIdempotent(request)) {
    message.set_body(request.body, "application/json");
  } else if (!request.body.empty()) {
    // A stream that cannot be rewound prevents the library's own retry of a request that the server
    // may have executed.
    Concurrency::streams::producer_consumer_buffer<uint8_t> buffer(request.body.size());
    std::copy(request.body.begin(), request.body.end(), buffer.alloc(request.body.size()));
    buffer.commit(request.body.size());
    (void)buffer.close(std::ios_base::out);
    message.set_body(buffer.create_istream(), request.body.size(), "application/json");
  }
  auto& headers = message.headers();
  headers.add("User-Agent", options_.user_agent);
  // Of TLS the library compares Host with the certificate, so that brackets would refuse it.
  const std::string_view authority = AuthorityOf(options_.base_url);
  if (!BracketedIn(authority).empty() && options_.base_url.starts_with("http://"))
    headers.add("Host", std::string(authority));
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
  return message;
}

base::Result<IncomingAnswer::Started> RestClient::Begin(const ClientRequest& request,
                                                        Clock::time_point head_by,
                                                        const std::shared_ptr<Meeting>& meeting) {
  const std::string what = What(request);
  try {
    ASSIGN_OR_RETURN(web::http::http_request message, Build(request));
    // Sends nothing after the caller's deadline, which may have passed before a second try, or
    // during a slow bearer_token or a pause of the process.
    if (Clock::now() >= head_by) return Error{Code::kTimeout, what + ": not sent in time"};
    const pplx::cancellation_token_source cancel;
    auto call = std::make_shared<Call>(open_, meeting);
    const auto fail = [call, what] {
      bool may_retry = false;
      Error error = FromException(what, std::current_exception(), may_retry);
      call->End(std::move(error), may_retry);
    };
    OnLibraryThread([client = client_, message, cancel, call, fail]() mutable {
      try {
        Launch(client, message, cancel.get_token(), call, fail);
      } catch (...) {
        fail();
      }
    });
    return IncomingAnswer::Started{std::move(call),
                                   [cancel] { OnLibraryThread([cancel] { cancel.cancel(); }); }};
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
                        meeting, [&] { return Begin(request, end, meeting); });
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
      [this, request, head_by] { return Begin(request, head_by, streams_.meeting()); });
  return streams_.Open(std::move(answer), std::move(reader));
}

}  // namespace

void InitializeClientThread() {
  static std::once_flag once;
  std::call_once(once, [] {
    try {
      crossplat::threadpool::initialize_with_threads(1);
    } catch (const std::exception& error) {
      base::LogWarn("the client's threads were started before", {{"error", error.what()}});
    }
  });
}

base::Result<std::unique_ptr<Client>> MakeClient(ClientOptions options) {
  InitializeClientThread();
  while (options.base_url.ends_with('/')) options.base_url.pop_back();
  const bool known =
      options.base_url.starts_with("http://") || options.base_url.starts_with("https://");
  if (!known || !web::uri::validate(options.base_url)) {
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
    if (files || options.base_url.starts_with("https://")) {
      boost::asio::ssl::context trial(boost::asio::ssl::context::tls_client);
      SetUpTls(options, trial);
    }
    return std::unique_ptr<Client>(std::make_unique<RestClient>(std::move(options)));
  } catch (const std::exception& error) {
    return Error{Code::kInvalid, options.base_url + ": certificates: " + error.what()};
  }
}

}  // namespace http
