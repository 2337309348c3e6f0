/* SPDX-License-Identifier: MIT
 * FIPS 180-4, sections 4.1.2, 5 and 6.2. The variables have the names of the standard. */
#include "base/sha256.h"

#include <stdint.h>
#include <string.h>

enum { BLOCK_SIZE = 64, LENGTH_SIZE = 8 };

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate_right(uint32_t x, int n)
{
  return x >> n | x << (32 - n);
}

static uint32_t word_of(const unsigned char *p)
{
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* One round. The working variables move by one name from round to round, so no round copies them. */
#define ROUND(a, b, c, d, e, f, g, h, t)                                                                     \
  do {                                                                                                       \
    const uint32_t T1 = (h) + (rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25)) +             \
                        (((e) & (f)) ^ (~(e) & (g))) + K[t] + W[t];                                          \
    const uint32_t T2 = (rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22)) +                   \
                        (((a) & (b)) ^ ((a) & (c)) ^ ((b) & (c)));                                           \
    (d) += T1;                                                                                               \
    (h) = T1 + T2;                                                                                           \
  } while (0)

static void hash_block(uint32_t H[8], const unsigned char *block)
{
  /* The message schedule. */
  uint32_t W[64];
  for (int t = 0; t < 16; t++) W[t] = word_of(block + 4 * t);
  for (int t = 16; t < 64; t++) {
    const uint32_t x = W[t - 15], y = W[t - 2];
    W[t] = W[t - 16] + (rotate_right(x, 7) ^ rotate_right(x, 18) ^ x >> 3) + W[t - 7] +
           (rotate_right(y, 17) ^ rotate_right(y, 19) ^ y >> 10);
  }
  /* The rounds on the working variables. */
  uint32_t a = H[0], b = H[1], c = H[2], d = H[3], e = H[4], f = H[5], g = H[6], h = H[7];
  for (int t = 0; t < 64; t += 8) {
    ROUND(a, b, c, d, e, f, g, h, t);
    ROUND(h, a, b, c, d, e, f, g, t + 1);
    ROUND(g, h, a, b, c, d, e, f, t + 2);
    ROUND(f, g, h, a, b, c, d, e, t + 3);
    ROUND(e, f, g, h, a, b, c, d, t + 4);
    ROUND(d, e, f, g, h, a, b, c, t + 5);
    ROUND(c, d, e, f, g, h, a, b, t + 6);
    ROUND(b, c, d, e, f, g, h, a, t + 7);
  }
  const uint32_t v[8] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; i++) H[i] += v[i];
}

void sha256_digest(const void *data, size_t size, unsigned char digest[SHA256_SIZE])
{
  uint32_t H[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const unsigned char *byte = data;
  size_t left = size;
  for (; left >= BLOCK_SIZE; left -= BLOCK_SIZE, byte += BLOCK_SIZE) hash_block(H, byte);
  /* The rest, a bit 1, zeros, and the length in bits: one block or two. */
  unsigned char end[2 * BLOCK_SIZE] = {0};
  if (left > 0) memcpy(end, byte, left);
  end[left] = 0x80;
  const size_t padded = left + 1 + LENGTH_SIZE <= BLOCK_SIZE ? BLOCK_SIZE : 2 * BLOCK_SIZE;
  const uint64_t bits = (uint64_t)size * 8;
  for (int i = 0; i < LENGTH_SIZE; i++) end[padded - 1 - (size_t)i] = (unsigned char)(bits >> 8 * i);
  for (size_t at = 0; at < padded; at += BLOCK_SIZE) hash_block(H, end + at);
  for (int i = 0; i < SHA256_SIZE; i++) digest[i] = (unsigned char)(H[i / 4] >> 8 * (3 - i % 4));
}
