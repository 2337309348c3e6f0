#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Orders of clients to ali3-record, and what everybody sees of a recorder."""
import bench
from test_record import KEEP, Case, Recorder, read_all

ORDER, NOT_READY = 5, 4  # kind of an event; result of a command


class Orders(Case):
    def order(self, client, word, number, *text):
        """The result of record/WORD, and the reason of a refusal."""
        client.send(bench.osc_message(f"/ali3/record/{word}", "s" * len(text) + "i", *text, number))
        answer = client.answer("/ali3/ack")
        while answer[:2] != ["record", number]:
            answer = client.answer("/ali3/ack")
        return answer[2]

    def test_orders_of_clients(self):
        """Start, mark, split and stop over OSC and Modbus; everybody sees what the recorder does."""
        with bench.Daemon(record=dict(KEEP, when="command", before=0.1)) as d:
            client, modbus = bench.OscClient(d.osc_port), bench.ModbusClient(d.modbus_port)
            self.assertEqual(self.order(client, "start", 1), NOT_READY)
            self.assertEqual((d.watch()["recorder"], modbus.inputs(25, 2)), ("off", [0, 0]))
            with Recorder("--to", d.dir, d.name) as r:
                self.shown(d, "waiting")
                self.assertEqual(self.order(client, "start", 2, "run 7"), 0)
                watched = self.shown(d, "recording")
                self.assertTrue(watched["recorder_file"].startswith(d.name) and watched["recorder_file"].endswith(".h5"), watched["recorder_file"])
                bench.wait_for("the flag in Modbus", lambda: modbus.inputs(25, 1) == [2])
                self.assertTrue(bench.wait_for("the flag of a frame", lambda: d.watch()["flags"] & 1 << 16))
                self.assertEqual(self.order(client, "mark", 3, "here it squeaks"), 0)
                self.assertEqual(modbus.command("record", 4, 3), 0)
                self.assertEqual(modbus.command("record", 5, 2), 0)
                self.finished(d, 1)
                bench.wait_for("cycles in the next file", lambda: d.watch()["recorder_cycles"] > 150)
                self.assertEqual(self.order(client, "stop", 6), 0)
                self.finished(d, 2)
                self.shown(d, "waiting")
                modbus.request(5, bytes((0, 6, 255, 0)))  # the coil record
                self.shown(d, "recording")
                modbus.request(5, bytes((0, 6, 0, 0)))
                self.finished(d, 3)
                self.assertEqual(r.stop(), 0)
            self.shown(d, "off")
            self.assertIn("record/mark by 127.0.0.1", d.said())
            client.close(), modbus.close()
            got = read_all(self.files(d))
        for run in got:
            self.check_no_hole(run["head"]["cycle"])
        self.assertEqual(got[0]["head"]["cycle"][-1] + 1, got[1]["head"]["cycle"][0], "the split lost cycles")
        self.assertEqual([text for run in got for _, text in self.marks(run)], ["here it squeaks", "mark 4"])
        self.assertEqual([run["attributes"]["reason"] for run in got], ["split", "stopped by a client", "stopped by a client"])
        self.assertEqual([run["attributes"]["label"] for run in got], ["run 7", "run 7", ""])
        self.assertIn(ORDER, {e["kind"] for e in got[0]["events"]})

    def test_a_stop_holds_until_the_next_run(self):
        with bench.Daemon(record=dict(KEEP, before=0)) as d:
            client = bench.OscClient(d.osc_port)
            with Recorder("--to", d.dir, d.name) as r:
                self.shown(d, "recording")
                self.assertEqual(self.order(client, "stop", 1), 0)
                self.finished(d, 1)
                cycle = self.shown(d, "waiting")["cycle"]
                bench.wait_for("more of the run", lambda: d.watch()["cycle"] > cycle + 50)
                self.assertEqual(d.watch()["recorder"], "waiting")
                self.assertEqual(client.command("stop", 2), 0)
                bench.run_again(lambda name: client.command(name, 3) if name != "reset" else 0)
                self.shown(d, "recording")
                self.assertEqual(r.stop(), 0)
            client.close()
            self.assertEqual(len(self.files(d)), 2)


bench.main()
