#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: hexapod.py BASE_RADIUS BASE_GAP TOP_RADIUS TOP_GAP HEIGHT

From the drawing of a symmetric hexapod to the keys base, top and height of the section platform. Radii are those of the circles
through the joints (m). The gaps are the distances between the two joints of a pair (m). HEIGHT is the height of the top circle
above the base circle at neutral (m). x points forward, y to the left, z up.

Base pairs stand at 0, 120 and 240 degrees, top pairs at 60, 180 and 300. Legs count counterclockwise from the base joint at the
front left, seen from above. Below the keys stand the leg lengths at some poses, as comments."""
import math
import sys

# (direction of the base pair, side of the pair, direction of the top pair, side), degrees and signs, of legs 1 to 6
LEGS = ((0, 1, 60, -1), (120, -1, 60, 1), (120, 1, 180, -1), (240, -1, 180, 1), (240, 1, 300, -1), (0, -1, 300, 1))
POSES = (("neutral", 0, 0, 0), ("surge 0.1", 0.1, 0, 0), ("heave -0.1", 0, 0, -0.1), ("heave 0.1", 0, 0, 0.1))


def joint(direction, side, radius, gap):
    angle = math.radians(direction) + side * math.asin(gap / 2 / radius)
    return radius * math.cos(angle), radius * math.sin(angle), 0.0


def joints(radius, gap, top):
    return [joint(leg[2 * top], leg[2 * top + 1], radius, gap) for leg in LEGS]


def lengths(base, top, height, pose):
    return [math.dist(b, (t[0] + pose[0], t[1] + pose[1], height + pose[2])) for b, t in zip(base, top)]


def listed(points):
    return "[" + ", ".join("[" + ", ".join(f"{round(c, 5) + 0.0:g}" for c in point) + "]" for point in points) + "]"


def main():
    try:
        base_radius, base_gap, top_radius, top_gap, height = map(float, sys.argv[1:])
        base, top = joints(base_radius, base_gap, 0), joints(top_radius, top_gap, 1)
    except ValueError:
        sys.exit(__doc__)
    print(f"  base: {listed(base)}\n  top: {listed(top)}\n  height: {height:g}")
    for name, *pose in POSES:
        print(f"  # legs at {name}: " + " ".join(f"{length:.4f}" for length in lengths(base, top, height, pose)))


if __name__ == "__main__":
    main()
