// A certificate that a test server makes for itself: self-signed, ECDSA P-256,
// for localhost, 127.0.0.1 and ::1, good for a month.
#pragma once

#include "base/status.hh"

struct ssl_ctx_st;

namespace dyno {

Status use_own_certificate(ssl_ctx_st* context);

}  // namespace dyno
