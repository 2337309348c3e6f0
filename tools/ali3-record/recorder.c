/* SPDX-License-Identifier: MIT
 * Follows the ring of an instance, from one daemon to the next.
 *
 *   waiting --ring opened--> armed --start--> recording --end--> armed
 *      ^                                          |
 *      '-------------- the daemon is gone --------'
 *
 * start: at once, with state RUNNING, with a condition, or by an order of a client. end: the state has not been RUNNING, or no
 * condition has held, for `after`; or an order. A file that is long enough is closed, and the next file begins with the next
 * cycle. */
#include "record.h"

#include "frames/recorder.h"
#include "rt/clock.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const long TURN_NS = 100000000;         /* between two looks at the ring */
static const uint64_t LONGEST_NS = 1000000000; /* that a row waits for a whole chunk */
/* Times min_free, until a full disk has space again: the end of a file frees some bytes. */
static const double SPACE_AGAIN = 1.1;

static volatile sig_atomic_t end_asked;

static void ask_to_stop(int number)
{
  (void)number;
  end_asked = 1;
}

void record_catch_signals(void)
{
  struct sigaction action = {.sa_handler = ask_to_stop, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  signal(SIGXFSZ, SIG_IGN); /* a write beyond a limit then fails in place of killing the process */
}

struct recorder {
  const struct record_options *given; /* by the command line */
  struct record_options options;      /* with those of the daemon's configuration, which `words` holds */
  char *words;
  char label[FRAMES_EVENT_TEXT]; /* of the last order to start */
  struct frames_reader ring;
  struct columns columns;
  struct triggers triggers;
  struct memory memory;
  struct frames_slot *slot; /* (head.slot_bytes) */
  uint64_t next, next_order;
  struct event_feed feed;
  uint32_t parameters; /* version of the last row */
  uint64_t last;       /* with end_asked: the slot behind the last one of the recording; 0: not known yet */
  uint64_t begun;      /* first slot for a file; older ones are in files, or ahead of this program */
  uint64_t unjudged;   /* first slot that was not looked at yet; a start goes back to older ones */
  struct history history;
  struct run_file file;
  bool opened, recording, full; /* full: the disk; said once */
  bool continues;               /* the file before was long enough: the next file begins with the next slot */
  bool ordered, suppressed;     /* by a client: to record; not to record until the next start */
  struct frames_event mark[TRIGGERS]; /* (marks) of conditions, for the row of their cycle */
  int marks;
  uint64_t idle_cycles;   /* without a reason to record */
  uint64_t taken, lost;   /* cycles of this daemon, in files */
  uint64_t missed;        /* the newest cycles, which a full disk keeps out; not in `lost` yet */
  int report;             /* file of the report for the daemon; -1: none */
  uint64_t files, end_ns; /* end_ns: when the duration is over; 0: never */
  int status;
};

static uint64_t cycles_in(const struct recorder *r, double seconds)
{
  return (uint64_t)(seconds * 1e9 / (double)r->ring.head.period_ns);
}

/* Slots before the newest one that the ring surely keeps until they are read: the oldest eighth, and at least half a second of a
 * longer ring, may be overtaken while a file is made. */
static uint64_t sure_slots(const struct recorder *r)
{
  const uint64_t slots = r->ring.head.slots, margin = slots / 8 + 1, half_second = cycles_in(r, 0.5),
                 most = slots / 2;
  const uint64_t least = margin > half_second ? margin : half_second;
  return slots - (least < most ? least : most);
}

/* From the ring, or from the memory of this program. */
static enum frames_got take_slot(const struct recorder *r, uint64_t n)
{
  const enum frames_got got = frames_take(&r->ring, n, r->slot);
  return got == FRAMES_OVERTAKEN && memory_take(&r->memory, n, r->slot) ? FRAMES_WHOLE : got;
}

/* The report that the daemon shows to everybody. */
static void report_state(const struct recorder *r)
{
  struct recorder_report report = {.start_ns = r->ring.head.start_ns,
                                   .state = r->full ? RECORDER_FULL : RECORDER_WAITING,
                                   .cycles = r->taken,
                                   .lost = r->lost + r->missed};
  if (r->report < 0) return;
  if (r->recording) {
    const char *name = strrchr(r->file.final, '/');
    report.state = r->file.lost > 0 ? RECORDER_LOST : RECORDER_RECORDING;
    report.file_bytes = run_file_size(&r->file);
    report.flush_ns = r->file.flush_ns;
    snprintf(report.file, sizeof report.file, "%.*s", (int)sizeof report.file - 1,
             name ? name + 1 : r->file.final);
  }
  recorder_report_write(r->report, &report);
}

static bool has_space(struct recorder *r)
{
  const double left = space_free(r->options.file.folder);
  if (left < 0 || left >= r->options.min_free * 1e9 * (r->full ? SPACE_AGAIN : 1.0)) {
    r->full = false;
    return true;
  }
  if (!r->full)
    fprintf(stderr, "ali3-record: %s: disk full: %.3g GB free, --min-free is %.3g GB; not recording\n",
            r->options.file.folder, left / 1e9, r->options.min_free);
  return !(r->full = true);
}

static void end_file(struct recorder *r, const char *reason)
{
  if (!r->recording) return;
  event_feed_finish(&r->feed, &r->ring, &r->file, r->parameters, r->next + sure_slots(r) / 2);
  r->recording = false;
  if (!run_file_close(&r->file, reason)) {
    /* HDF5 cannot let go of a file that it could not write: a new process must go on. */
    r->status = EXIT_RUN;
    end_asked = 1;
  }
  if (!r->options.file.once && r->options.keep > 0)
    space_prune(r->options.file.folder, r->ring.telemetry.instance, r->options.keep * 1e9);
}

/* The file of cycles from slot n on. Events since then are still in the ring. */
static void begin_file(struct recorder *r, uint64_t n)
{
  if (!has_space(r)) return;
  if (take_slot(r, n) != FRAMES_WHOLE) return;
  if (!run_file_open(&r->file, &r->options.file, &r->history, &r->columns, r->slot)) {
    r->status = EXIT_RUN;
    end_asked = 1; /* a folder that cannot be written does not mend itself */
    return;
  }
  r->recording = true;
  r->files++;
  event_feed_begin(&r->feed, &r->ring, &r->file, r->slot->cycle, r->continues);
}

/* Events up to those of a cycle. */
static void add_events(struct recorder *r, uint64_t cycle)
{
  event_feed_add(&r->feed, &r->ring, r->recording ? &r->file : NULL, cycle);
}

/* Slot r->next, in r->slot, which is new: a reason to record it. */
static bool wants_slot(struct recorder *r)
{
  const struct record_options *o = &r->options;
  const bool holds = triggers_judge(&r->triggers, &r->ring, r->slot);
  r->marks = triggers_marks(&r->triggers, &r->ring, r->slot, r->mark);
  const bool reason = o->when == RECORD_ALWAYS ||
                      (o->when == RECORD_RUNNING && r->slot->state == STATE_RUNNING) ||
                      (o->when == RECORD_TRIGGER && holds);
  if (!reason) r->suppressed = false;
  return r->ordered || (reason && !r->suppressed);
}

/* The cycles that a full disk kept out are lost, except those that the next file begins with. */
static void end_missed(struct recorder *r, uint64_t taken)
{
  if (r->missed <= taken) {
    r->missed = 0;
    return;
  }
  fprintf(stderr, "ali3-record: %llu cycles lost: the disk was full\n",
          (unsigned long long)(r->missed - taken));
  r->lost += r->missed - taken;
  r->missed = 0;
}

/* Slot r->next is in r->slot: it starts a recording, or continues it in the next file. Then r->next is the first slot of the
 * file. */
static void start_recording(struct recorder *r)
{
  /* A start takes the time before it from the ring. */
  const uint64_t back = r->continues ? 0 : cycles_in(r, r->options.before), n = r->next;
  uint64_t first = n > back ? n - back : 0, slots, events;
  if (first < r->begun) first = r->begun;
  /* A slot that is about to be overtaken would leave a hole behind it. */
  if (r->memory.room == 0 && frames_written(&r->ring, &slots, &events) && first + sure_slots(r) < slots)
    first = slots - sure_slots(r) < n ? slots - sure_slots(r) : n;
  while (first < n && take_slot(r, first) != FRAMES_WHOLE) first++;
  begin_file(r, first);
  if (r->recording) {
    end_missed(r, n - first);
    r->next = first;
  }
  if (r->recording && !r->continues) r->idle_cycles = 0;
  r->continues = false;
}

static void end_long_file(struct recorder *r)
{
  end_file(r, "split");
  r->continues = true;
}

/* The end of the time without a reason to record. */
static void judge_idleness(struct recorder *r, bool wanted)
{
  r->idle_cycles = wanted ? 0 : r->idle_cycles + 1;
  if (!r->recording || r->idle_cycles <= cycles_in(r, r->options.after)) return;
  end_file(r, r->options.when == RECORD_TRIGGER ? "no condition holds" : "stopped");
}

/* The marks of conditions that began with this slot, behind the events ahead of it. */
static void add_marks(struct recorder *r)
{
  if (r->marks == 0 || r->slot->cycle < r->mark[0].cycle) return;
  add_events(r, r->slot->cycle);
  for (int i = 0; i < r->marks; i++) run_file_add_event(&r->file, &r->mark[i]);
  r->marks = 0;
}

/* Slot r->next is in r->slot. */
static void record_slot(struct recorder *r, const struct frames_state *state)
{
  if (!run_file_add(&r->file, r->slot, state)) {
    end_file(r, "a write failed");
    return;
  }
  r->taken++;
  r->parameters = r->slot->parameters;
  add_marks(r);
}

/* A new slot that no file takes: counted while a file is wanted and the disk has no space. */
static void miss_slot(struct recorder *r, bool wanted)
{
  if (!wanted)
    end_missed(r, 0);
  else if (r->full)
    r->missed++;
}

static void handle_slot(struct recorder *r)
{
  const struct record_options *o = &r->options;
  const struct frames_state *state = history_add(&r->history, r->slot);
  bool fresh = r->next >= r->unjudged, wanted = false;
  /* A slot is judged once, when it is new. */
  if (fresh) {
    memory_put(&r->memory, r->next, r->slot);
    wanted = wants_slot(r);
    r->unjudged = r->next + 1;
  }
  /* A file that starts goes back to earlier slots. */
  if (!r->recording && (r->continues || wanted) && !(o->file.once && r->files > 0)) {
    start_recording(r);
    fresh = fresh && r->next + 1 == r->unjudged;
    if (take_slot(r, r->next) != FRAMES_WHOLE) return; /* overtaken: looked at again */
  }
  if (r->recording)
    record_slot(r, state);
  else if (fresh)
    miss_slot(r, wanted);
  if (fresh && o->when != RECORD_ALWAYS) judge_idleness(r, wanted);
  r->next++;
  if (r->recording && o->split > 0 && r->slot->cycle - r->file.first_cycle + 1 >= cycles_in(r, o->split))
    end_long_file(r);
}

/* Orders of clients since the last look. */
static void take_orders(struct recorder *r)
{
  uint64_t slots, events;
  struct frames_event e;
  if (!frames_written(&r->ring, &slots, &events)) return;
  r->next_order = frames_oldest_event(&r->ring, r->next_order, events);
  for (; r->next_order < events; r->next_order++) {
    if (frames_take_event(&r->ring, r->next_order, &e) != FRAMES_WHOLE || e.kind != FRAMES_EVENT_RECORD)
      continue;
    /* A stop holds until the reason to record comes anew. */
    switch ((enum frames_record)e.code) {
    case FRAMES_RECORD_START:
      r->ordered = true;
      r->suppressed = false;
      snprintf(r->label, sizeof r->label, "%s", e.text);
      r->options.file.label = *r->label ? r->label : r->given->file.label;
      break;
    case FRAMES_RECORD_STOP:
      r->ordered = false;
      r->suppressed = true;
      add_events(r, UINT64_MAX);
      end_file(r, "stopped by a client");
      break;
    case FRAMES_RECORD_SPLIT:
      if (r->recording && !r->options.file.once) end_long_file(r);
      break;
    }
  }
}

/* A signal ends the recording with the newest cycle that is in the ring at that time, an error at once. */
static bool end_is_reached(struct recorder *r)
{
  uint64_t events;
  if (!end_asked || r->status != EXIT_GOOD) return end_asked;
  return (r->last == 0 && !frames_written(&r->ring, &r->last, &events)) || r->next >= r->last;
}

/* Slots that are there. False: the file was cut. */
static bool take_slots(struct recorder *r)
{
  uint64_t slots, events;
  while (!end_is_reached(r)) {
    switch (take_slot(r, r->next)) {
    case FRAMES_WHOLE:
      handle_slot(r);
      break;
    case FRAMES_NOT_YET:
      return true;
    case FRAMES_OVERTAKEN: {
      /* The oldest eighth of the ring may be overtaken while it is read. No cycle behind the end is lost. */
      if (!frames_written(&r->ring, &slots, &events)) return false;
      const uint64_t held = r->ring.head.slots - r->ring.head.slots / 8 - 1,
                     first = slots - (held < slots ? held : slots),
                     oldest = r->last > 0 && first > r->last ? r->last : first,
                     lost = oldest > r->next ? oldest - r->next : 1;
      if (r->recording) {
        r->file.lost += lost;
        r->lost += lost;
      } else if (r->missed > 0) {
        r->missed += lost;
      }
      r->file.gap = r->recording;
      fprintf(stderr, "ali3-record: %llu cycles lost: held up for longer than the ring lasts\n",
              (unsigned long long)lost);
      r->next += lost;
      report_state(r); /* to catch up takes long on a slow disk */
      break;
    }
    case FRAMES_CUT:
      return false;
    }
  }
  return true;
}

/* The options for this daemon. */
static bool configure_recorder(struct recorder *r)
{
  r->options = *r->given;
  r->words = strdup(frames_record(&r->ring));
  return r->words && options_configure(&r->options, r->words);
}

static bool open_memory(struct recorder *r)
{
  const uint64_t back = cycles_in(r, r->options.before);
  const bool needed = r->options.when != RECORD_ALWAYS && back > sure_slots(r);
  return memory_open(&r->memory, &r->ring, needed ? back + 1 : 0);
}

static void free_ring(struct recorder *r)
{
  columns_free(&r->columns);
  memory_close(&r->memory);
  history_close(&r->history);
  free(r->words);
  free(r->slot);
  r->words = NULL;
  frames_close(&r->ring);
  r->opened = false;
}

static bool open_ring(struct recorder *r, bool complain)
{
  char error[400];
  uint64_t slots, events;
  if (!frames_open(&r->ring, r->given->instance, error, sizeof error)) {
    if (complain) fprintf(stderr, "ali3-record: %s\n", error);
    return false;
  }
  r->slot = calloc(1, r->ring.head.slot_bytes);
  r->opened = r->slot && configure_recorder(r) && columns_choose(&r->columns, &r->ring, r->options.signals) &&
              triggers_open(&r->triggers, &r->ring, r->options.trigger) && open_memory(r) &&
              frames_written(&r->ring, &slots, &events) &&
              history_open(&r->history, &r->ring, cycles_in(r, r->options.before) + 1);
  if (!r->opened) {
    free_ring(r);
    r->status = EXIT_USAGE;
    end_asked = 1;
    return false;
  }
  /* Cycles that are in the ring already count as the time before the start. */
  const uint64_t back = cycles_in(r, r->options.before), sure = sure_slots(r),
                 held = slots < sure ? slots : sure;
  r->next = r->begun = slots - (back < held ? back : held);
  r->feed = (struct event_feed){.next = events};
  r->next_order = events;
  r->parameters = 0;
  r->unjudged = r->next;
  r->taken = r->lost = r->missed = 0;
  r->report = recorder_report_open(r->ring.telemetry.instance, error, sizeof error);
  if (r->report < 0) fprintf(stderr, "ali3-record: the daemon does not show this recorder: %s\n", error);
  r->ordered = r->suppressed = r->continues = false;
  /* Older cycles may lead from a state to the first row. */
  for (uint64_t n = slots - held; n < r->next; n++)
    if (frames_take(&r->ring, n, r->slot) == FRAMES_WHOLE) history_add(&r->history, r->slot);
  return true;
}

static void close_ring(struct recorder *r, const char *reason)
{
  if (!r->opened) return;
  add_events(r, UINT64_MAX);
  end_file(r, reason);
  end_missed(r, 0);
  recorder_report_close(r->report, r->ring.telemetry.instance);
  free_ring(r);
}

/* One look at the ring. */
static void follow_ring(struct recorder *r, uint64_t now)
{
  const bool alive = frames_alive(&r->ring);
  const bool whole = take_slots(r);
  add_events(r, UINT64_MAX);
  take_orders(r);
  report_state(r);
  if (r->recording && run_file_age(&r->file, now) >= LONGEST_NS && !run_file_flush(&r->file))
    end_file(r, "a write failed");
  if (r->recording && !has_space(r)) {
    end_file(r, "disk full");
    r->begun = r->next;
  }
  if (!alive || !whole || !frames_is_current(&r->ring)) close_ring(r, "the daemon ended");
}

static void show_progress(const struct recorder *r)
{
  if (!isatty(STDERR_FILENO)) return;
  if (r->recording)
    fprintf(stderr, "\r\033[Krecording: cycle %llu, %llu rows, %llu lost",
            (unsigned long long)r->file.last_cycle, (unsigned long long)r->file.rows,
            (unsigned long long)r->file.lost);
  else
    fprintf(stderr, "\r\033[K%s", r->opened ? "armed" : "waiting for the daemon");
}

int record_follow(const struct record_options *o)
{
  struct recorder r = {.given = o, .options = *o, .status = EXIT_GOOD};
  const uint64_t begin = clock_now_ns();
  if (o->duration > 0) r.end_ns = begin + (uint64_t)(o->duration * 1e9);
  /* A daemon that is not there is an error for one file, and a reason to wait for a service. */
  if (!open_ring(&r, true) && (o->file.once || end_asked)) return r.status == EXIT_GOOD ? EXIT_RUN : r.status;
  while (!end_asked) {
    const uint64_t now = clock_now_ns();
    if (r.opened) follow_ring(&r, now);
    if (o->file.once && (!r.opened || (r.files > 0 && !r.recording))) break;
    if (r.end_ns && now >= r.end_ns) break;
    if (!r.opened) open_ring(&r, false);
    show_progress(&r);
    nanosleep(&(struct timespec){.tv_nsec = TURN_NS}, NULL);
  }
  if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
  if (r.opened && end_asked) take_slots(&r);
  close_ring(&r, end_asked ? "stopped by a signal" : "the duration is over");
  if (r.files == 0 && r.status == EXIT_GOOD && (o->file.once || r.end_ns)) {
    fprintf(stderr, "ali3-record: no file was made: %s\n",
            r.full ? "the disk is full" : "no cycle gave a reason to record, see --when");
    return EXIT_RUN;
  }
  return r.status;
}
