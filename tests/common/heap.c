/* SPDX-License-Identifier: MIT */
#include "common/heap.h"
#include "common/sanitized.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long calls;

long heap_calls(void)
{
  return atomic_load(&calls);
}

#if !TEST_SANITIZED
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t align, size_t size);
void __libc_free(void *p);

void *malloc(size_t size)
{
  atomic_fetch_add(&calls, 1);
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size)
{
  atomic_fetch_add(&calls, 1);
  return __libc_calloc(count, size);
}
void *realloc(void *p, size_t size)
{
  atomic_fetch_add(&calls, 1);
  return __libc_realloc(p, size);
}
void *memalign(size_t align, size_t size)
{
  atomic_fetch_add(&calls, 1);
  return __libc_memalign(align, size);
}
void *aligned_alloc(size_t align, size_t size)
{
  atomic_fetch_add(&calls, 1);
  return __libc_memalign(align, size);
}
int posix_memalign(void **p, size_t align, size_t size)
{
  atomic_fetch_add(&calls, 1);
  *p = __libc_memalign(align, size);
  return *p ? 0 : ENOMEM;
}
void free(void *p)
{
  atomic_fetch_add(&calls, 1);
  __libc_free(p);
}
void *mmap(void *at, size_t size, int access, int flags, int fd, off_t offset)
{
  atomic_fetch_add(&calls, 1);
  return (void *)syscall(SYS_mmap, at, size, access, flags, fd, offset);
}
int munmap(void *at, size_t size)
{
  atomic_fetch_add(&calls, 1);
  return (int)syscall(SYS_munmap, at, size);
}
#endif
