/* SPDX-License-Identifier: MIT */
#include "asked_host.h"

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
