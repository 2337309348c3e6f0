/* SPDX-License-Identifier: MIT
 * The examples of FIPS 180-4, and lengths around the end of a block; sha256sum computed the latter. */
#include "base/sha256.h"
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_digest(const void *data, size_t size, const char *expected)
{
  unsigned char digest[SHA256_SIZE];
  char text[2 * SHA256_SIZE + 1];
  sha256_digest(data, size, digest);
  for (int i = 0; i < SHA256_SIZE; i++) snprintf(text + 2 * i, 3, "%02x", digest[i]);
  assert_string_equal(text, expected);
}

TEST(the_examples_of_the_standard_hold)
{
  const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  assert_digest(NULL, 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  assert_digest("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  assert_digest(two, strlen(two), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  enum { MILLION = 1000000 };
  char *many = malloc(MILLION);
  assert_non_null(many);
  memset(many, 'a', MILLION);
  assert_digest(many, MILLION, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  free(many);
}

TEST(lengths_around_the_end_of_a_block_are_padded_right)
{
  char text[65];
  memset(text, 'x', sizeof text);
  assert_digest(text, 55, "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072");
  assert_digest(text, 56, "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e");
  assert_digest(text, 63, "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2");
  assert_digest(text, 64, "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c");
  assert_digest(text, 65, "9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814db1633ad565aed7e9");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_examples_of_the_standard_hold),
                                     cmocka_unit_test(lengths_around_the_end_of_a_block_are_padded_right)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
