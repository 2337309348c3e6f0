/* SPDX-License-Identifier: MIT
 * The functions of libc that read numbers have other versions of their symbols in later systems. The object of an FMU must load
 * in earlier systems, so this file reads digits itself. */
#include "fmi/table.h"

#include "base/sha256.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define WORD_OF(id, text) [id] = (text),
static const char *const kind_words[] = {FMU_KIND_LIST(WORD_OF)};
static const char *const owner_words[] = {FMU_OWNER_LIST(WORD_OF)};
#undef WORD_OF

enum { VARIABLES_MAX = 10000000 };

/* --- a table in memory --- */

bool fmu_table_add(struct fmu_table *t, const struct fmu_variable *v)
{
  if ((t->count & (t->count + 1)) == 0) { /* the room doubles at 0, 1, 3, 7, .. */
    struct fmu_variable *grown = realloc(t->variable, ((size_t)t->count * 2 + 1) * sizeof *grown);
    if (!grown) return false;
    t->variable = grown;
  }
  struct fmu_variable *to = &t->variable[t->count];
  *to = *v;
  to->name = strdup(v->name);
  if (!to->name) return false;
  t->count++;
  return true;
}

void fmu_table_free(struct fmu_table *t)
{
  for (int i = 0; i < t->count; i++) free(t->variable[i].name);
  free(t->variable);
  *t = (struct fmu_table){0};
}

/* --- writing --- */

static uint64_t double_bits(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

char *fmu_table_write(const struct fmu_table *t, size_t *size)
{
  char *text = NULL;
  FILE *out = open_memstream(&text, size);
  if (!out) return NULL;
  fprintf(out, "ali3-fmu %d\nstart %s\nvariables %d\n", FMU_TABLE_VERSION, t->rest ? "rest" : "given",
          t->count);
  for (int i = 0; i < t->count; i++) {
    const struct fmu_variable *v = &t->variable[i];
    fprintf(out, "%s %d %d %d %s %s %u", kind_words[v->kind], v->element, v->number, v->mirror,
            owner_words[v->owner], v->field[0] ? v->field : "-", v->flags);
    fprintf(out, " %016" PRIx64 " %016" PRIx64 " %016" PRIx64 " %016" PRIx64 " %s\n", double_bits(v->lower),
            double_bits(v->upper), double_bits(v->rate), double_bits(v->start), v->name);
  }
  if (fclose(out) == 0) return text;
  free(text);
  return NULL;
}

/* --- reading --- */

/* The words of a line. */
struct word_reader {
  const char *at, *end;
};

/* The next word, which a blank or the end of the line follows. NULL: there is none. */
static const char *next_word(struct word_reader *r, size_t *length)
{
  const char *word = r->at;
  if (r->at == r->end) return NULL;
  while (r->at < r->end && *r->at != ' ') r->at++;
  *length = (size_t)(r->at - word);
  if (r->at < r->end) r->at++;
  return *length ? word : NULL;
}

static bool read_choice_word(struct word_reader *r, const char *const *words, int count, int *choice)
{
  size_t n;
  const char *word = next_word(r, &n);
  if (!word) return false;
  for (int i = 0; i < count; i++)
    if (strlen(words[i]) == n && memcmp(words[i], word, n) == 0) {
      *choice = i;
      return true;
    }
  return false;
}

static bool read_whole_word(struct word_reader *r, int *number)
{
  size_t n;
  const char *word = next_word(r, &n);
  const bool negative = word && word[0] == '-';
  int64_t sum = 0;
  if (!word || n == (size_t)negative || n > 10) return false;
  for (size_t i = negative; i < n; i++) {
    if (word[i] < '0' || word[i] > '9') return false;
    sum = 10 * sum + (word[i] - '0');
  }
  *number = (int)(negative ? -sum : sum);
  return sum <= INT32_MAX;
}

static bool read_bits_word(struct word_reader *r, double *x)
{
  size_t n;
  uint64_t bits = 0;
  const char *word = next_word(r, &n);
  if (!word || n != 16) return false;
  for (size_t i = 0; i < n; i++) {
    const char c = word[i];
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
    bits = bits << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  memcpy(x, &bits, sizeof *x);
  return true;
}

static bool read_field_word(struct word_reader *r, char field[FMU_FIELD])
{
  size_t n;
  const char *word = next_word(r, &n);
  if (!word || n >= FMU_FIELD) return false;
  if (n == 1 && word[0] == '-') n = 0;
  memcpy(field, word, n);
  field[n] = '\0';
  return true;
}

static bool read_variable(struct word_reader *r, struct fmu_table *t)
{
  struct fmu_variable v = {0};
  int kind, owner, flags;
  if (!read_choice_word(r, kind_words, FMU_KINDS, &kind) || !read_whole_word(r, &v.element) ||
      !read_whole_word(r, &v.number) || !read_whole_word(r, &v.mirror) ||
      !read_choice_word(r, owner_words, FMU_OWNERS, &owner) || !read_field_word(r, v.field) ||
      !read_whole_word(r, &flags) || !read_bits_word(r, &v.lower) || !read_bits_word(r, &v.upper) ||
      !read_bits_word(r, &v.rate) || !read_bits_word(r, &v.start) || r->at == r->end)
    return false;
  v.kind = (enum fmu_kind)kind;
  v.owner = (enum fmu_owner)owner;
  v.flags = (unsigned)flags;
  v.name = strndup(r->at, (size_t)(r->end - r->at));
  const bool added = v.name && fmu_table_add(t, &v);
  free(v.name);
  return added;
}

/* The next line without its end; false at the end of the text. */
static bool next_table_line(const char **at, const char *end, struct word_reader *line)
{
  const char *stop = *at < end ? memchr(*at, '\n', (size_t)(end - *at)) : NULL;
  if (!stop) return false;
  *line = (struct word_reader){*at, stop};
  *at = stop + 1;
  return true;
}

static bool read_table_head(const char **at, const char *end, struct fmu_table *t, int *count)
{
  static const char *const magic[] = {"ali3-fmu"}, *const starts[] = {"given", "rest"},
                           *const start[] = {"start"}, *const variables[] = {"variables"};
  struct word_reader line;
  int version, rest, word;
  const bool good = next_table_line(at, end, &line) && read_choice_word(&line, magic, 1, &word) &&
                    read_whole_word(&line, &version) && version == FMU_TABLE_VERSION &&
                    next_table_line(at, end, &line) && read_choice_word(&line, start, 1, &word) &&
                    read_choice_word(&line, starts, 2, &rest) && next_table_line(at, end, &line) &&
                    read_choice_word(&line, variables, 1, &word) && read_whole_word(&line, count);
  t->rest = good && rest;
  return good && *count > 0 && *count <= VARIABLES_MAX;
}

bool fmu_table_read(struct fmu_table *t, const char *text, size_t size, char *why, size_t why_size)
{
  const char *at = text, *end = text + size;
  struct word_reader line;
  int count;
  *t = (struct fmu_table){0};
  if (!read_table_head(&at, end, t, &count)) {
    snprintf(why, why_size, "resources/variables: expected the head of a table of version %d",
             FMU_TABLE_VERSION);
    return false;
  }
  /* One line for each value reference, and nothing behind them. */
  for (int i = 0; i < count; i++) {
    const bool good = next_table_line(&at, end, &line) && read_variable(&line, t) &&
                      (t->variable[i].kind == FMU_TIME) == (i == 0);
    if (good) continue;
    snprintf(why, why_size, "resources/variables:%d: expected the line of value reference %d", i + 4, i);
    return false;
  }
  if (at == end) return true;
  snprintf(why, why_size, "resources/variables: expected %d variables, found more", count);
  return false;
}

/* --- the token --- */

bool fmu_token(const void *model, size_t model_size, const void *table, size_t table_size,
               char token[FMU_TOKEN])
{
  unsigned char parts[2 * SHA256_SIZE], h[SHA256_SIZE];
  sha256_digest(model, model_size, parts);
  sha256_digest(table, table_size, parts + SHA256_SIZE);
  sha256_digest(parts, sizeof parts, h);
  const int n = snprintf(
      token, FMU_TOKEN, "{%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x}", h[0], h[1],
      h[2], h[3], h[4], h[5], h[6], h[7], h[8], h[9], h[10], h[11], h[12], h[13], h[14], h[15]);
  return n > 0 && n < FMU_TOKEN;
}
