# SPDX-License-Identifier: MIT
"""Figures of tools/demo from the frames of both daemons: the distance of the simulated platform from its commanded pose, and
a picture."""
import bisect
import math
import os
import subprocess

AXES = ("surge", "sway", "heave", "roll", "pitch", "yaw")
LAGS = 101      # ms that are tried, from 0
SAMPLES = 1500  # poses used to judge a lag


def angles(e):
    """Roll, pitch, yaw (rad) of Euler parameters."""
    return [math.atan2(2 * (e[2] * e[3] + e[0] * e[1]), 1 - 2 * (e[1] ** 2 + e[2] ** 2)),
            math.asin(max(-1.0, min(1.0, 2 * (e[0] * e[2] - e[1] * e[3])))),
            math.atan2(2 * (e[1] * e[2] + e[0] * e[3]), 1 - 2 * (e[2] ** 2 + e[3] ** 2))]


def forward(e, v):
    """Component along the body's x axis of a velocity in world axes."""
    return ((1 - 2 * (e[2] ** 2 + e[3] ** 2)) * v[0] + 2 * (e[1] * e[2] + e[0] * e[3]) * v[1] + 2 * (e[1] * e[3] - e[0] * e[2]) * v[2])


def joined(one, other):
    """[(time, values, values)] of the cycles that both series have."""
    of = {cycle: values for _, values, cycle in other}
    return [(t, values, of[cycle]) for t, values, cycle in one if cycle in of]


def commanded(car):
    """[(time, six coordinates)] of the platform block."""
    return [(t, pose) for t, pose, _ in car["/platform/pose"]]


def simulated(base, height):
    """[(time, six coordinates)] of the simulated platform, in the coordinates of the platform block."""
    return [(t, [p[0], p[1], p[2] - height, *angles(e)])
            for t, p, e in joined(base["/sensor/top/position"], base["/sensor/top/orientation"])]


def speeds(car):
    return [(t, [forward(e, v)]) for t, v, e in joined(car["/sensor/chassis/velocity"], car["/sensor/chassis/orientation"])]


class Line:
    """Values over time, linear between the samples."""

    def __init__(self, series):
        self.times, self.values = [t for t, _ in series], [v for _, v in series]

    def at(self, t):
        i = max(1, min(bisect.bisect_left(self.times, t), len(self.times) - 1))
        part = (t - self.times[i - 1]) / (self.times[i] - self.times[i - 1])
        return [a + part * (b - a) for a, b in zip(self.values[i - 1], self.values[i])]


def apart(line, pose, lag):
    """Metres and radians between a simulated pose and the one commanded `lag` s earlier."""
    t, now = pose
    then = line.at(t - lag)
    return math.dist(now[:3], then[:3]), math.dist(now[3:], then[3:])


def compare(told, found):
    """Largest error without a correction, and after the best lag, there also the 99 % quantile. Samples
    without a partner are skipped."""
    line = Line(told)
    within = [p for p in found if line.times[0] + 0.001 * LAGS <= p[0] <= line.times[-1]]
    if not within:
        return None
    some = within[::max(1, len(within) // SAMPLES)]
    lag = min(range(LAGS), key=lambda ms: sum(a * a + b * b for a, b in (apart(line, p, 0.001 * ms) for p in some)))
    metres, radians = (sorted(column) for column in zip(*[apart(line, p, 0.0) for p in within]))
    metres_late, radians_late = (sorted(column) for column in zip(*[apart(line, p, 0.001 * lag) for p in within]))
    most = int(0.99 * (len(within) - 1))
    return {"poses": len(within), "error_m": metres[-1], "error_rad": radians[-1], "lag_ms": lag, "past_lag": {
        "error_m": metres_late[-1], "error_rad": radians_late[-1], "error_m_p99": metres_late[most],
        "error_rad_p99": radians_late[most]}}


# ---- the picture

PLOT = """set terminal pngcairo size 1400,1450 font 'sans,10'
set output '{png}'
set multiplot layout 6,1 title 'A car, and the motion platform under its driver' margins 0.07,0.98,0.04,0.94 spacing 0.055
set grid
set xrange [0:{end}]
set key at graph 1, graph 1.02 right bottom horizontal maxrows 1 samplen 2
set ylabel 'car, m/s'
plot 'speed' using 1:2 with lines title 'speed'
set ylabel 'platform, m'
plot for [k=2:4] 'commanded' using 1:k with lines lw 5 lc rgb '#c8d4e4' title k==2 ? 'commanded' : '', \\
     for [k=2:4] 'simulated' using 1:k with lines lc k title word('surge sway heave', k-1)
set ylabel 'platform, degrees'
plot for [k=5:7] 'commanded' using 1:(column(k)*57.2958) with lines lw 5 lc rgb '#c8d4e4' title k==5 ? 'commanded' : '', \\
     for [k=5:7] 'simulated' using 1:(column(k)*57.2958) with lines lc k-3 title word('roll pitch yaw', k-4)
set ylabel 'forward, m/s^2'
plot 'car' using 1:2 with lines lc rgb '#a0a0a0' title 'specific force at the head, in the car', \\
     'felt' using 1:2 with lines lc 2 title 'on the platform'
set ylabel 'to the left, m/s^2'
plot 'car' using 1:3 with lines lc rgb '#a0a0a0' title 'specific force at the head, in the car', \\
     'felt' using 1:3 with lines lc 2 title 'on the platform'
set ylabel 'false cue, m/s^2'
plot for [k=2:4] 'false' using 1:k with lines lc k title word('forward left up', k-1)
unset multiplot
"""


def plot(png, folder, car, base, height):
    """Draws the picture by gnuplot, in a folder for its data. Returns None or the reason of a failure."""
    told = commanded(car)
    start, end = told[0][0], told[-1][0]
    for name, series in (("commanded", told), ("simulated", simulated(base, height)), ("speed", speeds(car)),
                         ("felt", car["/platform/specific_force"]), ("car", car["/sensor/head/specific_force"]),
                         ("false", car["/platform/false_force"])):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.writelines(f"{t - start:.4f} {' '.join(f'{x:.7g}' for x in values)}\n" for t, values, *_ in series)
    script = PLOT.format(png=os.path.abspath(png).replace("'", "''"), end=end - start)
    try:
        done = subprocess.run(["gnuplot"], input=script, cwd=folder, capture_output=True, text=True, errors="replace",
                              timeout=120, check=False)
    except FileNotFoundError:
        return "gnuplot is not installed"
    return None if done.returncode == 0 else f"gnuplot: {done.stderr.strip()}"
