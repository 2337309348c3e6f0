/* SPDX-License-Identifier: MIT
 * Code that the loop must not have, for test_lint.py to find. It never runs. */
#include <stdio.h>
#include <stdlib.h>

enum {
  STACK_KB = 128,
};

int deep(int n), wide(int n), endless(int n), elastic(int n), greedy(int n), hidden(int n);

/* Forces the compiler to keep the array in memory. */
static inline void keep(char *p)
{
  __asm__ volatile("" ::"r"(p) : "memory");
}

__attribute__((noinline)) int endless(int n)
{
  char here[16];
  here[0] = (char)n;
  const int below = n ? endless(n - 1) : 0;
  keep(here); /* after the call, so that it cannot become a jump */
  return below + here[0];
}

__attribute__((noinline)) int elastic(int n)
{
  char here[n];
  here[0] = 1;
  keep(here);
  return here[0];
}

__attribute__((noinline)) int wide(int n)
{
  char here[60000];
  here[n] = 1;
  keep(here);
  return here[n];
}

/* 100 of 128 KB, each frame in itself well within them. */
__attribute__((noinline)) int deep(int n)
{
  char here[40000];
  here[n] = 1;
  keep(here);
  return wide(n) + here[n];
}

__attribute__((noinline)) int greedy(int n)
{
  char *p = malloc((size_t)n);
  if (!p) return 0;
  keep(p);
  free(p);
  return 1;
}

extern int (*const kernels[])(int);
int (*const kernels[])(int) = {greedy};
int (*volatile kernel)(int);

/* This function does not name greedy(). */
__attribute__((noinline)) int hidden(int n)
{
  return kernel(n) + 1;
}

int main(int argc, char **argv)
{
  (void)argv;
  kernel = kernels[0];
  return deep(argc) + endless(argc) + elastic(argc) + hidden(argc);
}
