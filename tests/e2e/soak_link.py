#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: soak_link.py BIN [unittest argument]...: 10 000 steps of two daemons under ali3-link have the same bits over a network that
loses 10 and 30 % of all datagrams, doubles and reorders others, and with a daemon that is stopped for a minute."""
import os
import signal

import bench
import disorder
import linked
from linked import cart, daemon

STEPS, PAUSE = 10000, 60
LIMIT = 3600  # s, of one run; it only bounds a failure


class Link(linked.Case):
    def finish(self, process):
        out, errors = process.communicate(timeout=LIMIT)
        return process.returncode, out, errors

    def setUp(self):
        super().setUp()
        self.daemons = {"a": daemon(cart()), "b": daemon(cart(2.0, -0.4))}
        for d in self.daemons.values():
            self.enterContext(d)

    def over(self, loss, order):
        a, b = (self.enterContext(disorder.Relay(d.osc_port, loss, seed=k)) for k, d in enumerate(self.daemons.values()))
        rows = self.rows(self.file(self.daemons, ports={"a": a.port, "b": b.port}, order=order, patience=LIMIT), STEPS)
        print(f"{order}, loss {loss}: {a.lost + b.lost} of {a.carried + b.carried} datagrams lost")
        return rows

    def compare(self, loss):
        for order in ("jacobi", "gauss_seidel"):
            with self.subTest(order=order):
                want = self.rows(self.file(self.daemons, order=order), STEPS)
                self.assertEqual(len(want), STEPS + 1)
                self.assertEqual(self.over(loss, order), want)

    def test_disorder_without_loss(self):
        self.compare(0)

    def test_a_tenth_is_lost(self):
        self.compare(0.1)

    def test_a_third_is_lost(self):
        self.compare(0.3)

    def test_a_pause_of_a_minute(self):
        want = self.rows(self.file(self.daemons), STEPS)
        record = os.path.join(self.dir.name, "paused.csv")
        process = self.start(self.file(self.daemons, patience=LIMIT), "--steps", str(STEPS), "--record", record)
        bench.wait_for("the first lines", lambda: os.path.exists(record) and os.path.getsize(record) > 0)
        self.daemons["b"].process.send_signal(signal.SIGSTOP)
        bench.run_on(PAUSE)
        self.assertIsNone(process.poll())
        self.daemons["b"].process.send_signal(signal.SIGCONT)
        status, _, errors = self.finish(process)
        self.assertEqual(status, 0, errors)
        with open(record, encoding="utf-8") as f:
            self.assertEqual(f.read().splitlines(), want)


if __name__ == "__main__":
    bench.main()
