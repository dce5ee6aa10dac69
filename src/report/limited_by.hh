// What limited a cell, in one word, where that is known.
#pragma once

#include "report/result.hh"

namespace dyno {

// pool          the closed-form limit was reached (>= 90 %) and the slots bind
//               it, or requests failed in the pool's queue
// callers       it was reached and the callers bind it
// client-cpu    the generator was at its limit
// busy          most failures: the discipline turned requests away
// server-close  most failures: connections that the server closed
// timeouts, refused, descriptors, ports   most failures are of that kind
// -             not known
// In a suite client-cpu is cpu and busy is pool; where nothing else is known,
// the closed form's word holds if its rate came out, and pool if requests
// waited in a queue.
const char* limited_by(const CellResult& cell);

}  // namespace dyno
