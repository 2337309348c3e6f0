#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Nothing is refused in silence: each refused peer, name, value, request and packet has a line in the log with its sender."""
import socket
import struct
import unittest

import bench
import test_platform


class Refusals(unittest.TestCase):
    def logged(self, d, line):
        bench.wait_for(lambda: f"'{line}' in the log:\n{d.said()}", lambda: line in d.said())

    def osc(self, d):
        osc = bench.OscClient(d.osc_port)
        self.addCleanup(osc.close)
        return osc

    def modbus(self, d, source="127.0.0.1"):
        client = bench.ModbusClient(d.modbus_port, source)
        self.addCleanup(client.close)
        return client

    def refused(self, code, call, *arguments):
        with self.assertRaises(bench.ModbusError) as caught:
            call(*arguments)
        self.assertEqual(caught.exception.code, code)

    def test_parameters_of_the_platform(self):
        with test_platform.daemon() as d:
            osc = self.osc(d)
            for name, value, said in (("hp_wn.q", 1.0, '/ali3/platform/set from 127.0.0.1:{port} refused: unknown name "hp_wn.q"'),
                                      ("vel_max.z", 1e6, "refused: vel_max.z: 1e+06 is out of range: expected "),
                                      ("vel_max.z", -1.0, "refused: vel_max.z: -1 is out of range: expected "),
                                      ("lp_wn.y", 1.0, 'refused: unknown name "lp_wn.y"'),
                                      ("lp_wn", 0.25, "refused: lp_wn: 0.25 rad/s contradicts another parameter")):
                osc.send(bench.osc_message("/ali3/platform/set", "sf", name, value))
                self.logged(d, said.format(port=osc.socket.getsockname()[1]))
            osc.send(bench.osc_message("/ali3/platform/set", "sfff", "vel_max", 0.2, 1e6, 0.2))
            self.logged(d, "refused: vel_max.y: 1e+06 is out of range: expected ")
            osc.send(bench.osc_message("/ali3/platform/set", "sf", "vel_max", 0.2))
            self.logged(d, "three numbers for this name, or one for its .x, .y or .z")
            self.assertNotIn("bad argument", d.said())

    def test_names_and_garbage_over_osc(self):
        with bench.Daemon(inputs=[{"name": "push", "body": "A"}], injections=[{"name": "lost", "input": "push", "kind": "drop"}]) as d:
            osc = self.osc(d)
            me = f"127.0.0.1:{osc.socket.getsockname()[1]}"
            osc.send(bench.osc_message("/ali3/inject", "si", "lots", 1))
            self.logged(d, f'osc: /ali3/inject from {me} refused: unknown name "lots"')
            osc.send(b"garbage!")
            self.logged(d, f'osc: malformed datagram "garbage!" from {me} ignored')

    def test_requests_over_modbus(self):
        with bench.Daemon() as d:
            client = self.modbus(d)
            who = "from 127.0.0.1:%d " % client.socket.getsockname()[1]
            nan = struct.unpack(">2H", struct.pack(">f", float("nan")))
            self.refused(3, client.write, 100, nan)
            self.logged(d, f"modbus: write of holding registers 100 to 101 {who}ignored: a number in it is NaN or infinite")
            self.refused(2, client.read, 4, 500, 3)
            self.logged(d, f"modbus: read of input registers 500 to 502 {who}refused: exception 2: one of them does not exist")
            self.refused(3, client.write, 0, [9999, 0, 1])
            self.logged(d, f"modbus: write of holding registers 0 to 2 {who}refused: exception 3: ")
            self.refused(1, client.request, 99, b"")
            self.logged(d, f"modbus: a request of function 99 {who}refused: exception 1: ")
            client.socket.sendall(b"GET / HTTP/1.1\r\n\r\n")
            self.logged(d, f"modbus: a frame that is not Modbus {who}refused: the connection is closed")

    def test_clients_without_rights_or_place(self):
        peers = [{"host": "127.0.0.1", "access": "write"}, {"host": "127.0.0.2", "access": "read"}]
        with bench.Daemon(modbus={"peers": peers, "max_clients": 4}) as d:
            reader = self.modbus(d, "127.0.0.2")
            self.refused(1, reader.write, 100, [0, 0])
            self.logged(d, "modbus: write of holding registers 100 to 101 from 127.0.0.2:%d refused: the host needs access: write in modbus.peers"
                        % reader.socket.getsockname()[1])
            for _ in range(3):
                self.modbus(d, "127.0.0.2")
            self.logged(d, "refused: modbus.max_clients are connected, or half of them from this host")
            self.assertIn("modbus: a connection from 127.0.0.2:", d.said())

    def test_writes_while_a_stop_is_latched(self):
        """The client gets no exception by default, so only the log tells that its writes do nothing."""
        for keys, said in (({}, "have no effect until the reset; modbus.safe_writes: refuse answers them with exception 4"),
                           ({"safe_writes": "refuse"}, "get exception 4 until the reset; modbus.safe_writes: ignore takes them without effect")):
            with bench.Daemon(modbus=keys) as d:
                client = self.modbus(d)
                self.assertEqual(client.command("estop", 1), 0)
                bench.wait_for("SAFE", lambda client=client: client.state() == "SAFE")
                if keys:
                    self.refused(4, client.write, 100, [0, 0])
                else:
                    client.write(100, [0, 0])
                self.logged(d, f"modbus: writes of 127.0.0.1:{client.socket.getsockname()[1]} {said}")

    def test_packets(self):
        port = bench.free_port(socket.SOCK_DGRAM)
        packet = {"name": "rig", "host": "127.0.0.1", "port": port, "direction": "receive", "fields": [
            {"type": "u8", "value": 7}, {"type": "f32", "signal": "input.push.value"}]}
        motor = {"forces": [{"name": "M", "type": "motor", "joint": "J1"}]}
        with bench.Daemon(model=motor, inputs=[{"name": "push", "force": "M"}], packets=[packet]) as d:
            for source, data, said in (("127.0.0.1", b"\7", "its number of bytes is not that of the layout"),
                                       ("127.0.0.2", b"\7\0\0\0\0", "the packet is expected from another host")):
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
                    s.bind((source, 0))
                    s.sendto(data, ("127.0.0.1", port))
                    self.logged(d, f"packets: packet rig from {source}:{s.getsockname()[1]} refused: {said}")
                bench.run_on(0.1)


if __name__ == "__main__":
    bench.main()
