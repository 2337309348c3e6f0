/* SPDX-License-Identifier: MIT */
#include "base/arena.h"
#include "check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct layout {
  char *c;
  double *d;
  int *none;
  uint32_t *u;
};

static void lay_out(struct arena *a, struct layout *l)
{
  l->c = arena_take(a, 3, sizeof *l->c);
  l->d = arena_take(a, 100, sizeof *l->d);
  l->none = arena_take(a, 0, sizeof *l->none);
  l->u = arena_take(a, 17, sizeof *l->u);
}

TEST(sizing_run_is_layout_run)
{
  struct arena sizing = {0};
  struct layout l;
  lay_out(&sizing, &l);
  assert_null(l.c);
  assert_null(l.u);
  assert_int_equal(sizing.used, 64 + 832 + 0 + 128);

  struct arena arena = {.base = aligned_zalloc(sizing.used)};
  assert_non_null(arena.base);
  lay_out(&arena, &l);
  assert_int_equal(arena.used, sizing.used);
  free(arena.base);
}

TEST(arrays_are_aligned_and_apart)
{
  struct arena arena = {.base = aligned_zalloc(2048)};
  struct layout l;
  lay_out(&arena, &l);
  assert_int_equal((uintptr_t)l.c % ARENA_ALIGN, 0);
  assert_int_equal((uintptr_t)l.d % ARENA_ALIGN, 0);
  assert_int_equal((uintptr_t)l.u % ARENA_ALIGN, 0);
  memset(l.c, 'c', 3);
  memset(l.d, 'd', 100 * sizeof *l.d);
  memset(l.u, 'u', 17 * sizeof *l.u);
  assert_int_equal(l.c[2], 'c');
  assert_int_equal(((char *)l.d)[0], 'd');
  assert_int_equal(((char *)l.d)[799], 'd');
  free(arena.base);
}

TEST(memory_is_zeroed)
{
  for (size_t size = 0; size < 300; size += 37) {
    unsigned char *p = aligned_zalloc(size);
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % ARENA_ALIGN, 0);
    for (size_t i = 0; i < size; i++) assert_int_equal(p[i], 0);
    memset(p, 0xff, size);
    free(p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizing_run_is_layout_run),
      cmocka_unit_test(arrays_are_aligned_and_apart),
      cmocka_unit_test(memory_is_zeroed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
