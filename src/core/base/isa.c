/* SPDX-License-Identifier: MIT */
#include "base/isa.h"

#include "base/isa_built.h"

#include <string.h>

#define ENTRY(isa) [ISA_##isa] = {#isa, LANES_##isa},
static const struct {
  const char *name;
  int lanes;
} list[ISA_COUNT] = {ISA_LIST(ENTRY)};

const char *isa_name(enum isa isa)
{
  return list[isa].name;
}

int isa_lanes(enum isa isa)
{
  return list[isa].lanes;
}

#define BUILT(isa) [ISA_##isa] = true,
static const bool built[ISA_COUNT] = {ISA_BUILT(BUILT)};

bool isa_built(enum isa isa)
{
  return built[isa];
}

static bool machine_has(enum isa isa)
{
  switch (isa) {
#ifdef ISA_X86
  case ISA_avx512:
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && machine_has(ISA_avx2);
  case ISA_avx2:
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
  default:
    return true;
  }
}

bool isa_supported(enum isa isa)
{
  return isa_built(isa) && machine_has(isa);
}

enum isa isa_best(void)
{
  for (int i = ISA_COUNT - 1; i > 0; i--)
    if (isa_supported((enum isa)i)) return (enum isa)i;
  return ISA_baseline;
}

bool isa_from_name(const char *name, enum isa *o)
{
  for (int i = 0; i < ISA_COUNT; i++) {
    if (strcmp(name, list[i].name) != 0) continue;
    *o = (enum isa)i;
    return true;
  }
  return false;
}

const char *isa_option(const char *word)
{
  return strcmp(word, "auto") == 0 ? "" : word;
}

bool isa_is_word(const char *word)
{
  enum isa isa;
  return strcmp(word, "auto") == 0 || isa_from_name(word, &isa);
}
