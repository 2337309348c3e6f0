#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page of ali3-view in a browser: its numbers beside those of ali3-top at one cycle while a person switches things, plots with
their history, cursor and exports, narrow windows, touch, names and views of the picture, and rules of accessibility.

Needs chromium, chromium-driver and python3-selenium. ALI3_AXE=FILE: axe.min.js of the npm package axe-core, whose rules are checked,
too."""
import csv
import glob
import io
import json
import os
import signal
import struct
import subprocess
import unittest

import bench
import soak_view
import test_jog
import test_rig
from soak_view import Browsed, webdriver

AXE = os.environ.get("ALI3_AXE", "/usr/lib/node_modules/axe-core/axe.min.js")
MODELS = os.path.join(bench.ROOT, "config", "models")


def single(x):
    """The number with 24 bits that a page gets."""
    return struct.unpack("f", struct.pack("f", x))[0]


class Shown(Browsed):
    """Helpers."""

    def figures(self, d, signals):
        """(object of ali3-top --json, the cycle of the values of signals, these values)."""
        done = subprocess.run([bench.program("ali3-top"), "--json", "--once", "--watch", signals, "--instance", d.name], capture_output=True, text=True,
                              timeout=bench.PATIENCE, check=False)
        got = json.loads(done.stdout)
        return got, got["values"]["cycle"], {s["name"]: s["value"] for s in got["values"]["signals"]}

    def press(self, name):
        self.browser.execute_script(f"document.getElementById('{name}').click()")

    def scheme(self, name):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": name}]})

    def plot(self, text):
        bench.wait_for("the signals", lambda: self.ask("ali3.page.signals && ali3.page.signals.length"))
        self.assertTrue(self.ask(f"ali3.page.plots.addText({json.dumps(text)}, ali3.page.signals)"), text)

    def size(self, width, height):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
        self.addCleanup(self.browser.execute_cdp_cmd, "Emulation.clearDeviceMetricsOverride", {})


class Numbers(Shown):
    SIGNALS = "time,body.A.position.*,body.B.velocity.*,joint.*.force.*,input.push.force.x,energy.total"

    def check(self, d, what):
        """Every number of the plots and inputs, at a cycle that ali3-top has shown."""
        top, cycle, values = self.figures(d, self.SIGNALS)
        self.assertGreater(len(values), 8)
        bench.wait_for(f"cycle {cycle} in the plots, {what}", lambda: self.ask(
            f"ali3.page.plots.list.flatMap((p) => p.series).every((s) => s.ring.count && s.ring.cycle[s.ring.last()] >= {cycle})"))
        shown = self.ask(f"""(() => {{
            document.getElementById('axis').value = 'cycle';
            ali3.page.plots.cursor = {cycle};
            ali3.page.plots.draw({{}});
            const all = ali3.page.plots.list.flatMap((p) => p.series).map((s) => [s.name, s.now.textContent, s.shown.cycle]);
            ali3.page.plots.cursor = null;
            return all;
        }})()""")
        self.assertEqual(sorted(name for name, _, _ in shown), sorted(values), what)
        for name, text, at in shown:
            self.assertEqual(at, cycle, what)
            self.assertEqual(text, self.ask(f"ali3.number(Math.fround({values[name]!r}))"), (what, name))
        # The words of the top line and of the inputs.
        bench.wait_for(f"the state {top['state']}, {what}", lambda: self.text("state") == d.watch()["state"])
        channels = top["inputs"][0]["channels"]
        bench.wait_for(f"the inputs, {what}", lambda: self.ask("document.querySelectorAll('#inputs tr').length") == 1 + len(channels))
        rows = self.ask("[...document.querySelectorAll('#inputs tr')].map((r) => [...r.cells].slice(0, 4).map((c) => c.textContent))")
        for row, c in zip(rows[1:], channels):
            for text, number in ((row[1], c["written"]), *zip(row[3].split(" ... "), (c["lower"], c["upper"]))):
                self.assertEqual(text, "-" if number is None else self.ask(f"ali3.number({number!r})"), (what, row))
        acting = self.ask("ali3.number(Math.fround(%r))" % values["input.push.force.x"])
        bench.wait_for(f"the acting value, {what}", lambda: self.ask("document.querySelectorAll('#inputs tr')[1].cells[2].textContent") == acting)

    def test_after_every_switch(self):
        with bench.Daemon() as d, bench.Daemon() as other:
            self.open(d, f"#token={self.view.token}")
            bench.wait_for("plots", lambda: self.ask("ali3.page.plots.list.length"))
            self.browser.execute_script("ali3.page.plots.clear()")
            self.plot(self.SIGNALS)
            bench.wait_for("the inputs", lambda: self.ask("document.querySelectorAll('#inputs tr').length > 1"))
            self.assertEqual(self.ask("document.querySelectorAll('#inputs tr')[1].cells[3].textContent"), "-10000 ... 10000")
            self.check(d, "open")
            for what, act in (("dark", lambda: self.scheme("dark")), ("reactions", lambda: self.press("forces")), ("light", lambda: self.scheme("light")),
                              ("no reactions", lambda: self.press("forces")), ("pause", lambda: self.command(d, "pause", "PAUSED")),
                              ("reactions while it stands", lambda: self.press("forces")), ("run", lambda: self.command(d, "run", "RUNNING")),
                              ("stop", lambda: self.command(d, "stop", "STOPPED")), ("e-stop", lambda: self.command(d, "estop", "SAFE"))):
                act()
                self.check(d, what)
            self.choose(other)
            bench.wait_for("the other daemon", lambda: self.ask("ali3.page.data.instance") == other.name and self.text("state") == "RUNNING")
            self.choose(d)
            bench.wait_for("the first daemon", lambda: self.ask("ali3.page.data.instance") == d.name and self.text("state") == "SAFE")
            bench.wait_for("its plots", lambda: self.ask("ali3.page.plots.list.length"))
            self.browser.execute_script("ali3.page.plots.clear()")
            self.plot(self.SIGNALS)
            self.check(d, "back")
            self.assertTrue(self.ask("ali3.page.scene.arrows.visible && document.getElementById('forces').checked"))
            self.assertEqual([m for m in self.logs()[0] if "favicon" not in m], [])

    def check_top_line(self, d, what):
        """Simulated time, load and misses, of a daemon that stands still, so that the next second does not change them."""
        d.process.send_signal(signal.SIGSTOP)
        try:
            top = d.watch()
            for name, text in (("time", f"t {top['time_s']:.2f} s"), ("load", f"load {100 * top['load'][0]:.1f} %"),
                               ("misses", f"misses {top['misses']}")):
                bench.wait_for(lambda name=name, text=text: f"{text}, {what}; the page shows {self.text(name)}",
                               lambda name=name, text=text: self.text(name) == text)
            self.assertEqual(self.ask("document.getElementById('misses').className"), "warn" if top["misses"] else "")
        finally:
            d.process.send_signal(signal.SIGCONT)
        return top

    def test_the_line_at_the_top(self):
        """t, load and misses are those of ali3-top, after each kind of change; a stop of the process costs deadlines."""
        with bench.Daemon() as d:
            self.open(d, f"#token={self.view.token}")
            first = self.check_top_line(d, "running")
            bench.wait_for("missed deadlines", lambda: d.watch()["misses"] > first["misses"])
            self.check_top_line(d, "after a stop of the process")
            self.command(d, "pause", "PAUSED")
            paused = self.check_top_line(d, "paused")
            self.command(d, "run", "RUNNING")
            bench.wait_for("simulated time", lambda: d.watch()["time_s"] > paused["time_s"] + 0.2)
            last = self.check_top_line(d, "running again")
            self.assertGreater(last["misses"], 0)
            self.assertGreater(last["load"][0], 0)

    def choose(self, d):
        self.browser.execute_script(f"ali3.page.source.choose('{d.name}'); ali3.page.wanted = null; ali3.page.source.dense = [];")

    def command(self, d, name, state):
        self.browser.execute_script(f"document.querySelector('[data-command={name}]').click()")
        bench.wait_for(state, lambda: d.watch()["state"] == state)

    def test_reactions_stay(self):
        """Arrows with a length after the colour scheme, the daemon and its model have changed."""
        seen = "(() => { const s = ali3.page.scene; return s.arrows.visible && s.arrowBatch && Math.max(...s.arrowForces.map((f) => Math.hypot(...f))) > 0; })()"
        with bench.Daemon() as d, bench.Daemon() as other:
            self.open(d)
            self.press("forces")
            bench.wait_for("arrows", lambda: self.ask(seen))
            for name in ("dark", "light"):
                self.scheme(name)
                bench.wait_for(f"arrows in {name}", lambda: self.ask(seen))
            self.choose(other)
            bench.wait_for("arrows of the other daemon", lambda: self.ask("ali3.page.data.instance") == other.name and self.ask(seen))

    def test_no_word_becomes_nan(self):
        with bench.Daemon() as d:
            self.open(d)
            bench.wait_for("the inputs", lambda: self.ask("document.querySelectorAll('#inputs tr').length > 1 && "
                                                          "document.querySelectorAll('#inputs tr')[1].cells[2].textContent !== ''"))
            self.browser.execute_script("window.bad = []; new MutationObserver(() => { const t = document.getElementById('side').innerText; "
                                        "if (/NaN|undefined/.test(t)) window.bad.push(t); }).observe(document.getElementById('side'), "
                                        "{subtree: true, childList: true, characterData: true})")
            for _ in range(6):
                self.press("forces")
                bench.run_on(0.45)
            self.assertEqual(self.ask("window.bad"), [])

    def test_numbers_while_the_time_stands(self):
        """Legs on the way to neutral and in a jog, in STOPPED and READY."""
        with bench.Daemon(cycle={"autostart": False}, inputs=test_rig.INPUTS[:1], platform=dict(test_rig.PLATFORM, jog=test_jog.JOG),
                          osc={"peers": test_jog.PEERS}) as d:
            bench.wait_for("ready", lambda: "warm-up cycles done" in d.said())
            self.open(d, f"#token={self.view.token}")
            self.plot("platform.legs.3 + platform.legs.1")
            leg = "ali3.page.plots.list.flatMap((p) => p.series).find((s) => s.name === 'platform.legs.3')"
            self.browser.execute_script("document.getElementById('part').value = 'leg3'")
            button = self.browser.find_element("css selector", "[data-jog='1']")
            webdriver.ActionChains(self.browser).click_and_hold(button).perform()
            bench.wait_for("the motion", lambda: d.watch()["platform"]["state"] == "jog")
            before = self.ask(f"{leg}.ring.cycle[{leg}.ring.last()]")
            lengths = set()
            for _ in range(3):
                _, cycle, values = self.figures(d, "platform.legs.3")
                bench.wait_for("this cycle", lambda n=cycle: self.ask(f"{leg}.ring.cycle[{leg}.ring.last()]") >= n)
                self.assertEqual(self.ask(f"{leg}.ring.value[{leg}.ring.find('cycle', {cycle})]"), single(values["platform.legs.3"]))
                lengths.add(values["platform.legs.3"])
                bench.run_on(0.2)
            webdriver.ActionChains(self.browser).release(button).perform()
            self.assertEqual(len(lengths), 3)
            self.assertGreater(self.ask(f"{leg}.ring.cycle[{leg}.ring.last()]"), before)
            self.assertEqual(d.watch()["state"], "STOPPED")

    def test_numbers_of_a_page_follow_its_animation(self):
        with bench.Daemon(wait=False) as d:
            page, table = os.path.join(d.dir, "run.html"), os.path.join(d.dir, "run.csv")
            model = os.path.join(MODELS, "slider_crank.yaml")
            subprocess.run([bench.program("ali3-sim"), model, "--duration", "3", "--view", page, "--signals", "time,energy.*,joint.J1.position", "--output", table],
                           check=True, capture_output=True, timeout=bench.PATIENCE)
            self.browser.get(f"file://{page}")
            bench.wait_for("plots", lambda: self.ask("window.ali3 && ali3.page && ali3.page.plots.list.length && ali3.page.plots.list[0].series[0].shown"))
            with open(table, encoding="utf-8") as f:
                rows = list(csv.DictReader(f))
            self.press("play")
            for at in (0.5, 1.62, 2.99):
                shown = self.ask(f"(() => {{ ali3.page.source.seek({at}); ali3.page.stepPage(performance.now() * 1e-3); ali3.page.plots.draw(ali3.page.instant);"
                                 "return ali3.page.plots.list.flatMap((p) => p.series).map((s) => [s.name, s.shown.time, s.shown.value]); })()")
                for name, time, value in shown:
                    row = max((r for r in rows if float(r["time"]) <= at + 1e-9), key=lambda r: float(r["time"]))
                    self.assertAlmostEqual(time, float(row["time"]), delta=1e-9)
                    self.assertEqual(value, single(float(row[name])), (at, name))


class Plots(Shown):
    def test_history_cursor_and_exports(self):
        with bench.Daemon() as d:
            bench.wait_for("four seconds of cycles", lambda: d.watch()["cycle"] > 500)
            opened = d.watch()["cycle"]
            self.open(d)
            self.plot("body.A.position.x + body.A.velocity.x, energy.total")
            bench.wait_for("history", lambda: self.ask("Math.min(...ali3.page.plots.list.flatMap((p) => p.series).map((s) => s.ring.count))") > 300)
            cycles = self.ask("(() => { const r = ali3.page.plots.list[0].series[0].ring; return [...r.places('cycle')].map((i) => r.cycle[i]); })()")
            self.assertEqual(cycles, list(range(int(cycles[0]), int(cycles[-1]) + 1)))
            self.assertLess(cycles[0], opened - 300)
            # Two signals with two units in one plot.
            both = "ali3.page.plots.list.find((p) => p.series.length === 2)"
            self.assertEqual(self.ask(f"{both}.series.map((s) => s.unit)"), ["m", "m/s"])
            # A pointer on one plot shows the values of its instant in all of them.
            self.press("hold")
            canvas = self.browser.find_element("css selector", ".plot canvas")
            webdriver.ActionChains(self.browser).move_to_element_with_offset(canvas, 40, 0).perform()
            bench.wait_for("the cursor", lambda: "cycle" in self.text("cursor"))
            instants = self.ask("ali3.page.plots.list.flatMap((p) => p.series).map((s) => s.shown.cycle)")
            self.assertEqual(len(set(instants)), 1)
            self.assertLess(instants[0], self.ask("ali3.page.plots.list[0].series[0].ring.cycle[ali3.page.plots.list[0].series[0].ring.last()]"))
            self.browser.execute_script("document.querySelector('.plot canvas').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft'}))")
            bench.wait_for("the cursor one column to the left", lambda: self.ask("ali3.page.plots.list[0].series[0].shown.cycle") < instants[0])
            # The table has the cycles that are seen, with equal bits.
            rows = list(csv.DictReader(io.StringIO(self.ask("ali3.page.plots.csv()"))))
            self.assertGreater(len(rows), 300)
            self.assertTrue({"cycle", "time [s]", "utc", "body.A.velocity.x [m/s]", "energy.total [J]"} <= set(rows[0]))
            bits = self.ask("(() => { const r = ali3.page.plots.list.flatMap((p) => p.series).find((s) => s.name === 'energy.total').ring; "
                            "return [...r.places('cycle')].map((i) => [r.cycle[i], r.value[i]]); })()")
            table = {int(r["cycle"]): r["energy.total [J]"] for r in rows}
            self.assertTrue(all(single(float(table[int(c)])) == v for c, v in bits if int(c) in table))
            picture = soak_view.png(__import__("base64").b64decode(self.ask("ali3.page.plots.picture().toDataURL('image/png')").split(",")[1]))
            self.assertGreater(picture[1], 400)

    def test_axes_of_constants_and_of_extremes(self):
        with bench.Daemon() as d:
            self.open(d)
            for low, high in ((0.68, 0.76), (-1, 1), (-10600, 10600), (9999.9, 10000.1), (-5e-24, 1e-23), (1e-23, 1.01e-23), (1e300, 1.1e300), (-3e-5, 7e-5),
                              (12345.67, 12345.68), (0, 1e6), (0, 123456789)):
                got = self.ask(f"ali3.ticks({low!r}, {high!r}, 3)")
                with self.subTest(low=low, high=high):
                    self.assertGreaterEqual(len(got["list"]), 2)
                    self.assertLess(len(got["list"]), 9)
                    self.assertEqual(len({t["text"] for t in got["list"]}), len(got["list"]))
                    for t in got["list"]:
                        self.assertAlmostEqual(float(t["text"]) + got["base"], t["at"], delta=1e-3 * got["step"])
                        self.assertLessEqual(len(t["text"]), 9, t)
            for number, text in ((1e4, "10000"), (-1e4, "-10000"), (1e-23, "1e-23"), (0, "0"), (2.5e6, "2.5e6"), (0.25, "0.25"), (123456, "123456"), (-0.08931, "-0.08931")):
                self.assertEqual(self.ask(f"ali3.number({number!r})"), text)


class Picture(Shown):
    def test_names_and_view(self):
        """No name lies on another one or on the buttons, and the mechanism fills the picture, at the start and from another side."""
        for path in sorted(glob.glob(os.path.join(MODELS, "*.yaml"))):
            d = bench.Daemon()
            soak_view.use_model(d, path)
            with self.subTest(os.path.basename(path)), d:
                self.open(d)
                self.press("names")
                for turn in (0, 1.2):
                    self.browser.execute_script(f"ali3.page.scene.orbit.turn({turn}, 0); ali3.page.scene.orbit.fit()")
                    bench.wait_for("names", lambda: self.ask("ali3.page.labels.list && ali3.page.labels.list.some((l) => !l.span.hidden)"))
                    lying = self.ask("""(() => {
                        ali3.page.placeLabels();
                        const r = [document.getElementById('tools'), ...document.querySelectorAll('#labels span:not([hidden])')].map((e) => e.getBoundingClientRect());
                        return r.flatMap((a, i) => r.slice(0, i).filter((b) => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5)).length;
                    })()""")
                    self.assertEqual(lying, 0)
                    filled = self.ask("""(() => {
                        const s = ali3.page.scene;
                        s.orbit.seen = null;
                        s.orbit.fit();
                        const x = [], y = [];
                        s.corners((p) => { const q = s.project(p.toArray()); x.push(q[0] / s.width); y.push(q[1] / s.height); });
                        return [Math.min(...x), Math.max(...x), Math.min(...y), Math.max(...y)];
                    })()""")
                    self.assertGreater(max(filled[1] - filled[0], filled[3] - filled[2]), 0.8)
                    self.assertTrue(min(filled[0], filled[2]) > 0.02 and max(filled[1], filled[3]) < 0.98, filled)


    def test_a_name_comes_back_to_its_point(self):
        """Names that others push away from one point are beside it again as soon as there is room."""
        with bench.Daemon() as d:
            self.open(d)
            far = self.ask("""(() => {
                const box = document.createElement('div');
                box.style.cssText = 'position: fixed; left: 0; top: 0; width: 400px; height: 300px';
                document.body.append(box);
                const labels = new ali3.Labels(box), point = [...Array(14)].map(() => [200, 150]);
                labels.make(point.map((_, i) => [`J${i}`, 'joint', () => point[i]]));
                for (const l of labels.list) l.span.style.position = 'absolute';
                const gaps = () => {
                    labels.place((p) => p, null);
                    return labels.list.map((l, i) => {
                        const r = l.span.getBoundingClientRect(), [x, y] = point[i];
                        return l.span.hidden ? -1 : Math.hypot(Math.max(r.left - x, x - r.right, 0), Math.max(r.top - y, y - r.bottom, 0));
                    });
                };
                const crowded = gaps();
                point.forEach((p, i) => { p[0] = 30 + 60 * (i % 6); p[1] = 60 + 80 * Math.floor(i / 6); });
                const apart = gaps();
                box.remove();
                return [Math.max(...crowded), Math.min(...apart), Math.max(...apart)];
            })()""")
            self.assertGreater(far[0], 15)
            self.assertGreaterEqual(far[1], 0)
            self.assertLess(far[2], 10)


class Layout(Shown):
    WIDTHS = (360, 500, 760, 1000, 1400)
    ANSWER = "arm refused: required input lead is not fresh; send its values first, then arm again within the time of the watchdog"
    # Every control with its faults: it lies on another one, or leaves the window or an element around it that does not scroll, or its own
    # text leaves it. A picture or a plot counts as a control, because it takes the pointer.
    FAULTS = """(() => {
        const seen = (e) => e.getClientRects().length > 0 && !e.closest('.unseen');
        const all = [...document.querySelectorAll('button, input, select, canvas, label, output, #notice, .plot .title b, .plot .title span')].filter(seen);
        const name = (e) => e.id || e.dataset.command || e.dataset.signal || `${e.parentElement.id || e.parentElement.className} ${e.textContent.trim() || e.tagName}`;
        // The part of an element that its scrolling surroundings show.
        const shown = (e) => {
            let {left, right, top, bottom} = e.getBoundingClientRect();
            for (let p = e.parentElement; p && p !== document.body; p = p.parentElement) {
                if (!/auto|scroll/.test(getComputedStyle(p).overflow)) continue;
                const b = p.getBoundingClientRect();
                [left, right, top, bottom] = [Math.max(left, b.left), Math.min(right, b.right), Math.max(top, b.top), Math.min(bottom, b.bottom)];
            }
            return {left, right, top, bottom};
        };
        const box = new Map(all.map((e) => [e, shown(e)])), bad = [];
        for (const [e, s] of box) {
            const r = e.getBoundingClientRect();
            if (r.width === 0 || r.height === 0) continue;
            for (const [f, o] of box) {
                if (f === e) break;
                if (e.contains(f) || f.contains(e)) continue;
                if (s.left < o.right - 0.5 && o.left < s.right - 0.5 && s.top < o.bottom - 0.5 && o.top < s.bottom - 0.5) bad.push(`${name(e)} lies on ${name(f)}`);
            }
            let x = true, y = true;
            for (let p = e.parentElement; p && p !== document.body; p = p.parentElement) {
                const style = getComputedStyle(p), b = p.getBoundingClientRect();
                if (style.display === 'contents') continue;
                x = x && !/auto|scroll/.test(style.overflowX);
                y = y && !/auto|scroll/.test(style.overflowY);
                if ((x && (r.left < b.left - 1 || r.right > b.right + 1)) || (y && (r.top < b.top - 1 || r.bottom > b.bottom + 1)))
                    bad.push(`${name(e)} leaves ${p.id || p.className || p.tagName}`);
            }
            if (x && (r.left < -0.5 || r.right > document.documentElement.clientWidth + 0.5)) bad.push(`${name(e)} leaves the window`);
            if (e.matches('button, output, label') && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'inline') bad.push(`${name(e)} is cut`);
        }
        return bad;
    })()"""

    def check(self, what):
        """All widths, with a short and a long answer, and with a notice."""
        for width in self.WIDTHS:
            self.size(width, 800)
            for words in ("", self.ANSWER):
                with self.subTest(what, width=width, words=words):
                    self.browser.execute_script("scrollTo(0, 0); ali3.page.answer(arguments[0], true); ali3.page.notice(arguments[0])", words)
                    self.browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[arguments.length - 1]))")
                    self.assertEqual(self.ask(self.FAULTS), [])

    def test_a_daemon(self):
        """With and without the right to command, a platform that jogs, inputs, and a plot of two signals with long names."""
        long = {"name": "a_pose_of_the_platform_with_a_long_name", "platform": "pose", "policy": "hold"}
        with bench.Daemon(cycle={"autostart": False}, inputs=[long], platform=dict(test_rig.PLATFORM, input=long["name"], jog=test_jog.JOG),
                          osc={"peers": test_jog.PEERS}) as d:
            bench.wait_for("ready", lambda: "warm-up cycles done" in d.said())
            for token in ("", self.view.token):
                self.open(d, f"#token={token}" if token else "")
                bench.wait_for("plots", lambda: self.ask("ali3.page.plots.list.length"))
                self.plot(f"input.{long['name']}.position.x + input.{long['name']}.rotation.x, platform.legs.*")
                bench.wait_for("the inputs", lambda: self.ask("document.querySelectorAll('#inputs tr').length > 6"))
                bench.wait_for("the load", lambda: self.text("load"))
                self.assertEqual(self.ask("document.getElementById('jog').hidden"), not token)
                self.assertNotRegex(self.ask("document.body.innerText"), "NaN|undefined")
                self.check(f"token {token != ''}")

    def test_a_file(self):
        with bench.Daemon(wait=False) as d:
            page = os.path.join(d.dir, "run.html")
            subprocess.run([bench.program("ali3-sim"), os.path.join(MODELS, "double_wishbone.yaml"), "--duration", "1", "--view", page], check=True,
                           capture_output=True, timeout=bench.PATIENCE)
            self.browser.get(f"file://{page}")
            bench.wait_for("pictures", lambda: (self.ask("window.ali3 && ali3.page && ali3.page.scene ? ali3.page.scene.pictures : 0") or 0) > 0)
            self.check("file")


class Narrow(Shown):
    def reach(self, selector):
        """Scrolls there, and finds the element under a finger at its middle."""
        self.browser.execute_script("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        return self.ask("""(() => {
            const e = document.querySelector('%s'), r = e.getBoundingClientRect();
            const hit = document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2);
            return r.left >= 0 && r.right <= innerWidth + 0.5 && r.width > 0 && r.height > 0 && (e === hit || e.contains(hit));
        })()""" % selector.replace("'", "\\'"))

    def test_everything_is_reached(self):
        with bench.Daemon() as d:
            for width in (360, 760):
                self.size(width, 640)
                self.open(d, f"#token={self.view.token}")
                self.plot("energy.*")
                bench.wait_for("the inputs", lambda: self.ask("document.querySelectorAll('#inputs tr').length > 1"))
                self.assertLessEqual(self.ask("document.documentElement.scrollWidth"), width)
                for selector in ("#estop", "#state", "#three", "#pick", ".plot canvas", "#inputs table", "#line", "#csv", "[data-command=arm]"):
                    with self.subTest(selector, width=width):
                        self.assertTrue(self.reach(selector))
                # The e-stop stays in the window wherever a person is, and is as large as a finger.
                self.browser.execute_script("scrollTo(0, document.documentElement.scrollHeight)")
                top, bottom, wide = self.ask("(() => { const r = document.getElementById('estop').getBoundingClientRect(); return [r.top, r.bottom, r.width]; })()")
                self.assertTrue(top >= 0 and bottom <= 640 and bottom - top >= 38 and wide >= 90, (top, bottom, wide))

    def moves(self, d):
        """Whether leg 3 changes within some cycles."""
        before = self.figures(d, "platform.legs.3")[2]
        bench.run_on(0.1)
        return self.figures(d, "platform.legs.3")[2] != before

    def test_a_finger_jogs(self):
        with bench.Daemon(cycle={"autostart": False}, inputs=test_rig.INPUTS[:1], platform=dict(test_rig.PLATFORM, jog=test_jog.JOG),
                          osc={"peers": test_jog.PEERS}) as d:
            bench.wait_for("ready", lambda: "warm-up cycles done" in d.said())
            self.size(360, 640)
            self.browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
            self.addCleanup(self.browser.execute_cdp_cmd, "Emulation.setTouchEmulationEnabled", {"enabled": False})
            self.open(d, f"#token={self.view.token}")
            bench.wait_for("the buttons", lambda: self.ask("!document.getElementById('jog').hidden"))
            self.browser.execute_script("document.getElementById('part').value = 'leg3'")
            self.assertTrue(self.reach("[data-jog='1']"))
            x, y = self.ask("(() => { const r = document.querySelector(\"[data-jog='1']\").getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()")

            def touch(kind, *points):
                self.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": px, "y": py} for px, py in points]})
            for end in ("lift", "slide"):
                touch("touchStart", (x, y))
                bench.wait_for(f"the motion before {end}", lambda: self.moves(d))
                bench.run_on(1.0)  # longer than a browser takes for its menu
                self.assertTrue(self.moves(d), end)
                if end == "slide":
                    touch("touchMove", (x, y + 120))
                else:
                    touch("touchEnd")
                bench.wait_for(f"its end by {end}", lambda: not self.moves(d))
                self.assertNotIn("not repeated in time", d.said())
            touch("touchEnd")


class Accessible(Shown):
    NAMED = """(() => {
        const name = (e) => (e.getAttribute('aria-label') || (e.labels && [...e.labels].map((l) => l.textContent).join(' ')) || e.textContent || e.title || '').trim();
        return [...document.querySelectorAll('button, input, select, canvas, a[href], [tabindex], output')].filter((e) => e.offsetParent && !name(e)).map((e) => e.outerHTML);
    })()"""
    FOCUS = """(() => {
        const bad = [];
        for (const e of document.querySelectorAll('button, input, select, canvas[tabindex]')) {
            if (!e.offsetParent || e.disabled) continue;
            e.focus({focusVisible: true});
            if (document.activeElement !== e || getComputedStyle(e).outlineStyle === 'none') bad.push(e.outerHTML);
        }
        return bad;
    })()"""

    def prepared(self, d):
        self.open(d, f"#token={self.view.token}")
        self.plot("energy.* + body.A.position.x")
        bench.wait_for("the inputs", lambda: self.ask("document.querySelectorAll('#inputs tr').length > 1"))

    def test_every_element_has_a_name_and_a_focus(self):
        with bench.Daemon() as d:
            self.prepared(d)
            self.assertEqual(self.ask(self.NAMED), [])
            self.assertEqual(self.ask(self.FOCUS), [])
            self.assertEqual(self.ask("document.documentElement.lang"), "en")
            self.assertEqual(self.ask("document.querySelectorAll('main, header, footer').length"), 3)
            self.assertEqual(self.ask("(() => { const ids = [...document.querySelectorAll('[id]')].map((e) => e.id); return ids.filter((n, i) => ids.indexOf(n) !== i); })()"), [])

    def test_rules_of_axe(self):
        if not os.access(AXE, os.R_OK):
            self.skipTest(f"{AXE} is missing: npm pack axe-core, then ALI3_AXE=package/axe.min.js")
        with open(AXE, encoding="utf-8") as f:
            rules = f.read()
        with bench.Daemon() as d:
            for scheme, width in (("light", 1200), ("dark", 1200), ("light", 360)):
                self.scheme(scheme)
                self.size(width, 800)
                self.prepared(d)
                self.browser.execute_script(rules)
                found, kept = self.browser.execute_async_script("const done = arguments[arguments.length - 1]; axe.run().then((r) => done([r.violations.map((v) => "
                                                                "[v.id, v.impact, v.nodes.slice(0, 3).map((n) => n.html)]), r.passes.map((p) => p.id)]))")
                with self.subTest(scheme=scheme, width=width):
                    self.assertEqual(found, [])
                    self.assertTrue({"color-contrast", "button-name", "label", "select-name"} <= set(kept), kept)
            self.scheme("light")


if __name__ == "__main__":
    bench.main()
