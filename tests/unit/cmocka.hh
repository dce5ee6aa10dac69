// cmocka with the headers that it wants before itself.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h comes last on purpose: it needs the four above. Debian's has no
// guards for C++ of its own.
extern "C" {
#include <cmocka.h>
}
// Its fail() is a function of ours, and its fail_msg() is made from it.
#undef fail
#undef fail_msg
#define fail_msg(format, ...)                                      \
  do {                                                             \
    print_error("ERROR: " format "\n" __VA_OPT__(, ) __VA_ARGS__); \
    _fail(__FILE__, __LINE__);                                     \
  } while (0)
