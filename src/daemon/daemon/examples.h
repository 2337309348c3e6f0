/* SPDX-License-Identifier: MIT
 * --new: files to begin with. */
#ifndef DAEMON_EXAMPLES_H
#define DAEMON_EXAMPLES_H

/* Prints the example of a kind to standard output. Returns an exit status; an unknown kind is reported. */
int example_print(const char *kind);

#endif
