/* SPDX-License-Identifier: MIT */
#include "restart/state_file.h"

#include "journal/wall_clock.h"

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

/* Makes a folder and its parents. */
static bool make_folder(const char *folder)
{
  char path[PATH];
  if (snprintf(path, sizeof path, "%s", folder) >= (int)sizeof path) return false;
  for (char *p = path + 1; *p; p++) {
    if (*p != '/') continue;
    *p = '\0';
    if (mkdir(path, 0755) != 0 && errno != EEXIST) return false;
    *p = '/';
  }
  return mkdir(path, 0755) == 0 || errno == EEXIST;
}

/* Returns false if there is no folder. */
static bool choose_folder(const char *given, char *folder, size_t size)
{
  const char *systemd = getenv("STATE_DIRECTORY"), *xdg = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  if (given)
    snprintf(folder, size, "%s", given);
  else if (systemd && systemd[0] == '/') /* systemd gives a list with colons */
    snprintf(folder, size, "%.*s", (int)strcspn(systemd, ":"), systemd);
  else if (geteuid() == 0)
    snprintf(folder, size, "/var/lib/ali3");
  else if (xdg && xdg[0] == '/')
    snprintf(folder, size, "%s/ali3", xdg);
  else if (home && home[0] == '/')
    snprintf(folder, size, "%s/.local/state/ali3", home);
  else
    return false;
  return true;
}

bool state_file_path(const char *folder, const char *instance, char *path, size_t size, char *error,
                     size_t error_size)
{
  char chosen[PATH];
  path[0] = '\0';
  if (!choose_folder(folder, chosen, sizeof chosen)) {
    snprintf(error, error_size,
             "no folder for the state file: STATE_DIRECTORY, XDG_STATE_HOME and HOME are not set");
    return false;
  }
  if (snprintf(path, size, "%s/%s.state", chosen, instance) >= (int)size) {
    snprintf(error, error_size, "%.80s...: path of the state file is too long", chosen);
    return false;
  }
  if (make_folder(chosen)) return true;
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
  char *text = o ? json_dumps(o, JSON_INDENT(2)) : NULL;
  json_decref(o);
  return text;
}

/* Writes and syncs. Returns 0 or an errno. */
static int write_through(const char *path, const char *text)
{
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
  if (fd < 0) return errno;
  const size_t size = strlen(text);
  errno = ENOSPC; /* a short write does not set errno */
  const bool written = write(fd, text, size) == (ssize_t)size && write(fd, "\n", 1) == 1 && fsync(fd) == 0;
  const int status = written ? 0 : errno;
  close(fd);
  return status;
}

/* The new name must survive a power cut, too. A file system that cannot sync a folder is accepted. */
static void sync_folder(const char *path)
{
  char folder[PATH];
  snprintf(folder, sizeof folder, "%s", path);
  char *slash = strrchr(folder, '/');
  if (!slash) return;
  *slash = '\0';
  const int fd = open(folder[0] ? folder : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  (void)fsync(fd);
  close(fd);
}

int state_file_write(const char *path, const char *instance, const struct state_record *r)
{
  char fresh[PATH + 8];
  if (snprintf(fresh, sizeof fresh, "%s.new", path) >= (int)sizeof fresh) return ENAMETOOLONG;
  char *text = record_json(instance, r);
  if (!text) return ENOMEM;
  int status = write_through(fresh, text);
  free(text);
  if (status == 0 && rename(fresh, path) != 0) status = errno;
  if (status != 0)
    unlink(fresh);
  else
    sync_folder(path);
  return status;
}
