/* SPDX-License-Identifier: MIT
 * usage: flat FILE STEPS: steps the model that `ali3d --flat FILE` wrote. Prints its hash, and the position of each body. */
#include <ali3/ali3.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  static unsigned char bytes[1 << 20], hash[ALI3_MODEL_HASH_SIZE];
  FILE *in = argc == 3 ? fopen(argv[1], "rb") : NULL;
  if (!in) return 2;
  const size_t size = fread(bytes, 1, sizeof bytes, in);
  fclose(in);
  ali3_model *m = ali3_model_new();
  if (ali3_model_flat_read(m, bytes, size) < 0 || ali3_model_freeze(m, ali3_model_options(m)) < 0) {
    fprintf(stderr, "%s\n", ali3_model_problem(m)->text);
    return 1;
  }
  ali3_data *d = ali3_data_new(m);
  if (!d || ali3_reset(m, d) < 0) return 1;
  for (int i = 0; i < atoi(argv[2]); i++)
    if (ali3_step(m, d) < 0) return 1;
  ali3_model_hash(m, hash);
  for (int i = 0; i < ALI3_MODEL_HASH_SIZE; i++) printf("%02x", hash[i]);
  printf("\n");
  for (int i = 0; i < ali3_model_bodies(m); i++) {
    ali3_body_state s;
    ali3_body_get(m, d, i, &s);
    printf("%s %.17g %.17g %.17g\n", ali3_model_body_name(m, i), s.position[0], s.position[1], s.position[2]);
  }
  ali3_data_free(d);
  ali3_model_free(m);
}
