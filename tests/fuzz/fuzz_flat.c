/* SPDX-License-Identifier: MIT
 * libFuzzer: any bytes as a flat model. A model that was read can be written, and the bytes are equal except for numbers that are
 * normalised on entry. */
#include <ali3/flat.h>
#include <ali3/model.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  unsigned char hash[2][ALI3_MODEL_HASH_SIZE];
  ali3_model *m = ali3_model_new(), *again = ali3_model_new();
  if (!m || !again) abort();
  if (ali3_model_flat_read(m, bytes, n) == ALI3_OK) {
    const size_t size = ali3_model_flat_size(m);
    unsigned char *flat = malloc(size);
    if (!flat || size != n) abort();
    /* Once written, a model is the same after every further round. */
    if (ali3_model_flat_write(m, flat, size) != ALI3_OK || ali3_model_flat_read(again, flat, size) != ALI3_OK)
      abort();
    ali3_model_hash(m, hash[0]);
    ali3_model_hash(again, hash[1]);
    for (int i = 0; i < ALI3_MODEL_HASH_SIZE; i++)
      if (hash[0][i] != hash[1][i]) abort();
    free(flat);
  }
  ali3_model_free(m);
  ali3_model_free(again);
  return 0;
}
