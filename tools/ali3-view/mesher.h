/* SPDX-License-Identifier: MIT
 * Reads mesh files in a thread of its own, because a large file takes seconds and the thread of the server must answer an e-stop
 * at once. The functions are for the thread of the server, which releases every job that it asked for. */
#ifndef ALI3_VIEW_MESHER_H
#define ALI3_VIEW_MESHER_H

#include <stdbool.h>
#include <stddef.h>

enum { VIEW_MESHES = 2 }; /* files that are read or wait, at most */

struct mesher;

struct mesh_job {
  char *folder, *file;
  unsigned char
      *packed; /* (count) of mesh_pack(); NULL: the reason is in `error`, and the HTTP status in `status` */
  size_t count;
  unsigned status;
  char error[600];
  enum { JOB_FREE, JOB_WAITS, JOB_RUNS, JOB_DONE } phase;
  bool forgotten; /* released while it runs */
};

/* NULL: no thread or memory. */
struct mesher *mesher_start(void);
/* Waits for the file that is being read. */
void mesher_stop(struct mesher *m);
/* A descriptor that is readable after a job was done, until mesher_hear() is called. */
int mesher_event(const struct mesher *m);
void mesher_hear(struct mesher *m);

/* Takes over both texts, from malloc(). NULL: all jobs are in use or a text is NULL; the texts are freed. */
struct mesh_job *mesher_ask(struct mesher *m, char *folder, char *file);
bool mesher_is_done(struct mesher *m, const struct mesh_job *job);
/* Frees what the caller left in a job. */
void mesher_release(struct mesher *m, struct mesh_job *job);

#endif
