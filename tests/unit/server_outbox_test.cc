// The outbox: any sequence of partial writes carries the same bytes.
#include <string>

#include "base/rng.hh"
#include "server/outbox.hh"
#include "unit/cmocka.hh"

namespace dyno::server {
namespace {

constexpr uint64_t kConnection = 7;

ReplyRef reply_of(AnswerSpec spec) {
  return ReplyRef(new Reply(Answer(spec)));
}

ReplyRef text_reply(const char* text) {
  AnswerSpec spec;
  spec.body = text_body(text);
  return reply_of(spec);
}

ReplyRef random_reply(uint64_t bytes) {
  AnswerSpec spec;
  spec.body.kind = Body::Kind::random;
  spec.body.bytes = bytes;
  return reply_of(spec);
}

Run run_of(const ReplyRef& reply, uint64_t number, uint64_t count) {
  Run run;
  run.reply = reply;
  run.number = number;
  run.count = count;
  return run;
}

std::string bytes_of(Parcel& parcel) {
  std::string text;
  for (const iovec& slice : parcel.slices())
    text.append(static_cast<const char*>(slice.iov_base), slice.iov_len);
  return text;
}

std::string whole(const ReplyRef& reply, const Stamp& stamp) {
  std::string text(static_cast<size_t>(reply->answer.size(stamp)), '?');
  reply->answer.copy(stamp, 0, text);
  return text;
}

// Writes pieces of random sizes until nothing is left to write.
struct Written {
  std::string bytes;
  uint64_t answers = 0;
  Outbox::Stop stop = Outbox::Stop::empty;
};

Written write_out(Outbox& outbox, uint64_t seed, uint32_t most) {
  Rng rng(seed);
  Parcel parcel;
  Written written;
  for (;;) {
    parcel.clear();
    written.stop = outbox.collect(parcel, kConnection);
    if (parcel.is_empty()) return written;
    const std::string text = bytes_of(parcel);
    assert_int_equal(text.size(), parcel.bytes());
    const size_t taken = std::min<size_t>(text.size(), rng.below(most) + 1);
    written.bytes += text.substr(0, taken);
    written.answers += outbox.wrote(taken, kConnection);
  }
}

void answers_come_in_order_however_they_are_cut(void**) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const ReplyRef hello = text_reply("Hello world!");
    const ReplyRef random = random_reply(3000);
    Outbox outbox;
    outbox.push(run_of(hello, 1, 3));
    outbox.push(run_of(random, 4, 2));
    outbox.push(run_of(hello, 6, 2000));
    Run last = run_of(hello, 2006, 1);
    last.says_close = true;
    outbox.push(std::move(last));
    std::string expected;
    for (uint64_t n = 1; n <= 3; ++n) expected += whole(hello, {});
    for (uint64_t n = 4; n <= 5; ++n)
      expected += whole(random, {{kConnection, n}, false});
    for (uint64_t n = 6; n <= 2005; ++n) expected += whole(hello, {});
    expected += whole(hello, {{kConnection, 2006}, true});
    const Written written = write_out(outbox, seed, seed % 2 ? 5000 : 300000);
    assert_int_equal(written.answers, 2006);
    assert_true(written.bytes == expected);
    assert_true(outbox.is_empty());
    assert_int_equal(hello->references, 1);
  }
}

void equal_neighbours_become_one_run(void**) {
  const ReplyRef hello = text_reply("Hello world!");
  Outbox outbox;
  const uint64_t first = outbox.push(run_of(hello, 1, 2));
  assert_int_equal(outbox.push(run_of(hello, 3, 1)), first);
  assert_int_equal(outbox.size(), 1);
  outbox.push(run_of(text_reply("other"), 4, 1));
  assert_int_equal(outbox.size(), 2);
}

void nothing_passes_a_run_that_waits(void**) {
  const ReplyRef hello = text_reply("Hello world!");
  Outbox outbox;
  outbox.push(run_of(hello, 1, 1));
  Run late = run_of(hello, 2, 1);
  late.state = Run::State::waiting;
  const uint64_t sequence = outbox.push(Run(late));
  outbox.push(run_of(hello, 3, 1));
  Written written = write_out(outbox, 1, 100000);
  assert_int_equal(written.answers, 1);
  assert_true(written.stop == Outbox::Stop::waits);
  outbox.at(sequence).state = Run::State::ready;
  written = write_out(outbox, 1, 100000);
  assert_int_equal(written.answers, 2);
}

void a_truncated_answer_is_not_written(void**) {
  const ReplyRef reply = text_reply("Hello world!");
  reply->behaviour.truncate = 5;
  Outbox outbox;
  Run run = run_of(reply, 1, 1);
  run.is_truncated = true;
  outbox.push(Run(run));
  Written written = write_out(outbox, 3, 20);
  assert_true(written.bytes.ends_with("\r\n\r\nHello"));
  assert_int_equal(written.answers, 0);
  assert_true(written.stop == Outbox::Stop::hang_up);
  // What has no more than that is complete; then the connection ends all the
  // same.
  reply->behaviour.truncate = 12;
  outbox.clear();
  outbox.push(Run(run));
  written = write_out(outbox, 3, 20);
  assert_int_equal(written.answers, 1);
  assert_true(written.stop == Outbox::Stop::hang_up);
}

void a_split_answer_goes_out_in_pieces(void**) {
  const ReplyRef reply = text_reply("Hello world!");
  reply->behaviour.split = 10;
  const std::string text = whole(reply, {});
  Outbox outbox;
  outbox.push(run_of(reply, 1, 1));
  outbox.push(run_of(reply, 2, 1));
  std::string bytes;
  uint64_t answers = 0;
  Parcel parcel;
  while (!outbox.is_empty()) {
    parcel.clear();
    assert_true(outbox.collect(parcel, kConnection) == Outbox::Stop::split);
    assert_in_range(parcel.bytes(), 1, 10);
    bytes += bytes_of(parcel);
    answers += outbox.wrote(parcel.bytes(), kConnection);
  }
  assert_int_equal(answers, 2);
  assert_true(bytes == text + text);
}

void a_fault_comes_after_what_is_before_it(void**) {
  const ReplyRef hello = text_reply("Hello world!");
  for (const auto& [fault, stop] :
       {std::pair{Fault::reset, Outbox::Stop::reset},
        std::pair{Fault::close, Outbox::Stop::hang_up},
        std::pair{Fault::never, Outbox::Stop::never}}) {
    Outbox outbox;
    outbox.push(run_of(hello, 1, 1));
    Run run = run_of(hello, 2, 1);
    run.fault = fault;
    outbox.push(Run(run));
    outbox.push(run_of(hello, 3, 1));
    const Written written = write_out(outbox, 1, 1000);
    assert_int_equal(written.answers, 1);
    assert_true(written.stop == stop);
  }
}

}  // namespace
}  // namespace dyno::server

int main() {
  using namespace dyno::server;
  const CMUnitTest tests[] = {
      cmocka_unit_test(answers_come_in_order_however_they_are_cut),
      cmocka_unit_test(equal_neighbours_become_one_run),
      cmocka_unit_test(nothing_passes_a_run_that_waits),
      cmocka_unit_test(a_truncated_answer_is_not_written),
      cmocka_unit_test(a_split_answer_goes_out_in_pieces),
      cmocka_unit_test(a_fault_comes_after_what_is_before_it),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
