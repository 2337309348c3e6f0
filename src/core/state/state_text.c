/* SPDX-License-Identifier: MIT
 * Why bytes are no state of a model, in words. Not for the loop. */
#include "state/state.h"

#include <ali3/ali3.h>
#include <stdio.h>

/* The first bytes of a hash are enough to tell two models apart. */
#define HASH_FORMAT   "%02x%02x%02x%02x"
#define HASH_WORDS(h) (h)[0], (h)[1], (h)[2], (h)[3]

int state_fault_text(const ali3_model *m, size_t size, enum state_fault fault, const struct state_head *head,
                     char *text, size_t text_size)
{
  const struct state_head own = state_head_of(m);
  switch (fault) {
  /* Bytes that no load of this library takes. */
  case STATE_SHORT:
    return snprintf(text, text_size,
                    "the state is cut short: found %zu bytes, expected %zu; save the state again", size,
                    (size_t)own.size);
  case STATE_FOREIGN:
    return snprintf(text, text_size, "expected the bytes of a state, which begin with ALI3STAT");
  case STATE_VERSION:
    return snprintf(text, text_size,
                    "expected version %u of the bytes of a state, found %u; save the state again",
                    own.version, head->version);
  /* A state of another run. */
  case STATE_LIBRARY:
    return snprintf(text, text_size,
                    "version %s of the library saved the state, expected version %s; save the state again",
                    head->release, own.release);
  case STATE_OTHER_ISA:
    return snprintf(text, text_size,
                    "the state was saved on %s, expected %s; run on the instruction set that saved it",
                    head->isa, own.isa);
  case STATE_OTHER_MODEL:
    return snprintf(text, text_size,
                    "the state is of another model or of other options: hash " HASH_FORMAT
                    ", expected " HASH_FORMAT "; use the model and the options that saved it",
                    HASH_WORDS(head->hash), HASH_WORDS(own.hash));
  /* A damaged state. */
  case STATE_SIZE:
    return snprintf(text, text_size,
                    "the state has another size: found %zu bytes, expected %zu; save the state again", size,
                    (size_t)own.size);
  case STATE_DAMAGED:
    return snprintf(text, text_size, "the state is damaged: its CRC-32 differs; save the state again");
  case STATE_RANGE:
    return snprintf(text, text_size, "the state has a flag or an index out of range; save the state again");
  case STATE_GOOD:
    break;
  }
  return snprintf(text, text_size, "%s", "");
}

int ali3_state_text(const ali3_model *m, const void *from, size_t size, char *text, size_t text_size)
{
  if (!m || !from || ali3_state_size(m) == 0)
    return snprintf(text, text_size, "expected a frozen model and the bytes of a state");
  struct state_head head;
  const enum state_fault fault = state_examine(m, from, size, STATE_OF_THIS_BUILD, &head);
  return state_fault_text(m, size, fault, &head, text, text_size);
}
