# SPDX-License-Identifier: MIT
"""The guides in config/guides: their commands give the output that they show, and their form is that of a guide: a command, its output,
then at most three sentences."""
import pathlib
import re
import unittest
import unittest.mock

import bench
import reader

FOLDER = pathlib.Path(bench.ROOT, "config", "guides")
STATUSES = {  # that tell of the file, the daemon or the host
    "build/bin/ali3d wrong.yaml --check": (2,),
    "build/bin/ali3-top --once --instance fast_crank": (1,),
    "build/bin/ali3-doctor": (0, 1, 2),
}
if not bench.JUDGES_TIMES:  # a PLC that is held up for longer than `hold` has not reached its target at the end
    STATUSES |= {f"python3 config/guides/plc.py --target 0.95 --seconds 5{reset}": (0, 1) for reset in ("", " --reset")}


def sentences(text):
    """How many sentences a paragraph has. A full stop within a name or a number does not end one."""
    return len(re.findall(r"[.!?](?=\s|$)", text))


class TestReader(unittest.TestCase):
    OUTPUT = "[200]: 0.93\nx  INIT -> RUNNING: ready\n"

    def test_lines_come_in_order(self):
        self.assertIsNone(reader.missing("[7]: 1.5\n...\nINIT -> RUNNING", self.OUTPUT, False))
        self.assertEqual(reader.missing("RUNNING\n[200]: 1\n", self.OUTPUT, False), "[200]: 1")
        self.assertEqual(reader.missing("INIT -> SAFE", self.OUTPUT, False), "INIT -> SAFE")

    def test_figures(self):
        self.assertIsNone(reader.missing("[200]: 0.931", self.OUTPUT, True))
        self.assertEqual(reader.missing("[200]: 0.95", self.OUTPUT, True), "[200]: 0.95")

    def test_dots_stand_for_text(self):
        self.assertIsNone(reader.missing("x ... ready", self.OUTPUT, False))
        self.assertEqual(reader.missing("[200]: ... ready", self.OUTPUT, False), "[200]: ... ready")

    def test_what_ali3d_says_of_a_busy_host_is_left_out(self):
        verdict = "verdict   DEGRADED: 9 steps did not converge"
        for said in ("1 deadline missed, the last 2 s ago; ", "2 deadlines missed; "):
            self.assertEqual(reader.HOST.sub("", verdict.replace("9", said + "9")), verdict)

    def test_a_wrong_command_and_a_wrong_line_fail(self):
        for text in ("```sh\nfalse\n```\n", "```sh\necho one\n```\n```text\ntwo\n```\n"):
            result = unittest.TestResult()

            class Document(unittest.TestCase):
                def test(self, text=text):
                    reader.follow(self, text)
            with unittest.mock.patch.object(reader, "OUTPUT_SECONDS", 0.5):
                Document("test").run(result)
            self.assertEqual(len(result.failures), 1)


class TestGuides(unittest.TestCase):
    def follow(self, name):
        reader.ports_are_free(self)
        for tool in ("oscsend", "mbpoll"):
            bench.need(tool)
        ran, shown = reader.follow(self, (FOLDER / name).read_text(encoding="utf-8"), statuses=STATUSES)
        self.assertGreaterEqual(ran, 4)
        return shown

    def test_plc_cylinder(self):
        self.follow("plc-cylinder.md")

    def test_hydraulic_lift(self):
        self.follow("hydraulic-lift.md")

    def test_electric_motor(self):
        currents = [int(x) for x in re.findall(r"^\[301\]:\s+(\d+)", self.follow("electric-motor.md"), re.MULTILINE)]
        for current in currents[:2]:  # mA, of 2 V over 0.8 ohm: by OSC, by Modbus
            self.assertTrue(2200 < current <= 2500, currents)

    def test_sensors(self):
        self.follow("sensors.md")

    def test_own_hexapod(self):
        self.follow("own-hexapod.md")

    def test_urdf(self):
        self.follow("urdf.md")

    def test_rig(self):
        self.follow("rig.md")

    def test_lockstep(self):
        checksums = re.findall(r"checksum (\d+)", self.follow("lockstep.md"))
        self.assertEqual(checksums, 2 * checksums[:1], "runs in lockstep differ")

    def test_fmu(self):
        self.follow("fmu.md")

    def test_supplier_fmu(self):
        bench.need("pgrep")
        self.follow("supplier-fmu.md")

    def test_two_machines(self):
        self.follow("two-machines.md")

    def test_accuracy(self):
        self.follow("accuracy.md")

    def test_misses(self):
        self.follow("misses.md")

    def test_every_guide_is_followed(self):
        tested = {name.removeprefix("test_").replace("_", "-") for name in dir(self) if name.startswith("test_")}
        self.assertEqual({p.stem for p in FOLDER.glob("*.md")} - tested, set())

    def test_form(self):
        """In each section at most three sentences follow the last output."""
        for path in FOLDER.glob("*.md"):
            text = path.read_text(encoding="utf-8")
            for section in re.split(r"^## ", text, flags=re.M)[1:]:
                with self.subTest(f"{path.name}: {section.splitlines()[0]}"):
                    after = re.split(r"^```\n", section, flags=re.M)[-1] if "```" in section else ""
                    self.assertLessEqual(sentences(after), 3)


if __name__ == "__main__":
    bench.main()
