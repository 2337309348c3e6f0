/* SPDX-License-Identifier: MIT
 * libFuzzer: any changes of a telemetry block that another user wrote. A program that watches gets a copy in which every text ends and
 * every count fits, and a JSON text of it. */
#include "edits.h"
#include "shared_files.h"
#include "telemetry/json.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void judge(const struct telemetry *t)
{
  char text[DEVICE_TEXT];
  const struct stray_view *shown[TELEMETRY_STRAYS];
  shared_need(strcmp(t->instance, shared_instance) == 0);
  shared_need(t->inputs <= TELEMETRY_INPUTS && t->devices <= DEVICES_MAX);
  for (uint32_t i = 0; i < t->inputs; i++) {
    shared_need(memchr(t->input[i].name, '\0', sizeof t->input[i].name) != NULL);
    shared_need(t->input[i].channels <= INPUT_WRENCH_CHANNELS);
  }
  for (uint64_t i = 0; i < t->devices; i++) device_told(&t->device[i], text);
  for (int i = 0, strays = stray_views(t, shown); i < strays; i++) {
    char line[400];
    stray_text(shown[i], line, sizeof line);
    shared_need(strlen(line) < sizeof line);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  static struct telemetry good, copy;
  static struct watch w;
  static int fd = -1;
  if (fd < 0) {
    good.inputs = 2;
    good.devices = 1;
    good.live.cycle = 7;
    good.live.t_ns = 2;
    fd = shared_make_block(&good);
    w.wanted = shared_instance;
  }
  /* The head stays, or the block is refused at once. */
  const size_t head = offsetof(struct telemetry, instance);
  struct edit e;
  static char changed[sizeof good];
  memcpy(changed, &good, sizeof changed);
  while (edit_next(&bytes, &n, sizeof good - head, &e)) {
    memcpy(changed + head + e.at, e.bytes, e.size);
    shared_need(pwrite(fd, e.bytes, e.size, (off_t)(head + e.at)) == (ssize_t)e.size);
  }
  struct sample s;
  watch_look(&w, &s, &copy);
  shared_need(s.t == &copy);
  judge(&copy);
  json_t *o = telemetry_json(&s);
  char *text = o ? json_dumps(o, TELEMETRY_JSON_FLAGS) : NULL;
  shared_need(text != NULL);
  free(text);
  json_decref(o);
  /* Back to the good block, where they differ. */
  enum { PIECE = 4096 };
  for (size_t at = 0; at < sizeof good; at += PIECE) {
    const size_t size = sizeof good - at < PIECE ? sizeof good - at : PIECE;
    if (memcmp(changed + at, (const char *)&good + at, size) != 0)
      shared_need(pwrite(fd, (const char *)&good + at, size, (off_t)at) == (ssize_t)size);
  }
  return 0;
}
