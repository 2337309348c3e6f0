/* SPDX-License-Identifier: MIT
 * A load that refuses names the reason and changes nothing; neither load nor save allocates. */
#include "base/crc.h"
#include "check.h"
#include "common/heap.h"
#include "common/toys.h"
#include "kernels/data.h"
#include "state/state.h"

#include <stdlib.h>
#include <string.h>

enum { CRC_FROM = offsetof(struct state_head, version) };

/* A run of 20 steps, and its state. */
struct saved_run {
  ali3_model *m;
  ali3_data *d;
  unsigned char *state;
  size_t size;
};

static struct saved_run start_run(double dt)
{
  struct saved_run o = {.m = toy_chain(5, true, dt)};
  o.d = toy_start(o.m, ALI3_OK);
  toy_run(o.m, o.d, 20);
  o.size = ali3_state_size(o.m);
  o.state = malloc(o.size + 1);
  assert_non_null(o.state);
  assert_int_equal(ali3_state_save(o.m, o.d, o.state), ALI3_OK);
  return o;
}

static void free_run(struct saved_run *o)
{
  free(o->state);
  ali3_data_free(o->d);
  ali3_model_free(o->m);
}

/* The reason has this part, and not a byte of the data changes. */
static void assert_refuses(const struct saved_run *o, size_t size, const char *part)
{
  char text[300];
  const size_t block = ali3_data_size(o->m);
  unsigned char *before = malloc(block);
  assert_non_null(before);
  memcpy(before, o->d, block);
  assert_int_equal(ali3_state_load(o->m, o->d, o->state, size), ALI3_E_STATE);
  assert_memory_equal(before, o->d, block);
  const int length = ali3_state_text(o->m, o->state, size, text, sizeof text);
  assert_int_equal(length, strlen(text));
  if (!strstr(text, part)) fail_msg("expected '%s' in '%s'", part, text);
  free(before);
}

static void sign(const struct saved_run *o)
{
  const uint32_t crc = crc32_ieee(o->state + CRC_FROM, o->size - CRC_FROM);
  memcpy(o->state + offsetof(struct state_head, crc), &crc, sizeof crc);
}

/* Puts `bytes` at `at`, expects the refusal, and puts back what was there. */
static void assert_refuses_change(const struct saved_run *o, size_t at, const char *bytes, size_t n,
                                  bool signs, const char *part)
{
  unsigned char *kept = malloc(o->size);
  assert_non_null(kept);
  memcpy(kept, o->state, o->size);
  memcpy(o->state + at, bytes, n);
  if (signs) sign(o);
  assert_refuses(o, o->size, part);
  memcpy(o->state, kept, o->size);
  free(kept);
}

TEST(a_load_refuses_in_words)
{
  struct saved_run o = start_run(0.01);
  const size_t head = sizeof(struct state_head);
  assert_refuses(&o, 0, "cut short");
  assert_refuses(&o, head - 1, "cut short");
  assert_refuses(&o, o.size - 1, "another size");
  assert_refuses(&o, o.size + 1, "another size");
  assert_refuses_change(&o, 0, "B", 1, true, "begin with ALI3STAT");
  assert_refuses_change(&o, CRC_FROM, "\x07", 1, true, "expected version 5 of the bytes of a state, found 7");
  assert_refuses_change(&o, offsetof(struct state_head, release), "9.9", 4, true,
                        "version 9.9 of the library saved the state, expected version " ALI3_VERSION);
  assert_refuses_change(&o, offsetof(struct state_head, isa), "z80", 4, true, "saved on z80, expected ");
  assert_refuses_change(&o, offsetof(struct state_head, hash), "\1\2\3\4", 4, true,
                        "another model or of other options: hash 01020304, expected ");
  assert_refuses_change(&o, head, "\x7f\0\0\0\0\0\0\0", 8, true, "out of range");
  assert_refuses_change(&o, o.size - 3, "abc", 3, false, "its CRC-32 differs");
  /* It was not for nothing: as saved, it loads. */
  char text[8] = "?";
  assert_int_equal(ali3_state_text(o.m, o.state, o.size, text, sizeof text), 0);
  assert_string_equal(text, "");
  assert_int_equal(ali3_state_load(o.m, o.d, o.state, o.size), ALI3_OK);
  free_run(&o);
}

TEST(a_load_refuses_other_options)
{
  struct saved_run o = start_run(0.01), other = start_run(0.005);
  assert_int_equal(o.size, other.size);
  memcpy(o.state, other.state, o.size);
  assert_refuses(&o, o.size, "of other options");
  free_run(&o);
  free_run(&other);
}

TEST(every_damaged_bit_is_found)
{
  struct saved_run o = start_run(0.01);
  for (size_t bit = 0; bit < 8 * o.size; bit += 3) {
    o.state[bit / 8] ^= (unsigned char)(1u << bit % 8);
    assert_int_equal(ali3_state_load(o.m, o.d, o.state, o.size), ALI3_E_STATE);
    o.state[bit / 8] ^= (unsigned char)(1u << bit % 8);
  }
  free_run(&o);
}

TEST(a_save_is_between_two_steps)
{
  ali3_model *m = toy_chain(3, true, 0.01);
  ali3_data *d = ali3_data_new(m);
  const size_t size = ali3_state_size(m);
  unsigned char *bytes = malloc(size), *again = malloc(size);
  assert_true(d && bytes && again);
  /* Not before a reset, nor in the middle of a step. */
  assert_int_equal(ali3_state_save(m, d, bytes), ALI3_E_ARGUMENT);
  assert_true(ali3_reset(m, d) >= 0);
  assert_int_equal(ali3_state_save(m, d, bytes), ALI3_OK);
  assert_int_equal(ali3_prepare(m, d), ALI3_OK);
  assert_int_equal(ali3_state_save(m, d, again), ALI3_E_ARGUMENT);
  /* A load drops the prepare; a save after it gives equal bytes. */
  assert_int_equal(ali3_state_load(m, d, bytes, size), ALI3_OK);
  assert_int_equal(ali3_state_save(m, d, again), ALI3_OK);
  assert_memory_equal(bytes, again, size);
  /* An argument is missing. */
  ali3_model *raw = ali3_model_new();
  assert_int_equal(ali3_state_size(NULL), 0);
  assert_int_equal(ali3_state_size(raw), 0);
  assert_int_equal(ali3_state_save(m, d, NULL), ALI3_E_ARGUMENT);
  assert_int_equal(ali3_state_load(m, d, NULL, size), ALI3_E_ARGUMENT);
  assert_int_equal(ali3_state_load(raw, d, bytes, size), ALI3_E_ARGUMENT);
  ali3_model_free(raw);
  free(bytes);
  free(again);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* Into data that an earlier step has left: figures and step count go back, the callbacks stay. */
TEST(a_load_keeps_the_callbacks_and_allocates_nothing)
{
  struct saved_run o = start_run(0.01);
  const long calls = heap_calls();
  assert_int_equal(ali3_state_save(o.m, o.d, o.state), ALI3_OK);
  assert_int_equal(heap_calls(), calls);
  toy_run(o.m, o.d, 30);
  const ali3_probe probe = {0};
  o.d->probe = &probe;
  assert_int_equal(ali3_state_load(o.m, o.d, o.state, o.size), ALI3_OK);
  assert_int_equal(heap_calls(), calls);
  assert_ptr_equal(o.d->probe, &probe);
  assert_true(o.d->owned);
  assert_int_equal(ali3_data_report(o.d)->step, 20);
  assert_near(ali3_data_report(o.d)->time, 0.2, 1e-12);
  free_run(&o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_load_refuses_in_words), cmocka_unit_test(a_load_refuses_other_options),
      cmocka_unit_test(every_damaged_bit_is_found), cmocka_unit_test(a_save_is_between_two_steps),
      cmocka_unit_test(a_load_keeps_the_callbacks_and_allocates_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
