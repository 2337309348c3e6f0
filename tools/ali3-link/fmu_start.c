/* SPDX-License-Identifier: MIT
 * How the process of an FMU begins, answers and ends. */
#include "fmu.h"

#include "fmu/importer.h"
#include "fmu/unpack.h"
#include "rt/clock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t FAREWELL_NS = NS_PER_S; /* the FMU may free its instance in this time */

const char *fmu_stage_text(const struct fmu *f, char text[80])
{
  static const char *const stage[] = {[FMU_IDLES] = "its wait for a step",
                                      [FMU_LOADS] = "the loading of its object",
                                      [FMU_INSTANTIATES] = "its instantiation",
                                      [FMU_TAKES_START] = "the setting of its start values",
                                      [FMU_INITIALISES] = "its initialization",
                                      [FMU_TAKES_INPUTS] = "the setting of its inputs at",
                                      [FMU_STEPS] = "its step from",
                                      [FMU_READS_OUTPUTS] = "the reading of its outputs at"};
  const unsigned at = (unsigned)f->block->stage;
  if (at < FMU_TAKES_INPUTS)
    snprintf(text, 80, "%s", stage[at]);
  else
    snprintf(text, 80, "%s %.9g s", stage[at <= FMU_READS_OUTPUTS ? at : FMU_STEPS], f->block->at);
  return text;
}

/* --- the end of the process --- */

/* True: the process has ended, and *status says how. Until it is waited for, its number belongs to no other process. */
static bool has_ended(const struct fmu *f, siginfo_t *status, uint64_t within_ns)
{
  const uint64_t until_ns = clock_now_ns() + within_ns;
  for (;;) {
    status->si_pid = 0;
    if (waitid(P_PID, (id_t)f->child, status, WEXITED | WNOHANG | WNOWAIT) != 0 && errno != EINTR)
      return false;
    if (status->si_pid == f->child) return true;
    if (clock_now_ns() >= until_ns) return false;
    clock_sleep_until_ns(clock_now_ns() + NS_PER_S / 500);
  }
}

/* Ends the process and all that it has started. */
static void end_process(struct fmu *f)
{
  kill(-f->child, SIGKILL);
  kill(f->child, SIGKILL); /* it may not have its group yet */
  while (waitpid(f->child, NULL, 0) < 0 && errno == EINTR) continue;
  f->child = 0;
}

static bool fail_ended(struct participant *p)
{
  char stage[80];
  siginfo_t status;
  struct fmu *f = fmu_of(p);
  fmu_stage_text(f, stage);
  /* The stage, and how the process ended. */
  if (!has_ended(f, &status, FAREWELL_NS))
    participant_fail(p, "%s closed the connection to ali3-link", stage);
  else if (f->block->stage == FMU_IDLES && status.si_code != CLD_EXITED)
    participant_fail(p, "its process was ended by signal %d (%s) between two steps, at %.9g s",
                     status.si_status, strsignal(status.si_status), f->block->at);
  else if (status.si_code == CLD_EXITED)
    participant_fail(p, "%s ended the process with exit status %d", stage, status.si_status);
  else
    participant_fail(p, "%s ended the process by signal %d (%s)", stage, status.si_status,
                     strsignal(status.si_status));
  end_process(f);
  return false;
}

void fmu_end(struct participant *p)
{
  struct fmu *f = fmu_of(p);
  siginfo_t status;
  /* The end of the socket tells the process to end. */
  if (p->fd >= 0) close(p->fd);
  p->fd = -1;
  if (f->child) {
    has_ended(f, &status, p->progress == DONE ? FAREWELL_NS : 0);
    end_process(f);
  }
  if (f->block) munmap(f->block, f->block_size);
  fmu_remove(f->folder);
  f->block = NULL;
  f->folder = NULL;
}

/* --- answers --- */

static bool fail_by_status(struct participant *p)
{
  char stage[80];
  const struct fmu *f = fmu_of(p);
  const struct fmu_block *b = f->block;
  fmu_stage_text(f, stage);
  if (b->ends) return participant_fail(p, "it asked to end the simulation in %s", stage);
  if (b->status == IMPORTER_FATAL && b->stage == FMU_LOADS)
    return participant_fail(p, "%.*s", FMU_WHY - 1, b->text);
  return participant_fail(p, "%s ends with status %s%s%.*s", stage, importer_status_text(b->status),
                          *b->text ? ": " : "", 200, b->text);
}

enum progress fmu_take_answer(struct participant *p)
{
  char byte;
  const struct fmu *f = fmu_of(p);
  const ssize_t n = recv(p->fd, &byte, 1, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return WAITS;
  if (n <= 0) fail_ended(p);
  if (n > 0 && (f->block->ends || f->block->status >= IMPORTER_DISCARD)) {
    fail_by_status(p);
    return FAILED;
  }
  return n > 0 ? DONE : FAILED;
}

/* --- the beginning --- */

static bool begin_process(struct participant *p)
{
  struct fmu *f = fmu_of(p);
  int ends[2];
  f->block_size = sizeof *f->block + (size_t)(p->in.count + p->out.count) * sizeof(double);
  f->block = mmap(NULL, f->block_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (f->block == MAP_FAILED) {
    f->block = NULL;
    return participant_fail(p, "no shared memory: %s", strerror(errno));
  }
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return participant_fail(p, "no socket: %s", strerror(errno));
  /* Texts that wait in memory must not be printed twice. */
  fflush(NULL);
  const pid_t parent = getpid();
  f->child = fork();
  if (f->child == 0) {
    if (getppid() == parent) fmu_child_live(p, ends[1]);
    _exit(1);
  }
  close(ends[1]);
  p->fd = ends[0];
  if (f->child > 0) return true;
  f->child = 0;
  return participant_fail(p, "no process: %s", strerror(errno));
}

bool fmu_start(struct participant *p, double patience, bool reset, const volatile int *stop)
{
  char why[FMU_WHY], stage[80];
  struct fmu *f = fmu_of(p);
  (void)reset; /* a new process begins at the initial state */
  f->folder = fmu_unpack(p->path, why);
  if (!f->folder) return participant_fail(p, "%s", why);
  if (!begin_process(p)) return false;
  /* Until it is initialized. */
  const uint64_t patience_ns = (uint64_t)(patience * (double)NS_PER_S);
  uint64_t silent_ns = 0, last_ns = clock_now_ns();
  p->progress = WAITS;
  while (!*stop && p->progress == WAITS && silent_ns < patience_ns) {
    struct pollfd wait = {.fd = p->fd, .events = POLLIN};
    poll(&wait, 1, LOOK_NS / (NS_PER_S / 1000));
    p->progress = fmu_take_answer(p);
    silent_ns += count_look(&last_ns);
  }
  if (p->progress == WAITS)
    snprintf(p->trouble, sizeof p->trouble, "%s does not end; patience may be larger",
             fmu_stage_text(f, stage));
  if (p->progress == DONE) f->block->stage = FMU_IDLES;
  return p->progress == DONE;
}
