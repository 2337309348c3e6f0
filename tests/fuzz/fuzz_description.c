/* SPDX-License-Identifier: MIT
 * libFuzzer: any text as the description of OSC addresses that another process put beside its telemetry: the first line is a query
 * of OSCQuery, the rest is the description. ali3-exporter answers from it, and ali3-view looks for the port and the prefix of the
 * daemon in it. The socket of ali3-view is closed, so nothing is sent. */
#include "control.h"
#include "oscquery.h"
#include "shared_files.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { PATH = 200 };

static void query(const char *path, const char *attribute)
{
  struct page page;
  oscquery_page(&(struct request){.method = "GET", .path = path, .attribute = attribute}, shared_instance,
                &page);
  shared_need(page.status == 200 || page.status == 204 || page.status == 404);
  free(page.text);
}

static void command(const char *body)
{
  struct control c = {.socket = {-1, -1}};
  struct control_wait wait;
  const char *why = NULL;
  json_t *o = json_loads(body, 0, NULL);
  shared_need(o && control_command(&c, shared_instance, o, 1, &wait, &why) != 202);
  shared_need(control_input(&c, shared_instance, o, 1, &why) != 200);
  json_decref(o);
  control_close(&c); /* it keeps the description that it has read */
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  static struct telemetry block;
  static int fd = -1;
  char path[PATH] = "/";
  if (fd < 0) {
    shared_make_block(&block);
    fd = shared_make(OBJECT_DESCRIPTION, "", 0);
  }
  const uint8_t *feed = n ? memchr(bytes, '\n', n) : NULL;
  if (!feed) return 0;
  const size_t length = (size_t)(feed - bytes);
  snprintf(path + 1, sizeof path - 1, "%.*s", (int)length, (const char *)bytes);
  char *attribute = strchr(path, '?');
  if (attribute) *attribute++ = '\0';
  const size_t rest = n - length - 1;
  shared_need(pwrite(fd, feed + 1, rest, 0) == (ssize_t)rest && ftruncate(fd, (off_t)rest) == 0);
  query(path, attribute);
  query("/", "HOST_INFO");
  command("{\"command\": \"arm\"}");
  command("{\"name\": \"push\", \"values\": [1, 2, 3]}");
  return 0;
}
