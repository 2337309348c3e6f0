/* SPDX-License-Identifier: MIT
 * ali3-lab: a bar on a terminal once the work turns out to be long, and signals that end it in good order. */
#include "lab_tool.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t stop_asked;

static void ask_to_stop(int number)
{
  (void)number;
  stop_asked = 1;
}

void catch_signals(void)
{
  struct sigaction action = {.sa_handler = ask_to_stop, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

bool interrupted(void)
{
  return stop_asked;
}

double progress_clock(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct progress progress_start(void)
{
  return (struct progress){.terminal = isatty(STDERR_FILENO), .next = progress_clock() + 1};
}

void progress_show(struct progress *p, double part, const char *what)
{
  enum { BAR_WIDTH = 40 };
  static const char bar[] = "########################################";
  if (!p->terminal) return;
  const double now = progress_clock();
  if (now < p->next) return;
  p->next = now + 0.1;
  p->shown = true;
  fprintf(stderr, "\r\033[K[%-*.*s] %3.0f %%  %s", BAR_WIDTH, (int)(BAR_WIDTH * part), bar, 100 * part, what);
}

void progress_end(struct progress *p)
{
  if (p->shown) fputs("\r\033[K", stderr);
  p->shown = false;
}
