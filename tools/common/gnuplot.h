/* SPDX-License-Identifier: MIT
 * Pictures by gnuplot, as PNG. */
#ifndef ALI3_COMMON_GNUPLOT_H
#define ALI3_COMMON_GNUPLOT_H

#include <stdbool.h>
#include <stdio.h>

/* Starts gnuplot, which draws what is written to the stream into this file. option: the option that names the file. terminal:
 * size and words of the terminal pngcairo, as in "900,700 noenhanced". SIGPIPE is ignored from here on, because gnuplot may end
 * before it has read everything. Returns NULL after a message. */
FILE *gnuplot_start(const char *option, const char *file, const char *terminal);

/* Waits for the picture. Returns false after a message. */
bool gnuplot_end(FILE *out, const char *option, const char *file);

/* Writes a string of gnuplot in single quotes, which know no escape but two quotes for one. */
void gnuplot_quote(FILE *out, const char *text);

#endif
