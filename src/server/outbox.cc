#include "server/outbox.hh"

#include <algorithm>

namespace dyno::server {
namespace {

bool is_uniform(const Run& run) {
  return run.reply->answer.is_uniform() && !run.says_close &&
         !run.is_truncated && !run.reply->behaviour.is_split();
}

bool can_join(const Run& run) {
  return run.state == Run::State::ready && run.fault == Fault::none &&
         !run.is_truncated && !run.says_close &&
         !run.reply->behaviour.differs_by_request();
}

}  // namespace

void Parcel::add(std::string_view slice) {
  slices_[pieces_++] = {const_cast<char*>(slice.data()), slice.size()};
  bytes_ += slice.size();
}

void Parcel::add_composed(size_t bytes) {
  char* begin = scratch_.data() + used_;
  used_ += bytes;
  bytes_ += bytes;
  if (pieces_ > 0) {
    iovec& last = slices_[pieces_ - 1];
    if (static_cast<char*>(last.iov_base) + last.iov_len == begin) {
      last.iov_len += bytes;
      return;
    }
  }
  slices_[pieces_++] = {begin, bytes};
}

uint64_t Outbox::push(Run&& run) {
  Answer& answer = run.reply->answer;
  if (!runs_.is_empty() && can_join(run) && back().reply == run.reply &&
      can_join(back())) {
    back().count += run.count;
    if (answer.is_uniform()) answer.prepare(back().count);
    return first_sequence_ + runs_.size() - 1;
  }
  if (answer.is_uniform()) answer.prepare(run.count);
  runs_.push(std::move(run));
  return first_sequence_ + runs_.size() - 1;
}

void Outbox::clear() {
  for (; !runs_.is_empty(); ++first_sequence_) (void)runs_.pop();
}

uint64_t Outbox::end_of(const Run& run, const Stamp& stamp) {
  const uint64_t whole = run.reply->answer.size(stamp);
  if (!run.is_truncated) return whole;
  const auto kept = static_cast<uint64_t>(run.reply->behaviour.truncate);
  const uint64_t head = run.reply->answer.head_size(stamp);
  return kept < whole - head ? head + kept : whole;
}

Outbox::Stop Outbox::refusal(const Run& run) {
  switch (run.fault) {
    case Fault::reset:
      return Stop::reset;
    case Fault::close:
      return Stop::hang_up;
    case Fault::never:
      return Stop::never;
    case Fault::none:
      break;
  }
  return Stop::waits;
}

Outbox::Stop Outbox::add_uniform(Parcel& parcel, const Run& run) {
  const Answer& answer = run.reply->answer;
  uint64_t offset = run.offset;
  for (uint64_t left = run.count; left > 0; offset = 0) {
    if (parcel.is_full()) return Stop::more;
    const uint64_t count = std::min(left, answer.copies());
    parcel.add(answer.slice(count, offset));
    left -= count;
  }
  return Stop::empty;
}

Outbox::Stop Outbox::add_composed(Parcel& parcel, const Run& run,
                                  uint64_t connection) {
  uint64_t offset = run.offset;
  for (uint64_t n = 0; n < run.count; ++n, offset = 0) {
    const Stamp stamp{{connection, run.number + n}, run.says_close};
    const uint64_t end = end_of(run, stamp);
    if (offset == end) return Stop::hang_up;
    if (parcel.is_full()) return Stop::more;
    const std::span<char> room = parcel.room();
    const uint64_t fits = std::min<uint64_t>(room.size(), end - offset);
    parcel.add_composed(run.reply->answer.copy(
        stamp, offset, room.first(static_cast<size_t>(fits))));
    if (run.is_truncated || offset + fits < end) return Stop::more;
  }
  return Stop::empty;
}

Outbox::Stop Outbox::add_piece(Parcel& parcel, const Run& run,
                               uint64_t connection) {
  const Stamp stamp{{connection, run.number}, run.says_close};
  const uint64_t end = end_of(run, stamp);
  if (run.offset == end) return Stop::hang_up;
  if (!parcel.is_empty()) return Stop::more;
  const std::span<char> room = parcel.room();
  const uint64_t piece =
      std::min({static_cast<uint64_t>(run.reply->behaviour.split),
                end - run.offset, static_cast<uint64_t>(room.size())});
  parcel.add_composed(run.reply->answer.copy(
      stamp, run.offset, room.first(static_cast<size_t>(piece))));
  return Stop::split;
}

Outbox::Stop Outbox::collect(Parcel& parcel, uint64_t connection) {
  for (size_t i = 0; i < runs_.size(); ++i) {
    const Run& run = runs_[i];
    if (run.state == Run::State::parked) return Stop::parked;
    if (run.state != Run::State::ready) return Stop::waits;
    if (run.fault != Fault::none) return refusal(run);
    const Stop stop = is_uniform(run) ? add_uniform(parcel, run)
                      : run.reply->behaviour.is_split()
                          ? add_piece(parcel, run, connection)
                          : add_composed(parcel, run, connection);
    if (stop != Stop::empty) return stop;
  }
  return Stop::empty;
}

uint64_t Outbox::finish_front(uint64_t answers) {
  Run& run = runs_.front();
  const uint64_t counted = run.reply->is_counted ? answers : 0;
  run.number += answers;
  run.count -= answers;
  if (run.count > 0) return counted;
  (void)runs_.pop();
  ++first_sequence_;
  return counted;
}

uint64_t Outbox::wrote(uint64_t bytes, uint64_t connection) {
  uint64_t written = 0;
  while (bytes > 0) {
    Run& run = runs_.front();
    if (is_uniform(run)) {
      const uint64_t unit = run.reply->answer.size({});
      const uint64_t left = unit * run.count - run.offset;
      if (bytes < left) {
        run.offset += bytes;
        written += finish_front(run.offset / unit);
        run.offset %= unit;
        return written;
      }
      bytes -= left;
      run.offset = 0;
      written += finish_front(run.count);
      continue;
    }
    const Stamp stamp{{connection, run.number}, run.says_close};
    const uint64_t end = end_of(run, stamp);
    const uint64_t step = std::min(bytes, end - run.offset);
    run.offset += step;
    bytes -= step;
    if (run.offset < end) continue;
    // A truncated one stays: the connection ends with it.
    if (run.is_truncated) {
      written += end == run.reply->answer.size(stamp) ? 1 : 0;
      continue;
    }
    run.offset = 0;
    written += finish_front(1);
  }
  return written;
}

}  // namespace dyno::server
