#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: flood.py osc|modbus PORT SECONDS: sends to a daemon on 127.0.0.1 as fast as an ordinary process of this machine can.

OSC: inputs, pings, and datagrams that are wrong. Modbus: state and one body are read and the inputs written, over several
connections. The input must have the name push."""
import contextlib
import itertools
import sys
import time

import bench

CONNECTIONS = 4


def osc(port, end):
    good = [bench.osc_message("/ali3/input/push", "ffffff", *[0.01 * k] * 6) for k in range(8)]
    packets = [*good, bench.osc_message("/ali3/ping", "ih", 1, 2), bench.osc_message("/ali3/no/such"), good[0][:-2]]
    client = bench.OscClient(port)
    for packet in itertools.cycle(packets):
        with contextlib.suppress(BlockingIOError):
            client.send(packet)
        if packet is packets[-1] and time.monotonic() > end:
            return


def modbus_round(client, sequence):
    client.inputs(0, 21)
    client.floats(1000, 7)
    with contextlib.suppress(bench.ModbusError):  # another client owns the inputs
        client.write(100, [0] * 12)
        client.write(164, [sequence])


def modbus(port, end):
    """Reconnects again and again: the daemon may not run yet, or may have disconnected a client."""
    while time.monotonic() < end:
        clients = []
        try:
            for _ in range(CONNECTIONS):
                clients.append(bench.ModbusClient(port))
            for sequence in itertools.cycle(range(1 << 16)):
                if time.monotonic() > end:
                    break
                for client in clients:
                    modbus_round(client, sequence)
        except OSError:
            time.sleep(0.05)
        finally:
            for client in clients:
                client.close()


if __name__ == "__main__":
    {"osc": osc, "modbus": modbus}[sys.argv[1]](int(sys.argv[2]), time.monotonic() + float(sys.argv[3]))
