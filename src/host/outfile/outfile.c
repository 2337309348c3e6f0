/* SPDX-License-Identifier: MIT */
#include "outfile/outfile.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool say_refused(const char *what, const char *file, const char *reason, const char *remedy)
{
  fprintf(stderr, "%s: %s: %s: %s; %s\n", program_invocation_short_name, what, file, reason, remedy);
  return false;
}

/* The folder of a file, as the file names it. */
static void parent_of_outfile(const char *file, char folder[PATH_MAX])
{
  const char *slash = strrchr(file, '/');
  const int length = slash ? (int)(slash - file) : 0;
  if (length > 0)
    snprintf(folder, PATH_MAX, "%.*s", length, file);
  else
    snprintf(folder, PATH_MAX, "%s", slash ? "/" : ".");
}

static bool check_folder_of(const char *what, const char *file)
{
  char folder[PATH_MAX], reason[PATH_MAX + 80];
  struct stat st;
  parent_of_outfile(file, folder);
  if (stat(folder, &st) != 0 && errno == ENOENT) {
    snprintf(reason, sizeof reason, "the folder %s does not exist", folder);
    return say_refused(what, file, reason, "make it, or name another file");
  }
  if (stat(folder, &st) != 0 || access(folder, W_OK | X_OK) != 0) {
    snprintf(reason, sizeof reason, "folder %s: %s", folder, strerror(errno));
    return say_refused(what, file, reason, "name a file in a folder that you may write to");
  }
  if (S_ISDIR(st.st_mode)) return true;
  snprintf(reason, sizeof reason, "%s is a file, not a folder", folder);
  return say_refused(what, file, reason, "name another file");
}

bool outfile_check(const char *what, const char *file)
{
  struct stat st;
  if (!file || strcmp(file, "-") == 0) return true;
  if (!*file) return say_refused(what, "\"\"", "the name is empty", "name a file");
  if (stat(file, &st) != 0)
    return errno == ENOENT ? check_folder_of(what, file) : outfile_refuse(what, file, errno);
  if (S_ISDIR(st.st_mode)) return say_refused(what, file, "it is a folder", "name a file in it");
  return access(file, W_OK) == 0 || outfile_refuse(what, file, errno);
}

bool outfile_check_folder(const char *what, const char *folder)
{
  struct stat st;
  if (stat(folder, &st) != 0)
    return say_refused(what, folder, strerror(errno),
                       errno == ENOENT ? "make it, or name another folder" : "name another folder");
  if (!S_ISDIR(st.st_mode)) return say_refused(what, folder, "it is a file", "name a folder");
  return access(folder, W_OK | X_OK) == 0 ||
         say_refused(what, folder, strerror(errno), "name a folder that you may write to");
}

bool outfile_check_made_folder(const char *what, const char *folder)
{
  char there[PATH_MAX], above[PATH_MAX], reason[PATH_MAX + 80];
  struct stat st;
  if (!folder) return true;
  if (snprintf(there, sizeof there, "%s", folder) >= (int)sizeof there)
    return say_refused(what, folder, strerror(ENAMETOOLONG), "name another folder");
  /* Find the first folder that is there, from the named one upwards. */
  while (stat(there, &st) != 0 && errno == ENOENT) {
    for (size_t n = strlen(there); n > 1 && there[n - 1] == '/'; n--) there[n - 1] = '\0';
    parent_of_outfile(there, above);
    memcpy(there, above, sizeof there);
  }
  if (strcmp(there, folder) == 0) return outfile_check_folder(what, folder);
  /* Judge it as the place of the folders that are to be made. */
  if (stat(there, &st) == 0 && S_ISDIR(st.st_mode) && access(there, W_OK | X_OK) == 0) return true;
  if (stat(there, &st) == 0 && !S_ISDIR(st.st_mode)) errno = ENOTDIR;
  snprintf(reason, sizeof reason, "cannot be made: %s: %s", there, strerror(errno));
  return say_refused(what, folder, reason, "name a folder that you may write to");
}

bool outfile_refuse(const char *what, const char *file, int error)
{
  const char *remedy = error == ENOSPC || error == EDQUOT || error == EFBIG
                           ? "make room, or name a file on another disk"
                           : "name another file";
  return say_refused(what, file, error ? strerror(error) : "it could not be written", remedy);
}

FILE *outfile_open(const char *what, const char *file)
{
  if (!outfile_check(what, file)) return NULL;
  FILE *out = fopen(file, "we");
  if (!out) outfile_refuse(what, file, errno);
  return out;
}

FILE *outfile_open_or_standard(const char *what, const char *file)
{
  return strcmp(file, "-") == 0 ? stdout : outfile_open(what, file);
}

bool outfile_close(FILE *out, const char *what, const char *file)
{
  errno = 0;
  bool good = fflush(out) == 0 && !ferror(out);
  const int error = errno;
  if (out != stdout && fclose(out) != 0) good = false;
  return good || outfile_refuse(what, file, error ? error : errno);
}
