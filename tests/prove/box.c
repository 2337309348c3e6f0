/* SPDX-License-Identifier: MIT */
#include "box.h"

#include "rt/usage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCRATCH = 1 << 20, LARGE = 1 << 14 };

struct box box;
_Alignas(64) char box_arena[BOX_ARENA];
static _Alignas(64) char scratch[SCRATCH];
static size_t in_scratch;
static bool boxed, scratch_only;

void box_require(bool good, const char *what)
{
  if (good) return;
  fprintf(stderr, "prove: %s\n", what);
  abort();
}

void box_open(void)
{
  boxed = true;
}

void box_close(void)
{
  boxed = false;
}

void box_clear_scratch(void)
{
  in_scratch = 0;
}

void box_use_scratch(bool only)
{
  scratch_only = only;
}

void *__real_aligned_zalloc(size_t size);
void *__wrap_aligned_zalloc(size_t size);
void *__wrap_aligned_zalloc(size_t size)
{
  if (!boxed) return __real_aligned_zalloc(size);
  const size_t bytes = (size + 63) / 64 * 64 + (size ? 0 : 64);
  const bool unsaved = bytes >= LARGE || scratch_only;
  char *base = unsaved ? scratch : box_arena;
  size_t *used = unsaved ? &in_scratch : &box.used;
  box_require(*used + bytes <= (unsaved ? (size_t)SCRATCH : (size_t)BOX_ARENA), "the arena is too small");
  char *p = base + *used;
  *used += bytes;
  return memset(p, 0, bytes);
}

uint64_t __wrap_clock_now_ns(void);
uint64_t __wrap_clock_now_ns(void)
{
  return box.now_ns;
}

uint64_t __wrap_clock_boot_ns(void);
uint64_t __wrap_clock_boot_ns(void)
{
  return box.now_ns + box.asleep_ns;
}

void __wrap_usage_now(struct usage *u);
void __wrap_usage_now(struct usage *u)
{
  *u = (struct usage){0};
}
