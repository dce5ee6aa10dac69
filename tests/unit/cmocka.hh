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
// Its short name for fail_msg() is a function of ours.
#undef fail
