/* SPDX-License-Identifier: MIT
 * The bytes of a state (ali3/state.h): the head, and what a load finds wrong with it. */
#ifndef STATE_STATE_H
#define STATE_STATE_H

#include <ali3/flat.h>
#include <ali3/stepper.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Little endian, as is every number of a state:
 *
 *   head | figures | bodies | joints | forces | directions, turns, chains, states of forces, loads,
 *   commands, drives | Phi, J */
struct state_head {
  char magic[8]; /* ALI3STAT */
  uint32_t crc;  /* CRC-32 of all bytes after it */
  uint32_t version;
  uint64_t size;                            /* bytes of the state */
  unsigned char hash[ALI3_MODEL_HASH_SIZE]; /* model */
  char isa[24];                             /* processor and instruction set, filled up with 0 */
  char release[16];                         /* ali3_version(), filled up with 0 */
  uint64_t step;                            /* steps since reset */
  double time;                              /* s */
};
_Static_assert(sizeof(struct state_head) == 112, "no padding");

enum state_fault {
  STATE_GOOD,
  STATE_SHORT,       /* not even a head */
  STATE_FOREIGN,     /* other bytes */
  STATE_VERSION,     /* of the bytes */
  STATE_LIBRARY,     /* another version of the library */
  STATE_OTHER_ISA,   /* another instruction set */
  STATE_OTHER_MODEL, /* another model, or other options */
  STATE_SIZE,        /* cut short, or longer */
  STATE_DAMAGED,     /* another CRC-32 */
  STATE_RANGE        /* a flag or an index that no save writes */
};

/* The head of a state of this model, with step, time and crc 0. RT. */
struct state_head state_head_of(const ali3_model *m);
/* Who may have saved a state: this library on this instruction set, or any. */
enum state_source { STATE_OF_THIS_BUILD, STATE_OF_ANY_BUILD };
/* Fills *head as soon as there are enough bytes for it. RT. */
enum state_fault state_examine(const ali3_model *m, const void *from, size_t size, enum state_source source,
                               struct state_head *head);
/* The fault in words, as snprintf(); "" for none. Not RT. */
int state_fault_text(const ali3_model *m, size_t size, enum state_fault fault, const struct state_head *head,
                     char *text, size_t text_size);
/* Fills `d` with a state without a fault. RT. */
void state_fill(const ali3_model *m, ali3_data *d, const void *from, const struct state_head *head);

/* The public calls of the same names without their floating-point mode, which calls.c adds. */
ali3_status state_load(const ali3_model *m, ali3_data *d, const void *from, size_t size);
ali3_status state_carry(const ali3_model *m, ali3_data *d, const ali3_model *from, const ali3_data *source);
ali3_status state_convert(const ali3_model *m, ali3_data *d, const ali3_model *from, const void *state,
                          size_t size);

/* Marks the tiles of bodies on which values from outside act. RT. */
void state_note_acted(const ali3_model *m, ali3_data *d);

#endif
