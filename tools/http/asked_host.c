/* SPDX-License-Identifier: MIT */
#include "http/asked_host.h"

#include <string.h>
#include <strings.h>

struct host_check {
  const struct hosts *hosts;
  struct sockaddr_storage accepted_at;
  bool foreign;
};

static enum MHD_Result check_header(void *arg, enum MHD_ValueKind kind, const char *key, const char *value)
{
  (void)kind;
  struct host_check *check = arg;
  if (strcasecmp(key, MHD_HTTP_HEADER_HOST) == 0)
    check->foreign |= !value || !host_is_ours(value, (struct sockaddr *)&check->accepted_at, check->hosts);
  return MHD_YES;
}

bool asked_address(struct MHD_Connection *connection, struct sockaddr_storage *at)
{
  socklen_t size = sizeof *at;
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info && getsockname(info->connect_fd, (struct sockaddr *)at, &size) == 0;
}

bool asked_for_another_host(struct MHD_Connection *connection, const struct hosts *hosts)
{
  struct host_check check = {.hosts = hosts};
  if (!asked_address(connection, &check.accepted_at)) return true;
  MHD_get_connection_values(connection, MHD_HEADER_KIND, check_header, &check);
  return check.foreign;
}

bool asked_without_host(struct MHD_Connection *connection, const char *version)
{
  return strcmp(version, MHD_HTTP_VERSION_1_1) == 0 &&
         !MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
}

bool asked_by_another_site(struct MHD_Connection *connection, const char *path)
{
  const char *site = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Site");
  const char *mode = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Mode");
  if (!site || strcasecmp(site, "cross-site") != 0) return false;
  return !mode || strcasecmp(mode, "navigate") != 0 || strncmp(path, "/api/", 5) == 0;
}

static int hex_digit(char c)
{
  static const char DIGITS[] = "0123456789abcdef";
  const char *at = c ? strchr(DIGITS, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
  return at ? (int)(at - DIGITS) : -1;
}

size_t asked_unescape(void *arg, struct MHD_Connection *connection, char *text)
{
  (void)arg, (void)connection;
  char *to = text;
  for (const char *from = text; *from; from++) {
    const int high = *from == '%' ? hex_digit(from[1]) : -1, low = high >= 0 ? hex_digit(from[2]) : -1;
    const bool escaped = low >= 0 && high + low > 0;
    *to++ = escaped ? (char)(16 * high + low) : *from;
    from += escaped ? 2 : 0;
  }
  *to = '\0';
  return (size_t)(to - text);
}
