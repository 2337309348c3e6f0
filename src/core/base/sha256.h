/* SPDX-License-Identifier: MIT
 * SHA-256 (FIPS 180-4). The library needs libc and libm only, so that it can be linked into a single shared object;
 * a package for this one function would end that. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>

enum { SHA256_SIZE = 32 };

void sha256_digest(const void *data, size_t size, unsigned char digest[SHA256_SIZE]);

#endif
