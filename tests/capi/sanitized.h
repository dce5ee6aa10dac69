/* IS_SANITIZED: whether a sanitizer makes this program slow and large. */
#ifndef TESTS_CAPI_SANITIZED_H
#define TESTS_CAPI_SANITIZED_H

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

#endif
