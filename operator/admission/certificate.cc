// X.509 with OpenSSL: P-256, SHA-256, and only the extensions of a server's certificate (RFC 5280).
#include "operator/admission/certificate.h"

#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>

#include "lib/base/process/random.h"
#include "lib/base/text/text.h"

namespace controller {
namespace {

constexpr int64_t kClockSkewMs = 300'000;
constexpr int kSerialBits = 127;
constexpr size_t kMostCertificates = 16;

template <class T, void (*Free)(T*)>
struct Freer {
  void operator()(T* object) const { Free(object); }
};
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY, EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freer<X509, X509_free>>;
using Number = std::unique_ptr<BIGNUM, Freer<BIGNUM, BN_free>>;
struct BioFreer {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using Memory = std::unique_ptr<BIO, BioFreer>;

base::Error Fault(const char* what) {
  ERR_clear_error();
  return {base::Code::kInternal, std::string("certificate: ") + what};
}

Memory Open(const std::string& pem) {
  return Memory(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

Certificate ReadCertificate(const std::string& pem) {
  Certificate certificate(PEM_read_bio_X509(Open(pem).get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  return certificate;
}

template <class Write>
std::string Pem(Write write) {
  const Memory memory(BIO_new(BIO_s_mem()));
  if (!memory || write(memory.get()) != 1) return "";
  char* bytes = nullptr;
  const long length = BIO_get_mem_data(memory.get(), &bytes);
  return {bytes, static_cast<size_t>(length)};
}

std::string PemOf(X509* certificate) {
  return Pem([&](BIO* out) { return PEM_write_bio_X509(out, certificate); });
}

bool IsAddress(const std::string& host) {
  ASN1_OCTET_STRING* address = a2i_IPADDRESS(host.c_str());
  ASN1_OCTET_STRING_free(address);
  ERR_clear_error();
  return address != nullptr;
}

std::string AlternativeNames(const std::vector<std::string>& hosts) {
  std::vector<std::string> names;
  for (const std::string& host : hosts) names.push_back((IsAddress(host) ? "IP:" : "DNS:") + host);
  return base::Join(names, ",");
}

bool Extend(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  const bool added = extension && X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return added;
}

// Without extensions and signature. A random serial number: no two authorities may share name and
// number.
Certificate Blank(const std::string& name, EVP_PKEY* key, const Validity& valid) {
  Certificate certificate(X509_new());
  const Number serial(BN_new());
  if (!certificate || !serial || BN_rand(serial.get(), kSerialBits, BN_RAND_TOP_ONE, 0) != 1)
    return nullptr;
  X509* out = certificate.get();
  const auto* text = reinterpret_cast<const unsigned char*>(name.c_str());
  const bool made = X509_set_version(out, 2) == 1 &&
                    BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(out)) &&
                    ASN1_TIME_set(X509_getm_notBefore(out), valid.from_ms / 1000) &&
                    ASN1_TIME_set(X509_getm_notAfter(out), valid.until_ms / 1000) &&
                    X509_NAME_add_entry_by_txt(X509_get_subject_name(out), "CN", MBSTRING_UTF8,
                                               text, -1, -1, 0) == 1 &&
                    X509_set_pubkey(out, key) == 1;
  return made ? std::move(certificate) : nullptr;
}

bool Sign(X509* certificate, X509* issuer, EVP_PKEY* key) {
  return X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1 &&
         X509_sign(certificate, key, EVP_sha256()) > 0;
}

base::Result<int64_t> UnixMs(const ASN1_TIME* time) {
  const std::unique_ptr<ASN1_TIME, Freer<ASN1_TIME, ASN1_TIME_free>> epoch(
      ASN1_TIME_set(nullptr, 0));
  int days = 0, seconds = 0;
  if (!epoch || ASN1_TIME_diff(&days, &seconds, epoch.get(), time) != 1)
    return Fault("its dates cannot be read");
  return (int64_t{days} * 86'400 + seconds) * 1000;
}

bool IsSignedBy(X509* certificate, X509* authority) {
  EVP_PKEY* key = X509_get0_pubkey(authority);
  return key && X509_verify(certificate, key) == 1 && X509_check_ca(authority) == 1;
}

}  // namespace

base::Result<ServingPair> MakeServingPair(const std::vector<std::string>& hosts, int64_t now_ms,
                                          int64_t life_ms) {
  const Validity valid{now_ms - kClockSkewMs, now_ms + life_ms};
  const Key authority_key(EVP_EC_gen("P-256")), key(EVP_EC_gen("P-256"));
  if (!authority_key || !key || hosts.empty()) return Fault("no key could be made");
  const std::string id = base::RandomHex(4);
  const Certificate authority =
      Blank("agent-memory webhook authority " + id, authority_key.get(), valid);
  if (!authority ||
      !Extend(authority.get(), authority.get(), NID_basic_constraints,
              "critical,CA:TRUE,pathlen:0") ||
      !Extend(authority.get(), authority.get(), NID_key_usage, "critical,keyCertSign") ||
      !Extend(authority.get(), authority.get(), NID_subject_key_identifier, "hash") ||
      !Sign(authority.get(), authority.get(), authority_key.get()))
    return Fault("the certificate authority could not be created");
  const Certificate leaf = Blank("agent-memory webhook " + id, key.get(), valid);
  X509* issuer = authority.get();
  if (!leaf || !Extend(leaf.get(), issuer, NID_basic_constraints, "critical,CA:FALSE") ||
      !Extend(leaf.get(), issuer, NID_key_usage, "critical,digitalSignature") ||
      !Extend(leaf.get(), issuer, NID_ext_key_usage, "serverAuth") ||
      !Extend(leaf.get(), issuer, NID_authority_key_identifier, "keyid") ||
      !Extend(leaf.get(), issuer, NID_subject_alt_name, AlternativeNames(hosts)) ||
      !Sign(leaf.get(), issuer, authority_key.get()))
    return Fault("it could not be created: are the hosts DNS names or IP addresses?");
  ServingPair pair;
  pair.certificate = PemOf(leaf.get());
  pair.authority = PemOf(issuer);
  pair.key = Pem([&](BIO* out) {
    return PEM_write_bio_PKCS8PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
  if (pair.certificate.empty() || pair.authority.empty() || pair.key.empty())
    return Fault("it could not be written");
  return pair;
}

base::Result<Validity> ValidityOf(const std::string& pem) {
  const Certificate certificate = ReadCertificate(pem);
  if (!certificate) return base::Error{base::Code::kInvalid, "no PEM of a certificate"};
  Validity valid;
  ASSIGN_OR_RETURN(valid.from_ms, UnixMs(X509_get0_notBefore(certificate.get())));
  ASSIGN_OR_RETURN(valid.until_ms, UnixMs(X509_get0_notAfter(certificate.get())));
  return valid;
}

std::string FaultOf(const ServingPair& pair, const std::vector<std::string>& hosts) {
  const Certificate certificate = ReadCertificate(pair.certificate);
  const Certificate authority = ReadCertificate(pair.authority);
  if (!certificate || !authority) return "a certificate in it cannot be read";
  const Key key(PEM_read_bio_PrivateKey(Open(pair.key).get(), nullptr, nullptr, nullptr));
  const bool whole = key && X509_check_private_key(certificate.get(), key.get()) == 1 &&
                     IsSignedBy(certificate.get(), authority.get());
  ERR_clear_error();
  if (!whole) return "its certificate, key and authority do not belong together";
  for (const std::string& host : hosts) {
    const bool is_for = IsAddress(host) ? X509_check_ip_asc(certificate.get(), host.c_str(), 0) == 1
                                        : X509_check_host(certificate.get(), host.c_str(),
                                                          host.size(), 0, nullptr) == 1;
    if (!is_for) return "its certificate is not for " + host;
  }
  return "";
}

std::vector<std::string> CertificatesIn(const std::string& text) {
  std::vector<std::string> all;
  const Memory memory = Open(text);
  while (all.size() < kMostCertificates) {
    const Certificate one(PEM_read_bio_X509(memory.get(), nullptr, nullptr, nullptr));
    if (!one) break;
    all.push_back(PemOf(one.get()));
  }
  ERR_clear_error();
  return all;
}

}  // namespace controller
