#include "net/certificate.hh"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>

namespace dyno {
namespace {

constexpr long kDay = 24L * 3600;

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(X509_EXTENSION* one) const { X509_EXTENSION_free(one); }
};
using Key = std::unique_ptr<EVP_PKEY, Free>;
using Certificate = std::unique_ptr<X509, Free>;

bool add(X509* certificate, int what, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, Free> extension(
      X509V3_EXT_conf_nid(nullptr, &context, what, value));
  return extension != nullptr &&
         X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool set_serial(X509* certificate) {
  uint64_t serial = 0;
  return RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) ==
             1 &&
         ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial) ==
             1;
}

// It is its own authority, so that a client can be told to trust just it.
bool fill(X509* certificate, EVP_PKEY* key) {
  X509_NAME* name = X509_get_subject_name(certificate);
  const auto* common_name =
      reinterpret_cast<const unsigned char*>("httpdyno test server");
  return X509_set_version(certificate, X509_VERSION_3) == 1 &&
         set_serial(certificate) &&
         X509_gmtime_adj(X509_getm_notBefore(certificate), -kDay) != nullptr &&
         X509_gmtime_adj(X509_getm_notAfter(certificate), 30 * kDay) !=
             nullptr &&
         X509_set_pubkey(certificate, key) == 1 &&
         X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, common_name, -1,
                                    -1, 0) == 1 &&
         X509_set_issuer_name(certificate, name) == 1 &&
         add(certificate, NID_basic_constraints, "critical,CA:TRUE") &&
         add(certificate, NID_subject_alt_name,
             "DNS:localhost,IP:127.0.0.1,IP:::1") &&
         X509_sign(certificate, key, EVP_sha256()) > 0;
}

}  // namespace

Status use_own_certificate(ssl_ctx_st* context) {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate(X509_new());
  if (key != nullptr && certificate != nullptr &&
      fill(certificate.get(), key.get()) &&
      SSL_CTX_use_certificate(context, certificate.get()) == 1 &&
      SSL_CTX_use_PrivateKey(context, key.get()) == 1)
    return {};
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  return fail(Code::system,
              std::string("no self-signed certificate could be made: ") +
                  (reason == nullptr ? "no reason is known" : reason));
}

}  // namespace dyno
