/* SPDX-License-Identifier: MIT */
#include "restart/state_file.h"

#include "log/wall_clock.h"
#include "restart/durable.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FORMAT = 1, MOST = 4096, PATH = 1024 };
static const char ABOUT[] =
    "Written by ali3d. See STOPPING AND STARTING in ali3d(8) before you delete this file.";

bool state_file_path(const char *folder, const char *instance, char *path, size_t size, char *error,
                     size_t error_size)
{
  char chosen[PATH];
  path[0] = '\0';
  if (!durable_folder(folder, chosen, sizeof chosen)) {
    snprintf(error, error_size,
             "no folder for the state file: STATE_DIRECTORY, XDG_STATE_HOME and HOME are not set");
    return false;
  }
  if (snprintf(path, size, "%s/%s.state", chosen, instance) >= (int)size) {
    snprintf(error, error_size, "%.80s...: path of the state file is too long", chosen);
    return false;
  }
  if (durable_make_folder(chosen)) return true;
  snprintf(error, error_size, "%s: cannot make the folder: %s", chosen, strerror(errno));
  return false;
}

/* Refuses a file that is not regular, without blocking. Returns the length of the text, or -1. */
static ssize_t read_text(const char *path, char text[MOST])
{
  struct stat st;
  const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t n = -1;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < MOST)
    n = read(fd, text, MOST);
  else
    errno = EINVAL;
  const int saved = errno;
  close(fd);
  errno = saved;
  return n;
}

static int state_from_name(const char *name)
{
  for (int s = 0; s <= STATE_EXIT; s++)
    if (strcmp(name, run_state_name((unsigned)s)) == 0) return s;
  return -1;
}

/* The text goes to log and terminal. */
static bool is_printable(const char *text)
{
  for (; *text; text++)
    if ((unsigned char)*text < ' ' || *text == 0x7f) return false;
  return true;
}

/* Returns NULL if the record is valid and in *r, else what is wrong. */
static const char *take_record(json_t *root, const char *instance, struct state_record *r)
{
  /* Require exactly these keys, with their types. */
  int format, fault, ended, disarmed;
  const char *about, *of, *state, *text, *who, *written;
  if (json_unpack_ex(root, NULL, JSON_STRICT, "{s:s, s:i, s:s, s:b, s:b, s:s, s:i, s:s, s:s, s:s}", "about",
                     &about, "format", &format, "instance", &of, "ended", &ended, "disarmed", &disarmed,
                     "state", &state, "fault", &fault, "fault_text", &text, "latched_by", &who, "written",
                     &written) != 0)
    return "a key is missing, unknown, or of another type";
  if (format != FORMAT) return "it has another format";
  if (strcmp(of, instance) != 0) return "it belongs to another instance";
  /* Check that the values are known and consistent. */
  const int known = state_from_name(state);
  if (known < 0 || known == STATE_EXIT) return "its state is unknown";
  if (strcmp(fault_text((unsigned)fault), "unknown fault") == 0) return "its fault is unknown";
  if (fault != FAULT_NONE ? !disarmed : known == STATE_SAFE || known == STATE_FAULT)
    return "its state and fault contradict each other";
  if (strlen(who) >= sizeof r->who || !is_printable(who)) return "latched_by is no name";
  /* Copy the values. */
  *r = (struct state_record){
      .ended = ended, .disarmed = disarmed, .state = (uint32_t)known, .fault = (uint32_t)fault};
  memcpy(r->who, who, strlen(who));
  return NULL;
}

struct state_copy state_file_read(const char *path, const char *instance, char *error, size_t size)
{
  char text[MOST];
  json_error_t where;
  struct state_copy copy = {.found = COPY_BROKEN};
  const ssize_t n = read_text(path, text);
  if (n < 0 && errno == ENOENT) return (struct state_copy){.found = COPY_MISSING};
  if (n < 0) {
    snprintf(error, size, "%s",
             errno == EINVAL || errno == ELOOP ? "it is no regular file, or too long" : strerror(errno));
    return copy;
  }
  json_t *root = json_loadb(text, (size_t)n, JSON_REJECT_DUPLICATES, &where);
  const char *wrong = root ? take_record(root, instance, &copy.record) : where.text;
  if (wrong) snprintf(error, size, "%s", wrong);
  if (!wrong) copy.found = COPY_READ;
  json_decref(root);
  return copy;
}

static char *record_json(const char *instance, const struct state_record *r)
{
  char written[WALL_CLOCK_TEXT];
  wall_clock_text(written);
  json_t *o = json_pack("{s:s, s:i, s:s, s:b, s:b, s:s, s:i, s:s, s:s, s:s}", "about", ABOUT, "format",
                        FORMAT, "instance", instance, "ended", r->ended, "disarmed", r->disarmed, "state",
                        run_state_name(r->state), "fault", (int)r->fault, "fault_text", fault_text(r->fault),
                        "latched_by", r->who, "written", written);
  char *text = o ? json_dumps(o, JSON_INDENT(2)) : NULL, *line = NULL;
  json_decref(o);
  if (text && asprintf(&line, "%s\n", text) < 0) line = NULL;
  free(text);
  return line;
}

int state_file_write(const char *path, const char *instance, const struct state_record *r)
{
  char *text = record_json(instance, r);
  if (!text) return ENOMEM;
  const int status = durable_write(path, text, strlen(text));
  free(text);
  return status;
}
