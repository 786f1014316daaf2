// A context of OpenSSL for all connections until a file changes.
#include "lib/http/client/tls_contexts.h"

#include <exception>
#include <system_error>
#include <utility>

namespace http {

using Context = boost::asio::ssl::context;

TlsContexts::TlsContexts(std::string ca_file, std::string certificate_file, std::string key_file)
    : ca_file_(std::move(ca_file)),
      certificate_file_(std::move(certificate_file)),
      key_file_(std::move(key_file)) {}

TlsContexts::Times TlsContexts::Changes() const {
  Times times;
  for (const std::string& file : {ca_file_, certificate_file_, key_file_}) {
    std::error_code ignored;
    times.push_back(std::filesystem::last_write_time(file, ignored));
  }
  return times;
}

base::Result<std::shared_ptr<Context>> TlsContexts::Next() {
  Times times = Changes();
  if (context_ && times == made_of_) return context_;
  ASSIGN_OR_RETURN(context_, Make());
  made_of_ = std::move(times);
  return context_;
}

base::Result<std::shared_ptr<Context>> TlsContexts::Make() const {
  try {
    auto context = std::make_shared<Context>(Context::tls_client);
    context->set_options(Context::default_workarounds | Context::no_sslv2 | Context::no_sslv3 |
                         Context::no_tlsv1 | Context::no_tlsv1_1);
    if (ca_file_.empty())
      context->set_default_verify_paths();
    else
      context->load_verify_file(ca_file_);
    if (!certificate_file_.empty()) {
      context->use_certificate_chain_file(certificate_file_);
      context->use_private_key_file(key_file_, Context::pem);
    }
    return context;
  } catch (const std::exception& error) {  // from Asio
    return base::Error{base::Code::kInvalid, std::string("certificates: ") + error.what()};
  }
}

}  // namespace http
