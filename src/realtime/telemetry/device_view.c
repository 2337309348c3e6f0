/* SPDX-License-Identifier: MIT */
#include "telemetry/device_view.h"

#include <stddef.h>
#include <string.h>

enum { WORDS = DEVICE_TEXT / sizeof(uint64_t), TRIES = 100 };

const char *device_state_name(uint64_t state)
{
#define DEVICE_NAME(id, text) [id] = (text),
  static const char *const name[] = {DEVICE_STATE_LIST(DEVICE_NAME)};
#undef DEVICE_NAME
  return state < sizeof name / sizeof *name ? name[state] : "?";
}

uint64_t device_errors(const struct device_view *v)
{
  uint64_t sum = 0;
  for (int i = 0; i < DEVICE_ERROR_nonfinite; i++) sum += counter_get(&v->errors[i]);
  return sum;
}

/* The words themselves carry release and acquire, as in telemetry.c. */
void device_tell(struct device_view *v, const char *text)
{
  uint64_t word[WORDS] = {0};
  const size_t n = strlen(text);
  memcpy(word, text, n < DEVICE_TEXT ? n : DEVICE_TEXT - 1);
  const uint64_t s = atomic_load_explicit(&v->sequence, memory_order_relaxed);
  atomic_store_explicit(&v->sequence, s + 1, memory_order_relaxed);
  for (int i = 0; i < WORDS; i++) atomic_store_explicit(&v->text[i], word[i], memory_order_release);
  atomic_store_explicit(&v->sequence, s + 2, memory_order_release);
}

void device_told(const struct device_view *v, char text[DEVICE_TEXT])
{
  for (int i = 0; i < TRIES; i++) {
    uint64_t word[WORDS];
    const uint64_t s = atomic_load_explicit(&v->sequence, memory_order_acquire);
    for (int k = 0; k < WORDS; k++) word[k] = atomic_load_explicit(&v->text[k], memory_order_acquire);
    if (s % 2 || counter_get(&v->sequence) != s) continue;
    memcpy(text, word, DEVICE_TEXT);
    text[DEVICE_TEXT - 1] = '\0';
    return;
  }
  text[0] = '\0';
}
