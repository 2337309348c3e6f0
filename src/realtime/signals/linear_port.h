/* SPDX-License-Identifier: MIT
 * A signal as an output of a linear system. Set-up. */
#ifndef SIGNALS_LINEAR_PORT_H
#define SIGNALS_LINEAR_PORT_H

#include <ali3/linear.h>

struct signals;

/* signals.c. The number of a body, joint, force or sensor that the signal is, as an output of a linear system. False: it is
 * none, or a flag. */
bool signals_port(const struct signals *s, const ali3_model *m, int signal, ali3_port *port);

#endif
