/* SPDX-License-Identifier: MIT */
#include "telemetry/fields.h"

#include "signals/clocking.h"
#include "signals/states.h"
#include "telemetry/telemetry.h"

#include <string.h>

#define FIXED_ROW(member, kind, key, unit, metric, text)                                                     \
  {FIELD_##kind, offsetof(struct telemetry, member), sizeof(field_##kind), 0, false, key, unit, metric, text},
#define LIVE_ROW(member, kind, key, unit, metric, text)                                                      \
  {FIELD_##kind, offsetof(struct telemetry, live.member), sizeof(field_##kind), 0, true, key, unit, metric,  \
   text},
#define FLAG_ROW(flag, key, metric, text)                                                                    \
  {FIELD_BIT, offsetof(struct telemetry, live.flags), sizeof(uint32_t), flag, true, key, "", metric, text},
const struct telemetry_field telemetry_field[] = {
    TELEMETRY_FIXED_LIST(FIXED_ROW)  /* fields of the block itself */
    TELEMETRY_LIVE_LIST(LIVE_ROW)    /* fields of its live part */
    TELEMETRY_COUNTED_LIST(LIVE_ROW) /* counters, also in the live part */
    TELEMETRY_FLAG_LIST(FLAG_ROW)};
#undef FIXED_ROW
#undef LIVE_ROW
#undef FLAG_ROW
const int telemetry_fields = sizeof telemetry_field / sizeof *telemetry_field;

static struct field_value flag_value(bool v)
{
  return (struct field_value){.type = VALUE_FLAG, .integer = v, .si = v};
}

static struct field_value integer_value(uint64_t v)
{
  return (struct field_value){.type = VALUE_INTEGER, .integer = (int64_t)v, .si = (double)v};
}

static struct field_value text_value(const char *text, uint32_t code)
{
  return (struct field_value){.type = VALUE_TEXT, .text = text, .integer = code, .si = code};
}

static struct field_value time_value(double ns, const char *unit)
{
  const double s = ns / 1e9;
  return (struct field_value){.type = VALUE_REAL, .number = strcmp(unit, "ms") == 0 ? s * 1e3 : s, .si = s};
}

struct field_value telemetry_value(const struct telemetry *t, const struct telemetry_field *f)
{
  static const struct field_value none = {.type = VALUE_NONE};
  const char *at = (const char *)t + f->offset;
  union {
    uint32_t u32;
    int32_t i32;
    uint64_t u64;
    int64_t i64;
    double real;
  } word = {0};
  /* Read a number or flag as its stored type; a text stays in the block. */
  if (f->size <= sizeof word) memcpy(&word, at, f->size);
  switch (f->kind) {
  /* Numbers. */
  case FIELD_COUNT:
    return integer_value(word.u64);
  case FIELD_CYCLE:
    return word.u64 ? integer_value(word.u64) : none;
  case FIELD_NUMBER:
    return integer_value(word.u32);
  case FIELD_CHOICE:
    return word.i32 >= 0 ? integer_value((uint64_t)word.i32) : none;
  case FIELD_FLAG:
    return flag_value(word.u32);
  case FIELD_BIT:
    return flag_value(word.u32 & f->bit);
  case FIELD_REAL:
    return (struct field_value){.type = VALUE_REAL, .number = word.real, .si = word.real};
  /* Times, in the unit of the row. */
  case FIELD_TIME:
    return time_value((double)word.u64, f->unit);
  case FIELD_AGE:
    return word.u64 == UINT64_MAX ? none : time_value((double)word.u64, f->unit);
  case FIELD_SHIFT:
    return time_value((double)word.i64, f->unit);
  /* Texts, and codes that have names. */
  case FIELD_NAME:
    return *at ? text_value(at, 0) : none;
  case FIELD_REASON:
    return text_value(at, 0);
  case FIELD_STATE:
    return text_value(run_state_name(word.u32), word.u32);
  case FIELD_CLOCKING:
    return text_value(clocking_name(word.u32), word.u32);
  case FIELD_RECORDER:
    return text_value(recorder_state_name(word.u32), word.u32);
  case FIELD_OVERRUN:
    return text_value(overrun_name(word.u32), word.u32);
  case FIELD_FAULT: {
    struct field_value v = integer_value(word.u32);
    v.text = fault_text(word.u32);
    return v;
  }
  }
  return none;
}
