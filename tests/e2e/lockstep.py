# SPDX-License-Identifier: MIT
"""A daemon in lockstep with a model file of config/models: inputs are set and steps asked for in one datagram, and frames come
back as {OSC address without the prefix: values}. No clock matters."""
import os
import time

import bench

STREAMS = ("sensor", "joint", "force", "energy")
RENEWAL = 2.0  # s, of leases that last 10


class Lockstep:
    """Use as a context. inputs: names of force elements that take a value."""

    def __init__(self, model, inputs, **changes):
        changes.setdefault("inputs", [{"name": name, "force": name, "policy": "hold", **keys} for name, keys in inputs.items()])
        file = os.path.join(bench.ROOT, "config", "models", model + ".yaml")
        self.daemon = bench.Daemon(model={"file": file}, cycle={"clock": "lockstep", "warmup": 1}, **changes)
        self.client, self.request, self.leased = None, 0, 0.0

    def __enter__(self):
        self.daemon.__enter__()
        self.client = bench.OscClient(self.daemon.osc_port)
        self.client.socket.setsockopt(bench.socket.SOL_SOCKET, bench.socket.SO_RCVBUF, 4 << 20)
        bench.wait_for("RUNNING", lambda: self.daemon.watch()["state"] == "RUNNING")
        return self

    def __exit__(self, *error):
        if self.client:
            self.client.close()
        self.daemon.__exit__(*error)

    def lease(self):
        if time.monotonic() - self.leased > RENEWAL:
            for stream in STREAMS:
                self.client.send(bench.osc_message("/ali3/sub", "siii", stream, 0, 1, 1))
                self.client.answer("/ali3/sub/ack")
            self.leased = time.monotonic()

    def run(self, steps, every=1, **inputs):
        """The frames after each number of steps; the first step finds these inputs."""
        elements, out = [bench.osc_message(f"/ali3/in/{name}", "d", value) for name, value in inputs.items()], []
        for _ in range(steps // every):
            self.lease()
            out.append(self.step(every, elements))
            elements = []
        return out

    def step(self, steps, elements):
        """The last frame. Frames before it may be missing: a loop without a clock is faster than the thread that sends."""
        self.request += 1
        self.client.send(bench.osc_bundle(*elements, bench.osc_message("/ali3/step", "ii", steps, self.request)))
        frame, end = {}, time.monotonic() + 20
        while time.monotonic() < end:
            self.client.socket.settimeout(max(0.01, end - time.monotonic()))
            messages = {address[len("/ali3/"):]: values for address, _, values in bench.osc_decode(self.client.socket.recv(65536))}
            if messages.get("ack", [])[:2] == ["step", self.request]:
                assert messages["ack"][2] == 0, f"the daemon answers {messages['ack'][2]} to step"
                return frame
            if "hdr" in messages:
                frame = {**(frame if frame.get("cycle") == messages["hdr"][0] else {}), **messages}
                frame.update(zip(("cycle", "time"), messages["hdr"]))
        raise AssertionError(f"no answer to step {self.request}")
