/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <ali3/version.h>
#include <inttypes.h>
#include <string.h>

enum { COLUMN = 22, WIDTH = 110 };

/* Wraps at spaces and aligns further lines with the first. */
static void show_wrapped(const char *label, const char *text, FILE *out)
{
  int at = fprintf(out, "%*s%s: ", COLUMN, "", label);
  for (const char *word = text; *word; word += strspn(word, " ")) {
    const int n = (int)strcspn(word, " ");
    if (word == text) {
      at += fprintf(out, "%.*s", n, word);
    } else if (at + 1 + n <= WIDTH) {
      at += fprintf(out, " %.*s", n, word);
    } else {
      fputc('\n', out);
      at = fprintf(out, "%*s%.*s", COLUMN + 5, "", n, word);
    }
    word += n;
  }
  fputc('\n', out);
}

static void show_finding(const struct finding *f, FILE *out)
{
  fprintf(out, "%-8s  %-12s%s\n", finding_word(f->state), f->id, f->found);
  if (!f->fix[0]) return;
  show_wrapped("why", f->why, out);
  show_wrapped("fix", f->fix, out);
}

static void show_findings(const struct findings *all, bool measured, FILE *out)
{
  for (int i = 0; i < all->count; i++)
    if (all->list[i].measured == measured) show_finding(&all->list[i], out);
}

static void show_figures(const struct report *r, FILE *out)
{
  const struct histogram *h = &r->m->wakeup;
  if (r->verdict == VERDICT_UNFIT)
    fputs("\nUNREPRESENTATIVE: this host is unfit; its figures say nothing about a fit host.", out);
  fprintf(out, "\n%" PRIu64 " wake-ups every %.6g ms, %.3g s; ", atomic_load(&h->count),
          (double)r->plan->period_ns * 1e-6, (double)r->m->duration_ns * 1e-9);
  if (r->m->thread.policy == SCHED_FIFO)
    fprintf(out, "SCHED_FIFO %d", r->m->thread.priority);
  else
    fputs("no real-time priority", out);
  if (r->m->thread.cpu >= 0) fprintf(out, ", CPU %d", r->m->thread.cpu);
  fprintf(out, "\n%-22s%10s%10s%10s%10s%10s\n", "us", "min", "median", "p99", "p99.9", "max");
  fprintf(out, "%-22s%10.1f%10.1f%10.1f%10.1f%10.1f\n", "wake-up", (double)atomic_load(&h->min_ns) * 1e-3,
          histogram_percentile_us(h, 0.5), histogram_percentile_us(h, 0.99),
          histogram_percentile_us(h, 0.999), (double)atomic_load(&h->max_ns) * 1e-3);
  show_findings(r->all, true, out);
}

static void print_verdict(const struct report *r, FILE *out)
{
  const char *between = "";
  static const char *const text[] = {
      [VERDICT_FIT] = "FIT: the checks found nothing against real time",
      [VERDICT_USABLE] = "USABLE, without guarantees: ",
      [VERDICT_UNFIT] = "UNFIT for real time: ",
  };
  fprintf(out, "\n%s", text[r->verdict]);
  if (!r->m && r->verdict == VERDICT_USABLE) {
    fprintf(out, "not measured");
    between = ", ";
  }
  for (int i = 0; i < r->all->count; i++) {
    if (!verdict_because(r->verdict, &r->all->list[i])) continue;
    fprintf(out, "%s%s", between, r->all->list[i].id);
    between = ", ";
  }
  fputc('\n', out);
}

void report_text(const struct report *r, FILE *out)
{
  fprintf(out, "ali3-doctor " ALI3_VERSION ": Linux %s, %d CPUs\n\n",
          r->host->release[0] ? r->host->release : "?", CPU_COUNT(&r->host->online));
  show_findings(r->all, false, out);
  if (r->m)
    show_figures(r, out);
  else
    fprintf(out, "\nnot measured: %s\n", r->unmeasured);
  print_verdict(r, out);
}
