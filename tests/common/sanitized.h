/* SPDX-License-Identifier: MIT
 * TEST_SANITIZED is 1 in a build with a sanitizer, which changes memory and signals. */
#ifndef TESTS_RT_SANITIZED_H
#define TESTS_RT_SANITIZED_H

#ifdef __has_feature
#define TEST_HAS_FEATURE(x) __has_feature(x)
#else
#define TEST_HAS_FEATURE(x) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || TEST_HAS_FEATURE(address_sanitizer) ||  \
    TEST_HAS_FEATURE(thread_sanitizer)
#define TEST_SANITIZED 1
#else
#define TEST_SANITIZED 0
#endif

#endif
