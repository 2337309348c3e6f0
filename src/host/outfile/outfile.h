/* SPDX-License-Identifier: MIT
 * Files that a person names for output. A program checks each of them before it works, so that nothing is computed and printed in
 * vain, and a message says which option, which file, why, and what to do. Set-up only: everything here calls the system. */
#ifndef OUTFILE_OUTFILE_H
#define OUTFILE_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

/* Prints "PROGRAM: WHAT: FILE: reason; what to do" unless the file can be made or overwritten. It creates nothing. what: the
 * option or the argument, as in "--png". file NULL: not asked for; "-": standard output; both are good. Returns false after the
 * message. */
bool outfile_check(const char *what, const char *file);

/* Same for a folder in which files are made: it must exist. */
bool outfile_check_folder(const char *what, const char *folder);

/* Same for a folder that the program makes, with all folders above it: the folder, or the first one above it that is
 * there, must take files. NULL: not asked for; good. */
bool outfile_check_made_folder(const char *what, const char *folder);

/* Prints the message for a file that could not be opened or written. error: an errno; 0: unknown. Returns false. */
bool outfile_refuse(const char *what, const char *file, int error);

/* Opens the file for writing. Returns NULL after the message. */
FILE *outfile_open(const char *what, const char *file);

/* Same, where "-" stands for standard output. */
FILE *outfile_open_or_standard(const char *what, const char *file);

/* Ends what outfile_open() began; standard output stays open. Returns false after the message if anything was not written. */
bool outfile_close(FILE *out, const char *what, const char *file);

#endif
