/* SPDX-License-Identifier: MIT
 * Counts what a program asks of the allocator: heap.c, linked into it, replaces that for all of the program, C library
 * included. Not in the build of a sanitizer, which has its own: heap_calls() is 0 there. */
#ifndef COMMON_HEAP_H
#define COMMON_HEAP_H

/* Calls of all threads so far that take memory or give it back, mappings included. */
long heap_calls(void);

#endif
