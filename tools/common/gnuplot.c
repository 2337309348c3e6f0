/* SPDX-License-Identifier: MIT */
#include "common/gnuplot.h"

#include "outfile/outfile.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

void gnuplot_quote(FILE *out, const char *text)
{
  fputc('\'', out);
  for (; *text; text++) {
    if (*text == '\'') fputc('\'', out);
    fputc(*text, out);
  }
  fputc('\'', out);
}

FILE *gnuplot_start(const char *option, const char *file, const char *terminal)
{
  /* gnuplot would draw to standard output if it cannot write the file. */
  if (!outfile_check(option, file)) return NULL;
  FILE *picture = fopen(file, "we");
  if (!picture) return outfile_refuse(option, file, errno), NULL;
  fclose(picture);
  signal(SIGPIPE, SIG_IGN);
  FILE *out = popen("gnuplot", "w"); /* NOLINT(cert-env33-c): a constant word */
  if (!out) {
    fprintf(stderr, "%s: %s: gnuplot: %s\n", program_invocation_short_name, option, strerror(errno));
    return NULL;
  }
  fprintf(out, "set terminal pngcairo size %s\nset output ", terminal);
  gnuplot_quote(out, file);
  fputc('\n', out);
  return out;
}

bool gnuplot_end(FILE *out, const char *option, const char *file)
{
  if (pclose(out) == 0) return true;
  fprintf(stderr, "%s: %s: gnuplot could not draw %s; the Debian package gnuplot-nox has gnuplot\n",
          program_invocation_short_name, option, file);
  return false;
}
