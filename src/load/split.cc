#include "load/split.hh"

#include <algorithm>
#include <numeric>

namespace dyno {

std::vector<int64_t> split(int64_t total, std::span<const int64_t> weights) {
  using Wide = __int128;  // total x weight may pass 2^63
  const Wide sum = std::accumulate(weights.begin(), weights.end(), Wide{0});
  std::vector<int64_t> shares;
  std::vector<std::pair<Wide, size_t>> remainders;
  int64_t left = total;
  for (size_t i = 0; i < weights.size(); ++i) {
    const Wide exact = Wide{total} * weights[i];
    shares.push_back(static_cast<int64_t>(exact / sum));
    remainders.emplace_back(-(exact % sum), i);
    left -= shares.back();
  }
  std::sort(remainders.begin(), remainders.end());
  for (size_t i = 0; left > 0; ++i, --left) ++shares[remainders[i].second];
  return shares;
}

std::vector<int64_t> split_evenly(int64_t total, size_t parts) {
  return split(total, std::vector<int64_t>(parts, 1));
}

}  // namespace dyno
