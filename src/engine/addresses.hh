// Addresses: the target's addresses, used in turn; one that failed is passed
// over while another works. One per worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "net/address.hh"

namespace dyno {

class Addresses {
 public:
  explicit Addresses(std::vector<Address> addresses);

  size_t size() const { return entries_.size(); }
  const Address& at(size_t index) const { return entries_[index].address; }

  // The address for the next dial: in turn among those that work.
  size_t next();
  void succeeded(size_t index);
  void failed(size_t index, std::string reason);

  // A line for every address that failed while another one worked.
  std::vector<std::string> notes() const;

 private:
  struct Entry {
    Address address;
    int64_t successes = 0;
    int64_t failures = 0;
    bool is_down = false;
    std::string reason;  // of the first failure
  };

  std::vector<Entry> entries_;
  size_t turn_ = 0;
};

}  // namespace dyno
