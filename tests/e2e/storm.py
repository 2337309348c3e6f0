#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: storm.py PORT SECONDS [PROCESSES [SOURCE [LIMIT_MS]]]: times the reads of one Modbus client of a daemon on 127.0.0.1 while
PROCESSES (2) others connect from SOURCE (127.0.0.2) and reset each connection at once, as fast as this machine allows.

Prints the number of connections and the latency of the client, beside that without a storm. With LIMIT_MS the exit status is 1 if
p99 is above it."""
import collections
import os
import socket
import struct
import subprocess
import sys
import time

import bench

PENDING = 16  # connections of one process
RESET = struct.pack("ii", 1, 0)


def connect_and_reset(port, source, seconds):
    """One process of the storm; prints its number of connections. It does not wait for connections without room in the kernel."""
    count, end, pending = 0, time.monotonic() + seconds, collections.deque()
    while time.monotonic() < end:
        s = socket.socket()
        s.setblocking(False)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        s.bind((source, 0))
        s.connect_ex(("127.0.0.1", port))
        pending.append(s)
        if len(pending) > PENDING:
            pending.popleft().close()
        count += 1
    print(count)


def read_latencies(port, seconds):
    """Latencies of a client that reads the state every millisecond, in ms, sorted."""
    client, times = bench.ModbusClient(port), []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        start = time.monotonic()
        client.inputs(0, 32)
        times.append((time.monotonic() - start) * 1e3)
        time.sleep(0.001)
    client.close()
    return sorted(times)


def figures(times):
    return f"{len(times)} reads, median {times[len(times) // 2]:.2f}, p99 {times[int(0.99 * len(times))]:.2f}, max {times[-1]:.2f} ms"


def run(port, seconds, processes=2, source="127.0.0.2"):
    """(latencies in the storm, sorted; connections made)"""
    storms = [subprocess.Popen([sys.executable, os.path.abspath(__file__), "connect", str(port), str(seconds + 0.5), source],
                               stdout=subprocess.PIPE, text=True) for _ in range(processes)]
    try:
        time.sleep(0.3)  # until they are on their way
        times = read_latencies(port, seconds)
        return times, sum(int(s.communicate()[0]) for s in storms)
    finally:
        for s in storms:
            if s.poll() is None:
                s.kill()
            s.wait()
            s.stdout.close()


def main():
    if sys.argv[1] == "connect":
        connect_and_reset(int(sys.argv[2]), sys.argv[4], float(sys.argv[3]))
        return 0
    port, seconds = int(sys.argv[1]), float(sys.argv[2])
    print(f"quiet: {figures(read_latencies(port, min(seconds, 5)))}")
    times, count = run(port, seconds, int(sys.argv[3]) if len(sys.argv) > 3 else 2, *sys.argv[4:5])
    print(f"storm of {count / (seconds + 0.5):.0f} connections a second: {figures(times)}")
    return int(len(sys.argv) > 5 and times[int(0.99 * len(times))] > float(sys.argv[5]))


if __name__ == "__main__":
    sys.exit(main())
