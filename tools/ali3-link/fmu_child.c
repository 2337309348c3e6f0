/* SPDX-License-Identifier: MIT
 * The process of an FMU: loads it, then makes a step whenever ali3-link asks for one. */
#include "fmu.h"
#include "fmu/importer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { MESSAGES_MOST = 20 }; /* an FMU that talks in every step would fill the terminal */

/* The process as its FMU finds it. */
struct life {
  const struct participant *participant;
  const struct fmu *fmu;
  struct fmu_block *block;
  struct importer *importer;
  int fd, messages;
};

static void hear_fmu(void *context, int status, const char *category, const char *message)
{
  struct life *l = (struct life *)context;
  (void)status;
  snprintf(l->block->text, sizeof l->block->text, "%s", message);
  for (char *c = l->block->text; *c; c++)
    if ((unsigned char)*c < ' ') *c = ' ';
  if (++l->messages > MESSAGES_MOST) return;
  fprintf(stderr, "ali3-link: %s says: %s%s%s%s\n", l->participant->name, category, *category ? ": " : "",
          l->block->text, l->messages == MESSAGES_MOST ? " (its further messages are not shown)" : "");
}

/* Signals of the terminal and files of the parent are not for the FMU. Its output must not come into a report. */
static void settle_in(int fd)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  if (fd > STDERR_FILENO + 1) close_range(STDERR_FILENO + 1, (unsigned)fd - 1, 0);
  close_range((unsigned)fd + 1, ~0U, 0);
}

/* --- values --- */

static int complain_unfit(struct life *l, const struct read_variable *v, double value, int status)
{
  if (status == IMPORTER_UNFIT)
    snprintf(l->block->text, sizeof l->block->text, "\"%s\" is of the type %s, and gets %g", v->name, v->type,
             value);
  else if (!*l->block->text)
    snprintf(l->block->text, sizeof l->block->text, "\"%s\" gets %g", v->name, value);
  return status;
}

static int set_presets(struct life *l)
{
  int worst = IMPORTER_OK;
  for (int i = 0; i < l->fmu->presets; i++) {
    const struct preset *p = &l->fmu->preset[i];
    const int status = p->text ? importer_set_text(l->importer, p->variable, p->text)
                               : importer_set_one(l->importer, p->variable, p->number);
    if (status >= IMPORTER_DISCARD) return complain_unfit(l, p->variable, p->number, status);
    worst = status > worst ? status : worst;
  }
  return worst;
}

static int set_inputs(struct life *l)
{
  const struct slots *in = &l->participant->in;
  for (int i = 0; i < in->count; i++) {
    const struct read_variable *v = &l->fmu->description.variable[in->slot[i].signal];
    const int status = importer_set_one(l->importer, v, l->block->value[i]);
    if (status >= IMPORTER_DISCARD) return complain_unfit(l, v, l->block->value[i], status);
  }
  return IMPORTER_OK;
}

static int get_outputs(struct life *l)
{
  const struct participant *p = l->participant;
  for (int i = 0; i < p->out.count; i++) {
    const struct read_variable *v = &l->fmu->description.variable[p->out.slot[i].signal];
    const int status = importer_get_one(l->importer, v, &l->block->value[p->in.count + i]);
    if (status >= IMPORTER_DISCARD) return status;
  }
  return IMPORTER_OK;
}

/* --- a life --- */

/* False: a stage before it has failed. */
static bool enter_stage(struct life *l, enum fmu_stage stage)
{
  if (l->block->status >= IMPORTER_DISCARD || l->block->ends) return false;
  l->block->stage = stage;
  return true;
}

/* Passes the block to ali3-link. False: ali3-link has ended. */
static bool give_answer(const struct life *l)
{
  return write(l->fd, "d", 1) == 1;
}

static bool wait_for_request(const struct life *l)
{
  char byte;
  ssize_t n;
  do n = read(l->fd, &byte, 1);
  while (n < 0 && errno == EINTR);
  return n == 1;
}

static bool begin_life(struct life *l)
{
  struct fmu_block *b = l->block;
  char why[FMU_WHY];
  enter_stage(l, FMU_LOADS);
  l->importer = importer_open(&l->fmu->description, l->fmu->folder, hear_fmu, l, why);
  if (!l->importer) {
    snprintf(b->text, sizeof b->text, "%s", why);
    b->status = IMPORTER_FATAL;
    return false;
  }
  enter_stage(l, FMU_INSTANTIATES);
  if (!importer_instantiate(l->importer, l->participant->name)) b->status = IMPORTER_ERROR;
  if (enter_stage(l, FMU_TAKES_START)) b->status = set_presets(l);
  if (enter_stage(l, FMU_INITIALISES)) b->status = importer_initialise(l->importer);
  return b->status < IMPORTER_DISCARD;
}

static void make_steps(struct life *l)
{
  struct fmu_block *b = l->block;
  b->text[0] = '\0';
  if (enter_stage(l, FMU_TAKES_INPUTS)) b->status = set_inputs(l);
  for (int i = 0; i < b->steps && enter_stage(l, FMU_STEPS); i++) {
    double next = b->at;
    b->status = importer_step(l->importer, b->at, b->size, &next, &b->ends);
    if (b->status < IMPORTER_DISCARD && !b->ends) b->at = next;
  }
  if (enter_stage(l, FMU_READS_OUTPUTS)) b->status = get_outputs(l);
}

_Noreturn void fmu_child_live(const struct participant *p, int fd)
{
  const struct fmu *f = fmu_of(p);
  struct life l = {.participant = p, .fmu = f, .block = f->block, .fd = fd};
  settle_in(fd);
  bool good = begin_life(&l);
  while (give_answer(&l) && wait_for_request(&l) && good) {
    make_steps(&l);
    good = l.block->status < IMPORTER_DISCARD;
  }
  /* An instance after an error may not even be freed safely. */
  if (good) {
    importer_terminate(l.importer);
    importer_close(l.importer);
  }
  _exit(0);
}
