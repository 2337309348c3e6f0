/* SPDX-License-Identifier: MIT
 * A step needs nothing from the kernel: no new page, and no system call except those of workers: futex to sleep, getrusage before
 * that, and tgkill to test whether a late worker is alive. test_stages.c tests that a step allocates nothing; tests/lint tests
 * the calls of the loop around it. */
#include "check.h"
#include "common/faults.h"
#include "common/sanitized.h"
#include "common/toys.h"
#include "rt/pool.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 500, REFUSED = 77 }; /* longer runs of such whips come to steps that fail */

#if !TEST_SANITIZED
static struct pool *two_workers(void)
{
  char error[256];
  struct pool *pool = pool_new(&(struct pool_config){.workers = 2, .first_cpu = -1}, error, sizeof error);
  if (!pool) fail_msg("%s", error);
  return pool;
}

/* Every method, and extrapolation. Explicit methods take shorter steps. */
enum { WAYS = ALI3_METHODS + 1, STEPS_OF_WAY = 60 };
static ali3_model *model_by(int way)
{
  ali3_options o = ali3_options_default();
  o.method = way < ALI3_METHODS ? (ali3_method)way : ALI3_METHOD_ALI3;
  o.extrapolate = way == ALI3_METHODS;
  if (ali3_method_is_explicit(o.method)) o.dt = 0.001;
  return toy_random_with(6, 300, 20, &o);
}

/* The daemon locks its memory, too. The steps may not touch new pages of data. Code that a worker reaches only when the host
 * delays it may be touched at any time. */
static void touches_no_new_page(const ali3_model *m, const ali3_exec *exec, int steps)
{
  long faults = 1;
  for (int tries = 0; tries < FAULT_TRIES && faults != 0; tries++) {
    ali3_data *d = toy_start(m, ALI3_OK);
    ali3_data_set_exec(d, exec);
    toy_run(m, d, 10);
    const long before = page_faults();
    toy_run(m, d, steps);
    faults = page_faults() - before;
    ali3_data_free(d);
  }
  assert_int_equal(faults, 0);
}

TEST(steps_touch_no_new_page)
{
  struct pool *pool = two_workers();
  for (int way = 0; way < WAYS; way++) {
    ali3_model *m = model_by(way);
    mlockall(MCL_CURRENT);
    for (int shared = 0; shared < 2; shared++)
      touches_no_new_page(m, shared ? pool_exec(pool) : NULL, way == 0 ? STEPS : STEPS_OF_WAY);
    munlockall();
    ali3_model_free(m);
  }
  pool_free(pool);

  long before = page_faults();
  char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(page != MAP_FAILED);
  *(volatile char *)page = 1;
  assert_true(page_faults() > before); /* page faults are counted */
  munmap(page, 4096);
}

/* From here on every system call of any thread kills the process, except exit and `allowed`. False, with errno, if the kernel
 * refuses the filter. */
static bool forbid_calls(const unsigned allowed[4])
{
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 5, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[0], 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[1], 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[2], 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[3], 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof code / sizeof *code, code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

static int step(ali3_model *m, ali3_data *d, int steps)
{
  for (int i = 0; i < steps; i++)
    if (ali3_step(m, d) < 0) return 1;
  return 0;
}

/* Runs steps in a child. Returns 0 if they are good, REFUSED, or -number of the signal. */
static int steps_without_calls(int way, bool shared, bool call)
{
  ali3_model *m = model_by(way);
  ali3_data *d = toy_start(m, ALI3_OK);
  fflush(stdout);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    if (shared) ali3_data_set_exec(d, pool_exec(two_workers())); /* a child has no threads of its parent */
    toy_run(m, d, 2);
    const unsigned none[4] = {SYS_exit_group, SYS_exit_group, SYS_exit_group, SYS_exit_group};
    const unsigned few[4] = {SYS_futex, SYS_getrusage, SYS_clock_gettime /* of the thread's own time */,
                             SYS_tgkill /* tests whether a late worker is alive */};
    if (!forbid_calls(shared ? few : none)) {
      printf("skip: the kernel refuses a filter of system calls: %s\n", strerror(errno));
      fflush(stdout);
      _exit(REFUSED);
    }
    if (call) getppid();
    _exit(step(m, d, way == 0 ? STEPS : STEPS_OF_WAY));
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  ali3_data_free(d);
  ali3_model_free(m);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

TEST(steps_make_no_system_call)
{
  int seen = steps_without_calls(0, false, true);
  if (seen == REFUSED) skip();
  assert_int_equal(seen, -SIGSYS); /* the filter works */
  for (int way = 0; way < WAYS; way++) assert_int_equal(steps_without_calls(way, false, false), 0);
}

TEST(workers_only_sleep_and_look_at_themselves)
{
  int seen = steps_without_calls(0, true, true);
  if (seen == REFUSED) skip();
  assert_int_equal(seen, -SIGSYS);
  for (int way = 0; way < WAYS; way++) assert_int_equal(steps_without_calls(way, true, false), 0);
}
#endif

int main(void)
{
#if TEST_SANITIZED
  puts("skip: sanitizers take memory and call the system themselves");
  return 77;
#else
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_touch_no_new_page),
      cmocka_unit_test(steps_make_no_system_call),
      cmocka_unit_test(workers_only_sleep_and_look_at_themselves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
