/* SPDX-License-Identifier: MIT
 * Counts the calls of a program to the allocator: heap.c, linked into the program, replaces the allocator for the program and the
 * C library. A build with a sanitizer keeps the allocator of the sanitizer, and heap_calls() is 0 there. */
#ifndef COMMON_HEAP_H
#define COMMON_HEAP_H

/* Calls of all threads so far that allocate or free memory, mappings included. */
long heap_calls(void);

#endif
