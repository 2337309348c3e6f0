#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: compare.py A.csv B.csv: prints for each signal of two files of ali3-sim the largest difference, and when it occurs. Rows are
matched by the first column, the time; both files need the same signals."""
import csv
import sys


def read(path):
    with open(path, encoding="utf-8", newline="") as f:
        names, *rows = csv.reader(f)
    return names, {round(float(row[0]), 9): [float(value) for value in row] for row in rows}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    (names, a), (others, b) = read(sys.argv[1]), read(sys.argv[2])
    times = sorted(a.keys() & b.keys())
    if names != others or names[0] != "time" or not times:
        sys.exit(f"compare.py: {sys.argv[1]} has {', '.join(names)} and {sys.argv[2]} has {', '.join(others)}: expected the "
                 "same signals with time first, and common times")
    for k, name in enumerate(names[1:], 1):
        worst = max(times, key=lambda t: abs(a[t][k] - b[t][k]))
        print(f"{name}: differs by at most {abs(a[worst][k] - b[worst][k]):.3g}, at {worst:g} s")


if __name__ == "__main__":
    main()
