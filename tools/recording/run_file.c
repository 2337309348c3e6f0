/* SPDX-License-Identifier: MIT
 * One file: written in SWMR mode, so that it can be read while it grows and survives a kill. Each flush writes the chunks of
 * all datasets, then the end of the file into its superblock, then waits for the disk: all of that outlives a power cut.
 * A chunk is written once and whole, so that no write touches rows that a flush has kept. Only rows of a slow loop, which
 * would wait too long for their chunk, are written before it is whole. */
#include "recording/run_file.h"

#include "recording/recording.h"
#include "rt/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const uint64_t CHUNK_NS = 600000000;

void run_file_quiet(void)
{
  H5dont_atexit();
  recording_quiet();
}

static bool fail_file(struct run_file *f, const char *text)
{
  if (!f->failed) fprintf(stderr, "%s: %s: %s\n", f->options->program, f->part, text);
  f->failed = true;
  return false;
}

/* errno is of the write that failed; HDF5 keeps it. */
static bool fail_write(struct run_file *f)
{
  char text[200];
  snprintf(text, sizeof text, "a write failed: %s; the file ends with the last chunk that reached the disk",
           errno ? strerror(errno) : "HDF5 gave no reason");
  return fail_file(f, text);
}

/* INSTANCE-20261122T140501Z.h5, by the wall clock at the first cycle. Milliseconds, so that no name comes twice. */
static void name_file(struct run_file *f, uint64_t t_ns)
{
  const struct frames_head *h = &f->ring->head;
  if (f->options->once) {
    snprintf(f->final, sizeof f->final, "%s", f->options->once);
  } else {
    const uint64_t utc = h->start_utc + (t_ns - h->start_ns);
    const time_t seconds = (time_t)(utc / 1000000000u);
    struct tm tm;
    char stamp[32];
    gmtime_r(&seconds, &tm);
    strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%S", &tm);
    snprintf(f->final, sizeof f->final, "%s/%s-%s.%03dZ.h5", f->options->folder, f->ring->telemetry.instance,
             stamp, (int)(utc / 1000000u % 1000u));
  }
  snprintf(f->part, sizeof f->part, "%.*s.part", (int)sizeof f->part - 6, f->final);
}

/* Without HDF5's lock: a reader has it for a moment, and one that opens a file while it is made or ends would keep the recorder
 * from writing. HDF5's marks in the file still keep other writers away. */
static hid_t writer_access(void)
{
  hid_t list = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(list, H5F_LIBVER_V110, H5F_LIBVER_V110);
  H5Pset_file_locking(list, false, false);
  return list;
}

static bool create_file(struct run_file *f)
{
  /* A file that is there may be a recording that was not closed. */
  hid_t list = writer_access();
  H5Pset_fclose_degree(list, H5F_CLOSE_STRONG);
  /* No header crosses a page: a power cut leaves it old or new. */
  hid_t pages = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_file_space_strategy(pages, H5F_FSPACE_STRATEGY_PAGE, false, 1);
  H5Pset_file_space_page_size(pages, 4096);
  errno = 0;
  f->file = H5Fcreate(f->part, H5F_ACC_EXCL, pages, list);
  H5Pclose(pages);
  H5Pclose(list);
  if (f->file < 0 && access(f->part, F_OK) == 0)
    return fail_file(f, "expected no such file, found one that a recorder writes or did not close; "
                        "ali3-record --recover copies its rows, then remove it");
  if (f->file < 0) return fail_file(f, errno ? strerror(errno) : "HDF5 cannot create the file");
  /* All datasets, then SWMR mode, then the descriptor for fdatasync. */
  if (!layout_create(f, f->first_cycle) || H5Fstart_swmr_write(f->file) < 0)
    return fail_file(f, "HDF5 could not lay out the file");
  int *descriptor = NULL;
  if (H5Fget_vfd_handle(f->file, H5P_DEFAULT, (void **)&descriptor) < 0 || !descriptor)
    return fail_file(f, "HDF5 has no descriptor of the file");
  f->descriptor = *descriptor;
  return true;
}

/* Rows of one chunk: at most CHUNK_NS of a run. With a turn of the recorder and a flush, a kill costs less than a second. The
 * chunks of both kinds of rows are full at the same time. */
static void choose_chunks(struct run_file *f, uint64_t period_ns, uint64_t divisor)
{
  const uint64_t fit = CHUNK_NS / period_ns, cycles = fit < 1 ? 1 : fit < RECORD_ROWS ? fit : RECORD_ROWS;
  f->chunk_rows = divisor < cycles ? (int)(cycles / divisor) : 1;
  f->acted.chunk_rows = divisor < cycles ? f->chunk_rows * (int)divisor : (int)cycles;
}

static void free_rows(struct run_file *f)
{
  free(f->row);
  free(f->event);
  acted_free(f);
}

bool run_file_open(struct run_file *f, const struct run_file_options *o, const struct history *h,
                   const struct columns *c, const struct frames_slot *first)
{
  const struct frames_reader *r = h->ring;
  *f = (struct run_file){.file = -1, .options = o, .ring = r, .history = h, .columns = c};
  f->first_cycle = first->cycle;
  choose_chunks(f, r->head.period_ns, (uint64_t)o->divisor);
  f->row = malloc(RECORD_ROWS * r->head.slot_bytes);
  f->event = calloc(RECORD_EVENTS, sizeof *f->event);
  name_file(f, first->t_ns);
  if (!acted_allocate(f) || !f->row || !f->event) {
    free_rows(f);
    return fail_file(f, "out of memory");
  }
  if (create_file(f)) return true;
  if (f->file >= 0) H5Fclose(f->file);
  f->file = -1;
  free_rows(f);
  return false;
}

static const struct frames_slot *collected_slot(const struct run_file *f, int i)
{
  return (const struct frames_slot *)(const void *)(f->row + (size_t)i * f->ring->head.slot_bytes);
}

/* The heads of the collected cycles, dataset by dataset. */
static bool write_heads(struct run_file *f)
{
  static uint64_t wide[RECORD_ROWS];
  static double time[RECORD_ROWS];
  static int32_t status[RECORD_ROWS];
  static uint32_t times[RECORD_ROWS][PHASES + 3];
  const hsize_t n = (hsize_t)f->collected, at = f->rows;
  bool good = true;
  /* Whole numbers go through one array; HDF5 narrows them. */
#define APPEND_FIELD(dataset, field)                                                                         \
  for (int i = 0; i < f->collected; i++) wide[i] = collected_slot(f, i)->field;                              \
  good = good && rows_append(dataset, H5T_NATIVE_UINT64, at, n, 0, wide);
  APPEND_FIELD(f->t_ns, t_ns)
  APPEND_FIELD(f->state, state)
  APPEND_FIELD(f->flags, flags)
  APPEND_FIELD(f->fault, fault)
  APPEND_FIELD(f->action, action)
  APPEND_FIELD(f->parameters, parameters)
  for (int i = 0; i < f->collected; i++) {
    const struct frames_slot *s = collected_slot(f, i);
    time[i] = s->time;
    status[i] = s->status;
    times[i][0] = s->wakeup_ns;
    for (int k = 0; k < PHASES; k++) times[i][1 + k] = s->phase_ns[k];
    times[i][PHASES + 1] = s->step_ns;
    times[i][PHASES + 2] = s->cycle_ns;
  }
  return good && rows_append(f->time, H5T_NATIVE_DOUBLE, at, n, 0, time) &&
         rows_append(f->status, H5T_NATIVE_INT32, at, n, 0, status) &&
         rows_append(f->loop, H5T_NATIVE_UINT32, at, n, PHASES + 3, times);
}

static bool write_input_states(struct run_file *f, uint32_t *scratch)
{
  const uint32_t inputs = f->ring->head.inputs;
  bool good = true;
  for (int what = 0; what < 2 && inputs; what++) {
    for (int i = 0; i < f->collected; i++)
      for (uint32_t k = 0; k < inputs; k++) {
        const struct frames_input *in = &frames_inputs(f->ring, collected_slot(f, i))[k];
        scratch[(size_t)i * inputs + k] = what == 0 ? in->age_ms : in->state;
      }
    good = good && rows_append(what == 0 ? f->input_age : f->input_state, H5T_NATIVE_UINT32, f->rows,
                               (hsize_t)f->collected, inputs, scratch);
  }
  return good;
}

static bool write_values(struct run_file *f, double *scratch)
{
  const struct columns *c = f->columns;
  for (int i = 0; i < f->collected; i++) {
    const double *values = frames_values(f->ring, collected_slot(f, i));
    for (uint32_t k = 0; k < c->count; k++) scratch[(size_t)i * c->count + k] = values[c->signal[k]];
  }
  return rows_append(f->values, H5T_NATIVE_DOUBLE, f->rows, (hsize_t)f->collected, c->count, scratch);
}

static bool write_collected(struct run_file *f)
{
  const uint32_t widest = f->columns->count > f->ring->head.inputs ? f->columns->count : f->ring->head.inputs;
  double *scratch = malloc(((size_t)widest + 1) * RECORD_ROWS * sizeof *scratch);
  if (!scratch) return fail_file(f, "out of memory");
  const bool good =
      write_heads(f) && write_input_states(f, (uint32_t *)(void *)scratch) && write_values(f, scratch);
  free(scratch);
  return good || fail_write(f);
}

/* The numbers of the collected cycles, once all their other data are on the disk. */
static bool write_cycles(struct run_file *f)
{
  uint64_t cycle[RECORD_ROWS];
  for (int i = 0; i < f->collected; i++) cycle[i] = collected_slot(f, i)->cycle;
  const bool good = rows_append(f->cycle, H5T_NATIVE_UINT64, f->rows, (hsize_t)f->collected, 0, cycle) &&
                    H5Dflush(f->cycle) >= 0;
  f->rows += (hsize_t)f->collected;
  f->collected = 0;
  return good;
}

static bool write_events(struct run_file *f)
{
  hid_t type = recording_event_type();
  const bool good = rows_append(f->events, type, f->event_rows, (hsize_t)f->events_collected, 0, f->event);
  H5Tclose(type);
  f->event_rows += (hsize_t)f->events_collected;
  f->events_collected = 0;
  return good || fail_write(f);
}

/* To the disk, with the superblock. */
static bool sync_file(struct run_file *f)
{
  return H5Fflush(f->file, H5F_SCOPE_LOCAL) >= 0 && (f->options->unsynced || fdatasync(f->descriptor) == 0);
}

/* Full chunks, or all rows that are collected. Datasets, then the superblock, then the disk; the number of a cycle comes last, so
 * every cycle that is found is whole. */
static bool flush_rows(struct run_file *f, bool all)
{
  const bool frames = f->collected > 0 && (all || f->collected == f->chunk_rows);
  const bool acted = all || f->acted.collected == f->acted.chunk_rows;
  const hid_t datasets[] = {f->values,    f->t_ns,        f->time,   f->state,      f->flags,
                            f->fault,     f->action,      f->status, f->parameters, f->loop,
                            f->input_age, f->input_state, f->events};
  const uint64_t begin = clock_now_ns();
  errno = 0;
  /* Write, flush, and wait for the disk. */
  if (frames && !write_collected(f)) return false;
  if (f->events_collected > 0 && !write_events(f)) return false;
  bool good = !acted || (acted_write(f) && acted_flush(f));
  for (size_t i = 0; i < sizeof datasets / sizeof *datasets; i++)
    if (datasets[i] >= 0) good = good && H5Dflush(datasets[i]) >= 0;
  good = good && sync_file(f) && (!frames || write_cycles(f)) && (!acted || acted_write_cycles(f)) &&
         sync_file(f);
  if (!good) return fail_write(f);
  const uint64_t took = clock_now_ns() - begin;
  if (took > f->flush_ns) f->flush_ns = took;
  return true;
}

bool run_file_flush(struct run_file *f)
{
  if (f->failed) return false;
  return f->collected + f->acted.collected + f->events_collected == 0 || flush_rows(f, true);
}

bool run_file_add(struct run_file *f, const struct frames_slot *slot, const struct frames_state *state)
{
  if (f->failed) return false;
  if (f->collected + f->acted.collected == 0) f->waits_ns = clock_now_ns();
  acted_add(f, slot);
  if (state) acted_keep(f, state);
  if (slot->cycle % (uint64_t)f->options->divisor == 0) {
    memcpy(f->row + (size_t)f->collected * f->ring->head.slot_bytes, slot, f->ring->head.slot_bytes);
    f->collected++;
  }
  f->last_cycle = slot->cycle;
  const bool full = f->collected == f->chunk_rows || f->acted.collected == f->acted.chunk_rows;
  return !full || flush_rows(f, false);
}

uint64_t run_file_age(const struct run_file *f, uint64_t now)
{
  return f->collected + f->acted.collected > 0 && now > f->waits_ns ? now - f->waits_ns : 0;
}

uint64_t run_file_size(const struct run_file *f)
{
  struct stat st;
  return f->file >= 0 && fstat(f->descriptor, &st) == 0 ? (uint64_t)st.st_size : 0;
}

bool run_file_add_event(struct run_file *f, const struct frames_event *event)
{
  if (f->failed) return false;
  f->event[f->events_collected++] = *event;
  return f->events_collected < RECORD_EVENTS || write_events(f);
}

static void end_number(hid_t object, const char *name, uint64_t value)
{
  hid_t space = H5Screate(H5S_SCALAR),
        a = H5Acreate2(object, name, H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(a, H5T_NATIVE_UINT64, &value);
  H5Aclose(a);
  H5Sclose(space);
}

static void end_text(hid_t object, const char *name, const char *text)
{
  hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, strlen(text) + 1);
  hid_t a = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(a, type, text);
  H5Aclose(a);
  H5Tclose(type);
  H5Sclose(space);
}

/* How the run ended. SWMR mode allows no new attributes, so the file is opened once more. */
static bool write_end(const struct run_file *f, const char *reason)
{
  hid_t access = writer_access();
  hid_t file = H5Fopen(f->part, H5F_ACC_RDWR, access);
  H5Pclose(access);
  if (file < 0) return false;
  end_number(file, "closed", 1);
  end_number(file, "complete", f->lost == 0 && !f->failed);
  end_number(file, "lost", f->lost);
  end_number(file, "cycles", f->rows);
  end_number(file, "longest_flush_ns", f->flush_ns);
  end_text(file, "reason", reason);
  return H5Fclose(file) >= 0;
}

static bool sync_path(const char *path)
{
  FILE *file = fopen(path, "re");
  if (!file) return false;
  const bool good = fsync(fileno(file)) == 0;
  fclose(file);
  return good;
}

bool run_file_close(struct run_file *f, const char *reason)
{
  if (f->file < 0) return true;
  bool good = run_file_flush(f);
  good = H5Fclose(f->file) >= 0 && good; /* strong: closes the datasets, too */
  f->file = -1;
  good = good && write_end(f, reason) && sync_path(f->part);
  if (good && rename(f->part, f->final) != 0) good = fail_file(f, strerror(errno));
  if (good)
    fprintf(stderr, "%s: %s: cycles %llu to %llu, %llu rows, %llu lost; %s\n", f->options->program, f->final,
            (unsigned long long)f->first_cycle, (unsigned long long)f->last_cycle,
            (unsigned long long)f->rows, (unsigned long long)f->lost, reason);
  else
    fprintf(stderr, "%s: %s: not closed; ali3-record --recover copies the whole rows\n", f->options->program,
            f->part);
  free_rows(f);
  return good;
}
