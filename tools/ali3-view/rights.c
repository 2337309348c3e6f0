/* SPDX-License-Identifier: MIT */
#include "rights.h"

#include "rt/clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

enum { TOKEN_LEAST = 16 };

bool rights_make_token(struct rights *r)
{
  unsigned char bits[RIGHTS_RANDOM];
  if (getrandom(bits, sizeof bits, 0) != (ssize_t)sizeof bits) return false;
  for (size_t i = 0; i < sizeof bits; i++) snprintf(r->token + 2 * i, 3, "%02x", bits[i]);
  return true;
}

bool rights_read_token(struct rights *r, const char *path, char *error, size_t size)
{
  char line[RIGHTS_TOKEN + 2] = "";
  FILE *f = fopen(path, "re");
  if (!f) {
    snprintf(error, size, "%s: %s", path, strerror(errno));
    return false;
  }
  const bool got = fgets(line, sizeof line, f) != NULL;
  fclose(f);
  line[strcspn(line, "\r\n")] = '\0';
  const size_t n = strlen(line);
  if (!got || n < TOKEN_LEAST || n >= RIGHTS_TOKEN || strpbrk(line, " \t")) {
    snprintf(error, size, "%s: expected a token of %d to %d characters without blanks in the first line",
             path, TOKEN_LEAST, RIGHTS_TOKEN - 1);
    return false;
  }
  memcpy(r->token, line, n + 1);
  return true;
}

/* Takes as long for a wrong token as for the right one. */
static bool token_is_right(const struct rights *r, const char *authorization)
{
  static const char scheme[] = "Bearer ";
  char given[RIGHTS_TOKEN] = "";
  if (!authorization || strncasecmp(authorization, scheme, strlen(scheme)) != 0) return false;
  const char *text = authorization + strlen(scheme);
  if (snprintf(given, sizeof given, "%s", text) >= (int)sizeof given) return false;
  unsigned char differs = 0;
  for (size_t i = 0; i < sizeof given; i++) {
    const unsigned char mine = i <= strlen(r->token) ? (unsigned char)r->token[i] : 0;
    differs |= (unsigned char)(mine ^ (unsigned char)given[i]);
  }
  return differs == 0;
}

static bool too_many_wrong(const struct rights *r, uint64_t now_ns)
{
  const uint64_t oldest = r->wrong_ns[r->wrong % RIGHTS_WRONG];
  return oldest != 0 && now_ns < oldest + (uint64_t)RIGHTS_WRONG_S * NS_PER_S;
}

/* "http://NAME:PORT" of a name of ours. A page without an origin, such as one of a file, sends "null". */
static bool origin_is_ours(const struct rights_request *q)
{
  static const char *const schemes[] = {"http://", "https://"};
  if (!q->origin) return true;
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
    if (strncasecmp(q->origin, schemes[i], strlen(schemes[i])) == 0)
      return host_is_ours(q->origin + strlen(schemes[i]), q->accepted_at, q->hosts);
  return false;
}

unsigned rights_judge(struct rights *r, const struct rights_request *q, const char **why)
{
  static const char json[] = "application/json";
  *why = "the page that asks has another origin";
  if (!origin_is_ours(q)) return 403;
  *why = "expected Content-Type: application/json";
  const size_t n = strlen(json);
  if (!q->content_type || strncasecmp(q->content_type, json, n) != 0 ||
      (q->content_type[n] != '\0' && q->content_type[n] != ';' && q->content_type[n] != ' '))
    return 415;
  /* Without a token nobody has rights. */
  *why = "commands are off: start ali3-view with --control";
  if (!*r->token) return 405;
  /* Compare first: wrong tokens of others never keep out who has the right one. */
  *why = "expected Authorization: Bearer TOKEN, with the token that ali3-view printed at its start";
  if (!q->authorization) return 401;
  if (token_is_right(r, q->authorization)) return 200;
  if (too_many_wrong(r, q->now_ns)) {
    *why = "too many wrong tokens: wait ten seconds";
    return 429;
  }
  r->wrong_ns[r->wrong++ % RIGHTS_WRONG] = q->now_ns;
  return 401;
}
