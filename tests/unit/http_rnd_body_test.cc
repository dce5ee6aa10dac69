// The bodies of /rnd: made and checked by one rule, from every offset.
#include <string>

#include "http/rnd_body.hh"
#include "unit/cmocka.hh"

namespace dyno {
namespace {

std::string made(uint64_t offset, size_t size, uint64_t start) {
  std::string text(size, '?');
  copy_rnd(text, offset, start);
  return text;
}

void a_body_follows_the_published_rule(void**) {
  const std::string text = made(0, 2500, 33);
  for (size_t i = 0; i < text.size(); ++i)
    assert_int_equal(text[i], 32 + (33 + i % 1024) % 96);
}

void what_was_made_is_right_from_every_offset(void**) {
  const std::string whole = made(0, 3000, 95);
  for (size_t offset = 0; offset <= whole.size(); offset += 1 + offset / 5)
    for (const size_t size : {size_t{0}, size_t{1}, size_t{1500}}) {
      const std::string piece = whole.substr(offset, size);
      assert_string_equal(made(offset, piece.size(), 95).c_str(),
                          piece.c_str());
      assert_int_equal(count_rnd(piece, offset, 95), piece.size());
    }
}

void the_first_wrong_byte_is_found(void**) {
  for (const size_t at : {0, 1, 1022, 1023, 1024, 2047, 2048, 2999}) {
    std::string piece = made(7, 3000, 12);
    piece[at] ^= 1;
    assert_int_equal(count_rnd(piece, 7, 12), at);
  }
  assert_int_equal(count_rnd(made(0, 10, 12), 0, 13), 0);
}

void bodies_differ_by_seed_connection_and_number(void**) {
  int differ = 0;
  for (uint64_t n = 1; n <= 100; ++n)
    differ += (rnd_start(1, {1, n}) != rnd_start(2, {1, n})) +
              (rnd_start(1, {1, n}) != rnd_start(1, {2, n})) +
              (rnd_start(1, {1, n}) != rnd_start(1, {1, n + 1}));
  assert_in_range(differ, 280, 300);
}

void a_target_says_how_many_bytes(void**) {
  const struct {
    const char* target;
    uint64_t bytes;
  } cases[] = {
      {"/rnd", 100},       {"/rnd?", 100},        {"/rnd?c=5", 5},
      {"/rnd?c=0", 0},     {"/rnd?c=4KiB", 4096}, {"/rnd?x=1&c=2048", 2048},
      {"/rnd?c=5&c=6", 6}, {"/rnd?cc=5", 100},    {"http://h/rnd?c=7", 7},
  };
  for (const auto& [target, bytes] : cases) {
    const auto got = rnd_bytes_of(target);
    if (!got.is_ok()) fail_msg("%s", got.status().message.c_str());
    assert_int_equal(got.value(), bytes);
  }
}

void a_target_without_such_a_body_is_told_why(void**) {
  const struct {
    const char* target;
    const char* why;
  } cases[] = {
      {"/rndx?c=5", "\"/rndx\" has no random body; try /rnd?c=2048"},
      {"/rnd/x", "\"/rnd/x\" has no random body; try /rnd?c=2048"},
      {"/x?/rnd", "\"/x\" has no random body; try /rnd?c=2048"},
      {"/", "\"/\" has no random body; try /rnd?c=2048"},
      {"/rnd?c=many",
       "/rnd?c=N: \"many\" is not a number of bytes up to 1024GiB; try 2048 "
       "or 64KiB"},
      {"/rnd?c=&c=5",
       "/rnd?c=N: \"\" is not a number of bytes up to 1024GiB; try 2048 or "
       "64KiB"},
      {"/rnd?c=1025GiB",
       "/rnd?c=N: \"1025GiB\" is not a number of bytes up to 1024GiB; try 2048 "
       "or 64KiB"},
  };
  for (const auto& [target, why] : cases) {
    const auto got = rnd_bytes_of(target);
    if (got.is_ok()) fail_msg("%s was taken", target);
    assert_string_equal(got.status().message.c_str(), why);
  }
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(a_body_follows_the_published_rule),
      cmocka_unit_test(what_was_made_is_right_from_every_offset),
      cmocka_unit_test(the_first_wrong_byte_is_found),
      cmocka_unit_test(bodies_differ_by_seed_connection_and_number),
      cmocka_unit_test(a_target_says_how_many_bytes),
      cmocka_unit_test(a_target_without_such_a_body_is_told_why),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
