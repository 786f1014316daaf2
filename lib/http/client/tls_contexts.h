// The TLS settings of a client's connections: authorities, and a certificate of its own.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/result.h"

namespace http {

// Reads the files again after they changed, so that rotated certificates need no restart. One
// thread at a time.
class TlsContexts {
 public:
  // Paths of PEM files; empty: the system's authorities, no certificate.
  TlsContexts(std::string ca_file, std::string certificate_file, std::string key_file);

  // kInvalid: a file is not usable.
  base::Result<std::shared_ptr<boost::asio::ssl::context>> Next();

 private:
  using Times = std::vector<std::filesystem::file_time_type>;
  Times Changes() const;
  base::Result<std::shared_ptr<boost::asio::ssl::context>> Make() const;

  const std::string ca_file_, certificate_file_, key_file_;
  Times made_of_;
  std::shared_ptr<boost::asio::ssl::context> context_;  // null: not made yet
};

}  // namespace http
