#include "engine/addresses.hh"

#include <utility>

namespace dyno {

Addresses::Addresses(std::vector<Address> addresses) {
  for (Address& address : addresses) {
    Entry entry;
    entry.address = std::move(address);
    entries_.push_back(std::move(entry));
  }
}

size_t Addresses::next() {
  for (size_t i = 0; i < entries_.size(); ++i) {
    const size_t index = turn_++ % entries_.size();
    if (!entries_[index].is_down) return index;
  }
  return turn_++ % entries_.size();
}

void Addresses::succeeded(size_t index) {
  ++entries_[index].successes;
  entries_[index].is_down = false;
}

void Addresses::failed(size_t index, std::string reason) {
  Entry& entry = entries_[index];
  ++entry.failures;
  entry.is_down = true;
  if (entry.reason.empty()) entry.reason = std::move(reason);
}

std::vector<std::string> Addresses::notes() const {
  std::vector<std::string> lines;
  if (entries_.size() < 2) return lines;
  for (const Entry& entry : entries_)
    if (entry.failures > 0)
      lines.push_back(entry.address.text() + ": " + entry.reason +
                      "; the other addresses were used");
  return lines;
}

}  // namespace dyno
