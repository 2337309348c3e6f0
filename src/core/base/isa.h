/* SPDX-License-Identifier: MIT
 * Instruction sets of the kernels, and those that this machine has. Results have equal bits within one instruction set only,
 * because fused multiply-adds differ. */
#ifndef BASE_ISA_H
#define BASE_ISA_H

#include <stdbool.h>

/* Each name has two builds of each kernel: with one lane, and with LANES_name. src/flags.cmake has this list, too, and writes
 * base/isa_built.h, which lists those that this build has. */
#define LANES_baseline 2
#define LANES_avx2     4
#define LANES_avx512   8
#if defined(__x86_64__)
#define ISA_X86     1
#define ISA_LIST(X) X(baseline) X(avx2) X(avx512)
#define ISA_WORDS   "auto, baseline, avx2 or avx512" /* isa_is_word(), for messages */
#else
#define ISA_LIST(X) X(baseline)
#define ISA_WORDS   "auto or baseline"
#endif

#define ISA_ENUM(name) ISA_##name,
enum isa { ISA_LIST(ISA_ENUM) ISA_COUNT };
#undef ISA_ENUM

enum { ISA_LANES_MAX = 8 };

const char *isa_name(enum isa isa);
int isa_lanes(enum isa isa);                       /* doubles per vector: 2, 4, 8 */
bool isa_built(enum isa isa);                      /* this build has kernels for it (option ALI3_ISAS) */
bool isa_supported(enum isa isa);                  /* this machine and this build have it */
enum isa isa_best(void);                           /* the widest one of this machine and this build */
bool isa_from_name(const char *name, enum isa *o); /* false: no such name */

/* A word of the user: a name, whether this machine has it or not, or auto for the best. isa_option() converts it for
 * ali3_options. */
bool isa_is_word(const char *word);
const char *isa_option(const char *word);

#endif
