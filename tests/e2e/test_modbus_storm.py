#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A Modbus client beside peers that connect and reset the connection at once, as fast as they can."""
import socket
import unittest

import bench
import storm


class Storm(unittest.TestCase):
    def test_a_storm_of_connections(self):
        """Prints the figure; storm.py has the limit, for a quiet host."""
        daemon = bench.Daemon()
        daemon.__enter__()
        self.addCleanup(daemon.__exit__)
        quiet = storm.read_latencies(daemon.modbus_port, 1)
        times, count = storm.run(daemon.modbus_port, 2)
        print(f"quiet: {storm.figures(quiet)}\nstorm of {count / 2.5:.0f} connections a second: {storm.figures(times)}")
        self.assertGreater(count, 100)
        self.assertLess(times[int(0.99 * len(times))], 250)
        self.assertEqual(daemon.watch()["state"], "RUNNING")
        with socket.create_connection(("127.0.0.1", daemon.modbus_port), timeout=bench.PATIENCE):
            pass


if __name__ == "__main__":
    bench.main()
