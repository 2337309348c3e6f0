/* SPDX-License-Identifier: MIT
 * How ali3d ends. */
#ifndef DAEMON_EXIT_STATUS_H
#define DAEMON_EXIT_STATUS_H

/* Exit status of the program, a public interface, see --help. */
enum {
  STATUS_OK = 0,
  STATUS_FAILED = 1,       /* failed at run time: a port in use, the model in FAULT at the end */
  STATUS_USAGE = 2,        /* mistake in the command line or the file */
  STATUS_NOT_REALTIME = 3, /* real time was refused, under --require-realtime */
};

#endif
