/* SPDX-License-Identifier: MIT
 * What one request has and gets, beside libmicrohttpd. */
#ifndef ALI3_VIEW_SERVER_PARTS_H
#define ALI3_VIEW_SERVER_PARTS_H

#include "query.h"
#include "server.h"
#include "stream.h"

#include <microhttpd.h>

struct exchange {
  struct MHD_Connection *connection;
  const char *path;
  bool post;
  uint64_t began_ns; /* time of its head */
  struct query query;
  unsigned refused; /* HTTP status at the head of the request; 0: it may go on */
  unsigned
      tokenless; /* HTTP status of every command but the e-stop, because the token is wrong or absent; 0: it is right */
  char why[200];
  char body[VIEW_BODY + 1];
  size_t body_size;
  /* A command that waits for its answer. */
  bool waits, answered;
  struct control_wait wait;
  int result;
  /* A mesh that is being read; NULL: none. */
  struct mesh_job *mesh;
};

/* An answer; `text` is freed once it is sent, unless it is lent, and then *sent counts one less. */
struct view_answer {
  unsigned status;
  const char *type;
  char *text;
  size_t size;
  bool lent; /* the text lives as long as the program */
  int *sent; /* NULL: nobody counts */
};

/* pages.c: the pages that are made at once. text NULL: out of memory. */
void pages_answer(struct view *v, const struct exchange *x, struct view_answer *a);
/* Begins to read a mesh: x->mesh is set, or the answer says why not. Answers with a mesh that was read. */
void pages_ask_mesh(struct view *v, struct exchange *x, struct view_answer *a);
void pages_answer_mesh(struct view *v, struct exchange *x, struct view_answer *a);
/* A short answer of JSON: {"error": TEXT}. */
void pages_refuse(struct view_answer *a, unsigned status, const char *why);

/* posts.c: judges the head of a POST; carries out a whole one. A command that waits leaves a->status 0. */
void posts_judge(struct view *v, struct exchange *x, uint64_t now_ns);
void posts_answer(struct view *v, struct exchange *x, uint64_t now_ns, struct view_answer *a);
/* The answer of a command that came, or did not. */
void posts_result(const struct exchange *x, struct view_answer *a);

#endif
