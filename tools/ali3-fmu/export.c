/* SPDX-License-Identifier: MIT
 * ali3-fmu export: the files of an FMU. */
#include "config/setup.h"
#include "fmu_tool.h"

#include <ali3/flat.h>
#include <ali3/model.h>
#include <ali3/stepper.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folders of this machine's object, below binaries/. */
#if defined(__x86_64__)
static const char *const own_platform[] = {[2] = "linux64", [3] = "x86_64-linux"};
#elif defined(__aarch64__)
static const char *const own_platform[] = {[2] = "aarch64-linux", [3] = "aarch64-linux"};
#else
#error "the standards have no name for binaries of this machine"
#endif

/* The name of the file without folder and ending, as an identifier of C. */
static void make_identifier(const char *fmu, char *identifier, size_t size)
{
  const char *slash = strrchr(fmu, '/'), *name = slash ? slash + 1 : fmu;
  const char *dot = strrchr(name, '.');
  const size_t length = dot ? (size_t)(dot - name) : strlen(name);
  size_t used = 0;
  if (isdigit((unsigned char)name[0])) identifier[used++] = '_';
  for (size_t i = 0; i < length && used + 1 < size; i++)
    identifier[used++] = isalnum((unsigned char)name[i]) ? name[i] : '_';
  identifier[used] = '\0';
}

/* --- parts --- */

static bool add_model(struct archive *a, const ali3_model *m, const char *table, size_t table_size,
                      char token[FMU_TOKEN])
{
  const size_t size = ali3_model_flat_size(m);
  char *bytes = malloc(size);
  if (!bytes || ali3_model_flat_write(m, bytes, size) != ALI3_OK ||
      !fmu_token(bytes, size, table, table_size, token)) {
    free(bytes);
    return fmu_complain("out of memory");
  }
  return archive_add(a, "resources/model.ali3", bytes, size);
}

/* The path of a file or folder that was built with this program: ../lib/ali3/NAME from the folder of the program. */
static bool own_path(const char *name, char path[PATH_MAX])
{
  char program[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
  program[n > 0 ? n : 0] = '\0';
  for (int up = 0; up < 2; up++) {
    char *slash = strrchr(program, '/');
    if (slash) *slash = '\0';
  }
  return snprintf(path, PATH_MAX, "%s/lib/ali3/%s", program, name) < PATH_MAX ||
         fmu_complain("%s: the path is too long", program);
}

static bool add_own_object(struct archive *a, const struct description_head *h)
{
  char path[PATH_MAX], name[400];
  snprintf(name, sizeof name, "binaries/%s/%s.so", own_platform[h->version], h->identifier);
  size_t size;
  char *bytes = own_path("fmu.so", path) ? file_read(path, &size) : NULL;
  return bytes && archive_add(a, name, bytes, size);
}

static int is_no_dot(const struct dirent *e)
{
  return e->d_name[0] != '.';
}

/* Adds the sources, and keeps the names that a compiler takes. */
static bool add_sources(struct archive *a, struct description_head *h)
{
  char folder[PATH_MAX], path[PATH_MAX], name[NAME_MAX + 16];
  struct dirent **entry = NULL;
  const int n = own_path("fmu-sources", folder) ? scandir(folder, &entry, is_no_dot, alphasort) : -1;
  bool good = n > 0;
  h->source = good ? calloc((size_t)n, sizeof *h->source) : NULL;
  if (!good) fmu_complain("cannot read %s: %s", folder, n < 0 ? strerror(errno) : "it is empty");
  /* Every file of the folder; a compiler takes those that end with .c, and includes the others. */
  for (int i = 0; i < n; i++) {
    const char *file = entry[i]->d_name, *dot = strrchr(file, '.');
    size_t size = 0;
    snprintf(name, sizeof name, "sources/%s", file);
    good = good && h->source && snprintf(path, sizeof path, "%s/%s", folder, file) < (int)sizeof path;
    char *bytes = good ? file_read(path, &size) : NULL;
    good = good && bytes && archive_add(a, name, bytes, size);
    if (good && dot && strcmp(dot, ".c") == 0)
      good = (h->source[h->sources] = strdup(file)) != NULL && ++h->sources;
    free(entry[i]);
  }
  free(entry);
  if (!good || h->version == 2) return good;
  size_t size;
  char *text = build_description_write(h, &size);
  return text && archive_add(a, "sources/buildDescription.xml", text, size);
}

/* The object in a folder that has the name of its platform. */
static bool add_other_object(struct archive *a, const char *folder, const struct description_head *h)
{
  char path[PATH_MAX], name[800], real[PATH_MAX];
  if (!realpath(folder, real)) return fmu_complain("--platform-binary: no folder %s", folder);
  const char *platform = strrchr(real, '/') + 1;
  if ((size_t)snprintf(path, sizeof path, "%s/fmu.so", real) >= sizeof path)
    return fmu_complain("--platform-binary: the path %s is too long", folder);
  snprintf(name, sizeof name, "binaries/%s/%s.so", platform, h->identifier);
  if (strcmp(platform, own_platform[h->version]) == 0)
    return fmu_complain("--platform-binary: %s is the platform of this machine, whose object is there",
                        platform);
  size_t size;
  char *bytes = file_read(path, &size);
  return bytes && archive_add(a, name, bytes, size);
}

/* The configuration without its short forms: one file, whatever files it named. */
static bool add_configuration(struct archive *a, const struct export_options *o)
{
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  bool good = out && setup_expand(o->file, &o->over, out, stderr);
  if (out) good = fclose(out) == 0 && good;
  if (good) return archive_add(a, "extra/org.ali3/config.yaml", text, size);
  free(text);
  return fmu_complain("%s: cannot write the configuration", o->file);
}

/* --- all --- */

static bool add_files(struct archive *a, const struct export_options *o, const struct settings *s,
                      const struct exports *p)
{
  char identifier[200], token[FMU_TOKEN];
  size_t size, table_size;
  make_identifier(o->fmu, identifier, sizeof identifier);
  char *table = fmu_table_write(&p->table, &table_size);
  if (!table) return fmu_complain("out of memory");
  struct description_head h = {.version = o->version,
                               .name = ali3_model_name(s->model),
                               .identifier = identifier,
                               .token = token,
                               .period = s->options.dt,
                               .stop = s->duration > 0.0 ? s->duration : 10.0};
  /* The token needs both resources; the archive takes the table over. */
  bool good = add_model(a, s->model, table, table_size, token);
  if (good)
    good = archive_add(a, "resources/variables", table, table_size);
  else
    free(table);
  good = good && (!o->sources || add_sources(a, &h));
  char *description = good ? description_write(&h, p, &size) : NULL;
  good = good && archive_add(a, "modelDescription.xml", description, size);
  char *page = good ? page_write(&h, p, s, &size) : NULL;
  good = good && archive_add(a, "documentation/index.html", page, size);
  good = good && add_own_object(a, &h) && add_configuration(a, o);
  for (int i = 0; good && i < o->binary.count; i++) good = add_other_object(a, o->binary.text[i], &h);
  for (int i = 0; i < h.sources; i++) free(h.source[i]);
  free(h.source);
  return good;
}

static void note_what_stays(const struct export_options *o, const struct settings *s)
{
  if (s->platform.enabled)
    fprintf(stderr, "ali3-fmu: note: the motion platform of %s is not part of the FMU\n", o->file);
}

static bool write_fmu(const struct export_options *o, const struct settings *s, const ali3_data *d)
{
  struct exports p;
  bool good = exports_choose(&p, o, s, d);
  struct archive *a = good ? archive_create(o->fmu) : NULL;
  if (a) {
    good = add_files(a, o, s, &p);
    good = archive_close(a, good);
  }
  if (a && good)
    printf("%s: FMI %d.0, %d variables, period %g s, isa %s\n", o->fmu, o->version, p.table.count,
           s->options.dt, s->options.isa[0] ? s->options.isa : "auto");
  exports_free(&p);
  return a && good;
}

int export_fmu(const struct export_options *o)
{
  char why[400];
  struct settings *s = setup_load(o->file, &o->over, stderr);
  if (!s) return EXIT_USAGE;
  ali3_data *d = ali3_data_new(s->model);
  bool good = d || fmu_complain("out of memory");
  if (good && setup_start(s, s->model, d, why, sizeof why) < 0)
    good = fmu_complain("%s: the mechanism has no initial state: %s", o->file, why);
  if (good) note_what_stays(o, s);
  good = good && write_fmu(o, s, d);
  ali3_data_free(d);
  settings_free(s);
  return good ? EXIT_GOOD : EXIT_RUN;
}
