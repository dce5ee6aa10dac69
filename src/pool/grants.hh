// Grants: what a pool tells its worker about requests when it is not the answer
// to a call: they got their slot, or they failed. Never from inside submit(),
// and the pool must not be called back from here.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/failure.hh"
#include "pool/request.hh"

namespace dyno {

class Grants {
 public:
  // It waited, in the queue or for the owner, and has a slot now.
  virtual void granted(RequestId request, int64_t now_ns) = 0;
  // It failed; the pool has forgotten it. `detail` is valid during the call.
  virtual void refused(RequestId request, Failure kind, std::string_view detail,
                       int64_t now_ns) = 0;
  // It waited longer than pool.wait; the pool has forgotten it.
  virtual void expired(RequestId request, int64_t now_ns) = 0;

 protected:
  ~Grants() = default;
};

}  // namespace dyno
