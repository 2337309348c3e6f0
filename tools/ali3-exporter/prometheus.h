/* SPDX-License-Identifier: MIT
 * A census in the text format of Prometheus, version 0.0.4. */
#ifndef ALI3_EXPORTER_PROMETHEUS_H
#define ALI3_EXPORTER_PROMETHEUS_H

#include "census.h"

#include <stdio.h>

#define PROMETHEUS_TYPE "text/plain; version=0.0.4; charset=utf-8"

void prometheus_write(const struct census *c, FILE *out);
/* The metrics of polled devices. */
void prometheus_devices(const struct census *c, FILE *out);
/* The metrics of motion platforms. */
void prometheus_platforms(const struct census *c, FILE *out);
/* The metrics of their rigs, as far as these report. */
void prometheus_rigs(const struct census *c, FILE *out);

#endif
