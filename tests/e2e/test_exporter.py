#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ali3-exporter against real daemons: pages, refusals, daemons that start and end, and its own end."""
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

import bench
from exporter import Exporter, read, shipped


def run(*arguments):
    return subprocess.run([bench.program("ali3-exporter"), *arguments], capture_output=True, text=True, timeout=bench.PATIENCE,
                          stdin=subprocess.DEVNULL)


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = shipped()
        cls.daemon.__enter__()
        cls.addClassCleanup(cls.daemon.__exit__)
        cls.exporter = Exporter()
        cls.addClassCleanup(cls.exporter.__exit__)

    def key(self, name, **labels):
        return (name, ("daemon", self.daemon.name), *labels.items())

    def test_scrape(self):
        curl = bench.need("curl")
        url = f"http://127.0.0.1:{self.exporter.port}/metrics"
        done = subprocess.run([curl, "-sS", "--fail", "--include", url], capture_output=True, text=True, timeout=bench.PATIENCE, check=True)
        head, _, text = done.stdout.replace("\r\n", "\n").partition("\n\n")
        self.assertIn("Content-Type: text/plain; version=0.0.4; charset=utf-8\n", head + "\n")
        self.assertIn("Cache-Control: no-store\n", head + "\n")
        m = read(text)
        self.assertEqual(m[self.key("ali3_up")], 1)
        self.assertEqual(m[self.key("ali3_period_seconds")], 0.01)
        self.assertEqual(m[self.key("ali3_bodies")], 3)
        self.assertEqual(m[self.key("ali3_pid")], self.daemon.process.pid)
        self.assertEqual(m[self.key("ali3_state", state="RUNNING")], 1)
        self.assertEqual(sum(v for k, v in m.items() if k[:2] == self.key("ali3_state")), 1)
        self.assertGreater(m[self.key("ali3_max_seconds", phase="cycle")], 0)
        self.assertIn(self.key("ali3_loop_page_faults_total"), m)
        self.assertIn(self.key("ali3_loop_preemptions_total"), m)
        first = m[self.key("ali3_wakeup_seconds_count")]
        bench.wait_for("more cycles", lambda: self.exporter.metrics()[self.key("ali3_wakeup_seconds_count")] > first + 20)

    def test_promtool(self):
        """The check of Prometheus itself. Its package is not in tools/packages.sh, because it starts a server when installed."""
        promtool = bench.need("promtool")
        text = run("--once", "--name", self.daemon.name).stdout
        self.assertIn("ali3_osc_send_seconds_total{", text)
        done = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, text=True, timeout=bench.PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_alerts_and_dashboard_name_metrics_that_exist(self):
        """Every metric and label of config/monitoring is one of the exporter, and the panels do not lie over each other."""
        folder = os.path.join(bench.ROOT, "config", "monitoring")
        with open(os.path.join(folder, "grafana.json"), encoding="utf-8") as f:
            dashboard = json.load(f)
        with open(os.path.join(folder, "alerts.yml"), encoding="utf-8") as f:
            alerts = f.read()
        with open(os.path.join(bench.ROOT, "tools", "man", "ali3-exporter.1"), encoding="utf-8") as f:
            page = f.read()
        osc = bench.OscClient(self.daemon.osc_port)
        self.addCleanup(osc.close)
        osc.send(bench.osc_message("/ali3/input/push/force", "fff", 0.0, 0.0, 0.0))
        bench.wait_for("the age of the input", lambda: "ali3_input_age_seconds{" in run("--once", "--name", self.daemon.name).stdout)
        text = run("--once", "--name", self.daemon.name).stdout
        known = set(re.findall(r"^(ali3_\w+)", text, re.M)) | set(re.findall(r"ali3_\w+", page))
        panels = dashboard["panels"]
        expressions = [t["expr"] for p in panels for t in p["targets"]] + re.findall(r"^ +expr: (.*)", alerts, re.M)
        self.assertGreater(len(panels), 10)
        self.assertGreater(len(expressions), 25)
        for expression in expressions:
            names = set(re.findall(r"\bali3_\w+", expression))
            self.assertTrue(names, expression)
            self.assertEqual(names - known, set(), expression)
            self.assertEqual(set(re.findall(r"(\w+)=~?\"", expression)) - {"daemon", "state", "phase", "horizon"}, set(), expression)
        self.assertIn('label_values(ali3_up, daemon)', json.dumps(dashboard["templating"]))
        self.assertEqual(len({p["id"] for p in panels}), len(panels))
        cells = [(x, y) for p in panels for g in (p["gridPos"],) for x in range(g["x"], g["x"] + g["w"]) for y in range(g["y"], g["y"] + g["h"])]
        self.assertEqual(len(set(cells)), len(cells))
        self.assertLess(max(x for x, _ in cells), 24)

    def test_promtool_on_the_shipped_files(self):
        promtool = bench.need("promtool")
        folder = os.path.join(bench.ROOT, "config", "monitoring")
        for kind, file in (("rules", "alerts.yml"), ("config", "prometheus.yml")):
            done = subprocess.run([promtool, "check", kind, os.path.join(folder, file)], capture_output=True, text=True, timeout=bench.PATIENCE, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_once(self):
        done = run("--once", "--name", self.daemon.name)
        self.assertEqual(done.returncode, 0, done.stderr)
        m = read(done.stdout)
        self.assertEqual(m[self.key("ali3_up")], 1)
        self.assertEqual({k[1][1] for k in m if k[1][0] == "daemon"}, {self.daemon.name})

    def test_status_is_the_json_of_top(self):
        status, head, text = self.exporter.get(f"/api/v1/status?name={self.daemon.name}")
        self.assertEqual((status, head["Content-Type"], head["Cache-Control"]), (200, "application/json", "no-store"))
        got, top = json.loads(text), self.daemon.watch()
        self.assertEqual(got.keys(), top.keys())
        for key in ("instance", "model", "pid", "realtime", "period_s", "bodies", "rows", "priority"):
            self.assertEqual(got[key], top[key], key)
        self.assertEqual(got["counters"].keys(), top["counters"].keys())
        listed = json.loads(self.exporter.get("/api/v1/instances")[2])["instances"]
        self.assertEqual([(i["up"], i["pid"]) for i in listed if i["instance"] == self.daemon.name],
                         [(True, self.daemon.process.pid)])

    def test_head(self):
        for path, kind in (("/metrics", "text/plain; version=0.0.4; charset=utf-8"), ("/", "text/html; charset=utf-8")):
            status, head, body = self.exporter.get(path, "HEAD")
            self.assertEqual((status, head["Content-Type"], body), (200, kind, ""))
            self.assertGreater(int(head["Content-Length"]), 100)
        self.assertIn(self.daemon.name, self.exporter.get("/")[2])

    def test_refused(self):
        for path, method, headers, status in (
                ("/nope", "GET", None, 404), ("/metrics/", "GET", None, 404), ("/api/v1/status?name=nope", "GET", None, 404),
                ("/metrics", "POST", None, 405), ("/metrics", "DELETE", None, 405), ("/metrics", "BREW", None, 405),
                ("/metrics", "POST", {"Content-Length": "1000000000"}, 405), ("/metrics?x=1", "GET", None, 400),
                ("/metrics", "GET", {"Content-Length": "1000000000"}, 400),
                ("/metrics", "GET", {"Transfer-Encoding": "chunked"}, 400),
                ("/api/v1/status?name=a%2Fb", "GET", None, 400), ("/api/v1/status?name=a%00", "GET", None, 400),
                ("/api/v1/status?name=", "GET", None, 400), ("/api/v1/status?name", "GET", None, 400),
                ("/api/v1/status?nom=a", "GET", None, 400), ("/api/v1/status?name=a&name=a", "GET", None, 400),
                (f"/api/v1/status?name={'a' * 64}", "GET", None, 400)):
            with self.subTest(path=path, method=method, headers=headers):
                got, head, _ = self.exporter.get(path, method, headers)
                self.assertEqual(got, status)
                self.assertEqual(head["Cache-Control"], "no-store")
                if status == 405:
                    self.assertEqual(head["Allow"], "GET, HEAD")

    def test_no_http(self):
        """Any bytes: the answer has a status of 400 or more, or the connection ends; the next request is served."""
        for raw in (b"\0" * 100 + b"\r\n\r\n", b"GET\r\n\r\n", b"GET /metrics\r\n\r\n", b"\r\n" * 1000 + b"x\r\n\r\n",
                    b"GET /metrics HTTP/9.9\r\n\r\n", b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
                    b"GET /metrics HTTP/1.1\r\n" + b"X: y\r\n" * 10000 + b"\r\n",
                    b"POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n"):
            with self.subTest(raw=raw[:40], size=len(raw)), self.exporter.connect() as s:
                answer = b""
                s.settimeout(bench.PATIENCE)  # longer than what a silent client is given
                with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                    s.sendall(raw)
                    while part := s.recv(65536):
                        answer += part
                if answer:
                    self.assertGreaterEqual(int(answer.split()[1]), 400, answer[:200])
                self.assertEqual(self.exporter.metrics()[self.key("ali3_up")], 1)


    def test_names_that_are_not_ours(self):
        """A web page whose name points to our address reads nothing (DNS rebinding)."""
        for host in ("localhost", f"localhost:{self.exporter.port}", "127.0.0.1", "[::1]:9464"):
            self.assertEqual(self.exporter.get("/metrics", host=host)[0], 200, host)
        for host in ("evil.example", f"evil.example:{self.exporter.port}", "192.0.2.1", "", "localhost\r\nHost: evil.example"):
            for path in ("/metrics", "/api/v1/status", "/nope"):
                status, _, body = self.exporter.get(path, host=host)
                self.assertEqual(status, 421, host)
                self.assertIn("--host NAME", body)
        with Exporter("--name", self.daemon.name, "--host", "bench-1.lan", "--oscquery", "127.0.0.1:0") as e:
            self.assertEqual(e.get("/metrics", host="Bench-1.lan:9464")[0], 200)
            self.assertEqual(e.get("/metrics", host="bench-2.lan")[0], 421)
            e.port = int(re.search(r"OSCQuery on http://127\.0\.0\.1:(\d+)/", e.process.stdout.readline()).group(1))
            self.assertEqual(e.get("/?HOST_INFO", host="evil.example")[0], 421)
            self.assertEqual(e.get("/?HOST_INFO", host="bench-1.lan")[0], 200)

    def test_a_head_has_ten_seconds(self):
        """Two addresses take all places and send a byte from time to time: others are served at once, and these are disconnected. So
        is a client that falls silent in its head."""
        start, slow = time.monotonic(), []
        for source in ("127.0.0.2", "127.0.0.3"):
            for _ in range(32):
                slow.append(self.exporter.connect(source))
                self.addCleanup(slow[-1].close)
                slow[-1].sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: ")
        silent = self.exporter.connect("127.0.0.4")
        self.addCleanup(silent.close)
        silent.sendall(b"GET /metrics HTTP/1.1\r\nHost: ")
        slow.append(silent)
        gone, slowest = {}, 0
        while len(gone) < len(slow):
            for s in slow:
                if s in gone:
                    continue
                try:
                    if s is not silent:
                        s.sendall(b"y")
                    s.settimeout(0)
                    if s.recv(100) == b"":
                        gone[s] = time.monotonic() - start
                except BlockingIOError:
                    pass
                except OSError:
                    gone[s] = time.monotonic() - start
            asked = time.monotonic()
            self.assertEqual(self.exporter.get("/healthz?name=nobody")[0], 503)
            slowest = max(slowest, time.monotonic() - asked)
            self.assertLess(time.monotonic() - start, bench.PATIENCE, f"{len(slow) - len(gone)} are still there")
            bench.run_on(0.2)
        last = max(gone.values())
        self.assertGreater(last, 9)
        self.assertGreater(gone[silent], 9)
        print(f"64 slow heads from two addresses: the last one went after {last:.1f} s; slowest answer {slowest * 1e3:.0f} ms")


class Life(unittest.TestCase):
    def test_daemon_comes_and_goes(self):
        with Exporter() as all_of_them, shipped() as d:
            with Exporter("--name", d.name) as one:
                up = ("ali3_up", ("daemon", d.name))
                pid = ("ali3_pid", ("daemon", d.name))
                self.assertEqual(all_of_them.metrics()[up], 1)
                first = one.metrics()[pid]

                bench.kill_client(d.process)
                bench.wait_for("up 0", lambda: all_of_them.metrics().get(up) == 0)
                self.assertNotIn(pid, all_of_them.metrics())
                self.assertEqual(all_of_them.get(f"/healthz?name={d.name}")[0], 503)
                d.notified.clear()
                d.start()
                bench.wait_for("up again", lambda: all_of_them.metrics().get(up) == 1)
                self.assertNotEqual(all_of_them.metrics()[pid], first)
                self.assertEqual(one.metrics()[pid], d.process.pid)

                self.assertEqual(d.stop()[0], 0)
                bench.wait_for("dropped", lambda: up not in all_of_them.metrics())
                self.assertEqual(one.metrics()[up], 0, "the one asked for by name is not dropped")
                d.notified.clear()
                d.start()
                bench.wait_for("up after a clean restart", lambda: all_of_them.metrics().get(up) == 1)
                self.assertEqual(one.metrics()[pid], d.process.pid)

    def test_health(self):
        with shipped() as d, Exporter("--name", d.name) as e:
            def as_top():
                healthy = d.watch()["status"] == "healthy"
                return e.get("/healthz")[0] == (200 if healthy else 503)

            bench.wait_for("the verdict of ali3-top", as_top)
            osc = bench.OscClient(d.osc_port)
            self.addCleanup(osc.close)
            self.assertEqual(osc.command("estop", 1), 0)
            # It may have been 503 before, for a deadline missed, and a page is as old as the last look at the daemon.
            bench.wait_for("503 for the e-stop", lambda: (page := e.get("/healthz"))[0] == 503 and "state SAFE: e-stop requested" in page[2])
            self.assertEqual(e.metrics()[("ali3_state", ("daemon", d.name), ("state", "SAFE"))], 1)
            self.assertEqual(e.metrics()[("ali3_fault_code", ("daemon", d.name))], 1)
            self.assertEqual(osc.command("reset", 2), 0)
            bench.wait_for("the verdict of ali3-top", as_top)

    def test_signals_end_it(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number), Exporter() as e, e.connect() as idle, e.connect() as half:
                half.sendall(b"GET /metr")
                self.assertEqual(e.stop(number), 0)
                with contextlib.suppress(ConnectionResetError):
                    self.assertEqual(idle.recv(10), b"")

    @unittest.skipIf(bench.SANITIZED == "thread", "the thread sanitizer has a thread of its own")
    def test_it_steps_back(self):
        """Never real-time, also if its parent is; and it prints what it got."""
        def fifo():
            try:
                os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
            except PermissionError:
                pass  # then it starts as an ordinary one, which the same has to hold for

        own = os.getpriority(os.PRIO_PROCESS, 0)
        for before in (None, fifo):
            with self.subTest(before=before), Exporter(before=before) as e:
                e.metrics()
                tasks = [int(t) for t in os.listdir(f"/proc/{e.process.pid}/task")]
                self.assertEqual(len(tasks), 2)  # main, which waits for a signal, and the server
                for task in tasks:
                    self.assertEqual(os.sched_getscheduler(task), os.SCHED_OTHER)
                    self.assertEqual(os.getpriority(os.PRIO_PROCESS, task), max(own, 5))
                self.assertIn(f"SCHED_OTHER, nice {max(own, 5)}", e.said)

    @unittest.skipIf(os.geteuid() != 0, "needs root, to become another user than the daemon's")
    def test_any_user_will_do(self):
        """Like the unit: a separate user, who may neither signal the daemon nor write its memory."""
        with shipped() as d:
            copy = shutil.copy(bench.program("ali3-exporter"), d.dir)  # the build folder may not be open to others
            with Exporter(executable=copy, user=65534, group=65534, extra_groups=[]) as e:
                self.assertEqual(e.metrics()[("ali3_up", ("daemon", d.name))], 1)

    @unittest.skipIf(os.geteuid() != 0, "needs root, to become other users")
    def test_a_daemon_of_a_service_is_found(self):
        """Like the units: systemd makes a user for each. The exporter lists it, and no daemon of another person."""
        with bench.Daemon(user=61300) as service, bench.Daemon(user=65534) as person:
            copy = shutil.copy(bench.program("ali3-exporter"), service.dir)
            with Exporter(executable=copy, user=61301, group=61301, extra_groups=[]) as e:
                up = e.metrics()
                self.assertEqual(up[("ali3_up", ("daemon", service.name))], 1)
                self.assertNotIn(("ali3_up", ("daemon", person.name)), up)

    @unittest.skipIf(os.geteuid() != 0, "needs root, to become other users")
    def test_a_daemon_of_another_user(self):
        """The exporter sees by /proc that the block belongs to the daemon's process."""
        with bench.Daemon(user=65534) as d:
            copy = shutil.copy(bench.program("ali3-exporter"), d.dir)
            with Exporter("--name", d.name, executable=copy, user=65533, group=65533, extra_groups=[]) as e:
                self.assertEqual(e.metrics()[("ali3_up", ("daemon", d.name))], 1)
                bench.kill_client(d.process)  # and the exporter looks again after 10 ms
                bench.wait_for("the daemon to be down", lambda: e.metrics()[("ali3_up", ("daemon", d.name))] == 0)
                self.assertIn("belongs to user 65534, but process", e.get("/healthz")[2])

    def test_usage(self):
        self.assertEqual(run("--help").returncode, 0)
        self.assertIn("Usage: ali3-exporter", run("--help").stdout)
        self.assertRegex(run("--version").stdout, r"^ali3-exporter \d")
        for arguments in (["--no-such-option"], ["extra"], ["--name", "a/b"], ["--name"], ["--listen", "9464"],
                          ["--listen", "localhost:9464"], ["--listen", "127.0.0.1:99999"], ["--host", "http://x"],
                          ["--host", ""], sum((["--host", f"h{i}"] for i in range(17)), [])):
            with self.subTest(arguments=arguments):
                done = run(*arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertNotEqual(done.stderr, "")

    def test_other_machines_are_let_in_on_request_only(self):
        for address in ("0.0.0.0:0", "[::]:0", "192.0.2.1:0"):
            done = run("--listen", address)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--expose", done.stderr)
        # An address of no machine: past the refusal, and never open to anybody.
        done = run("--listen", "192.0.2.1:0", "--expose")
        self.assertEqual(done.returncode, 1)
        self.assertIn("192.0.2.1:0: ", done.stderr)

    def test_port_in_use(self):
        with Exporter() as e:
            done = run("--listen", f"127.0.0.1:{e.port}")
            self.assertEqual(done.returncode, 1)
            self.assertIn("Address already in use", done.stderr)


if __name__ == "__main__":
    bench.main()
