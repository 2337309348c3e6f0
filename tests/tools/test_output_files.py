#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_output_files.py BIN ROOT: every option that names an output file says before the work why the file cannot be written, and prints nothing
else."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

BIN, ROOT = (os.path.abspath(word) for word in sys.argv[1:3])
MODELS = os.path.join(ROOT, "config", "models")
FOUR_BAR, QUARTER_CAR = os.path.join(MODELS, "four_bar.yaml"), os.path.join(MODELS, "quarter_car.yaml")
CAR = os.path.join(ROOT, "config", "demo", "car.yaml")
RUN = ["run", FOUR_BAR, "--method", "ali3", "--integrator", "tr", "--duration", "0.1"]
MAP = ["map", FOUR_BAR, "--method", "ali3", "--integrator", "tr", "--duration", "0.1", "--grid", "dt=0.01:0.02:2"]
ROBOT = """<robot name="r"><link name="ground"/><link name="arm">
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="a.stl"/></geometry></visual></link>
<joint name="j" type="revolute"><parent link="ground"/><child link="arm"/><axis xyz="1 0 0"/><limit effort="1" velocity="1"/></joint></robot>
"""

# Options that name a file or a folder that is read, or that need not be there.
READ = {
    "ali3-bench": {"platform"}, "ali3-doctor": {"root"}, "ali3-fmu": {"platform-binary"}, "ali3-import": {"pose", "loops", "package"},
    "ali3-lab": {"models", "references", "reference"}, "ali3-record": {"recover"}, "ali3-sim": {"inputs", "state-in", "batch", "stimulus"},
    "ali3-view": {"meshes", "token-file"}, "ali3d": {"resume"},
}

MADE = ("--meshes", "--to", "--state-dir")  # options that name a folder


def commands(folder):
    """For each program and option: the words in front of the option, and those behind its file."""
    sweep, link, plan = (os.path.join(folder, name) for name in ("sweep.yaml", "link.yaml", "robot.urdf"))
    linear = [QUARTER_CAR, "--from", "road", "--to", "body.body.position.z"]
    recording = os.path.join(folder, "run.h5")
    return {
        "ali3-sim": {"output": [FOUR_BAR, "--duration", "0.1"], "view": [FOUR_BAR, "--duration", "0.1"], "state-out": [FOUR_BAR, "--duration", "0.1"],
                     "summary": [FOUR_BAR, "--duration", "0.1"], "linearise": linear, "bode": [*linear, "--linearise", "-"],
                     "png": [FOUR_BAR, "--batch", sweep, "--quantities", "energy.kinetic", "--output", os.path.join(folder, "rows.csv"), "--duration", "0.1"]},
        "ali3-omct": {"csv": [CAR], "png": [CAR]},
        "ali3-lab": {"output": RUN, "summary": RUN, "json": ["compare", FOUR_BAR, "--duration", "0.1"], "csv": ["compare", FOUR_BAR, "--duration", "0.1"],
                     "png": ["compare", FOUR_BAR, "--duration", "0.1"]},
        "ali3-link": {"record": [link]},
        "ali3-replay": {"write": [recording], "csv": ["export", recording], "mf4": ["export", recording]},
        "ali3-record": {"once": [], "to": []},
        "ali3-top": {"histogram": []},
        "ali3d": {"draw": [FOUR_BAR], "flat": [FOUR_BAR], "flat-inputs": [FOUR_BAR, "--flat", "/dev/null"], "report": [FOUR_BAR, "--duration", "0.1"],
                  "miss-log": [FOUR_BAR, "--duration", "0.1"], "state-dir": [FOUR_BAR, "--duration", "0.1"]},
        "ali3-import": {"meshes": [plan]},
    }


# More commands with files that another option, or no option, names.
def more_commands(missing):
    return [
        ("ali3-lab", ["table", "p5-operations", "--json", missing], "--json"),
        ("ali3-lab", [*MAP, "--csv", missing], "--csv"),
        ("ali3-lab", [*MAP, "--csv", "/dev/null", "--png", missing], "--png"),
        ("ali3-lab", ["merge", "/dev/null", "--csv", missing], "--csv"),
        ("ali3-lab", ["reactions", FOUR_BAR, "--joint", "A", "--csv", missing], "--csv"),
        ("ali3-lab", ["reactions", FOUR_BAR, "--joint", "A", "--png", missing], "--png"),
        ("ali3-sim", ["merge", "/dev/null", "--output", missing], "--output"),
        ("ali3-fmu", ["export", FOUR_BAR, missing + ".fmu"], "export"),
        ("ali3-replay", ["recover", "/dev/null", missing], "recover"),
        ("ali3-record", ["--recover", "/dev/null", "--once", missing], "--once"),
    ]


def run(program, words):
    return subprocess.run([os.path.join(BIN, program), *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)


class OutputFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.folder = cls.scratch.name
        for name, text in (("sweep.yaml", "parameters: {model.gravity.2: [-9, -10]}\n"), ("link.yaml", "step: 0.01\n"), ("run.h5", ""),
                           ("robot.urdf", ROBOT), ("a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
                                                            "endloop\nendfacet\nendsolid a\n")):
            with open(os.path.join(cls.folder, name), "w", encoding="ascii") as file:
                file.write(text)
        cls.commands = commands(cls.folder)

    def refused(self, cases, pattern):
        """Each case (program, words, option) fails with one line that names option, file, reason and remedy, and prints nothing."""
        with ThreadPoolExecutor(2) as pool:
            ends = list(pool.map(lambda case: run(*case[:2]), cases))
        for (program, words, option), done in zip(cases, ends):
            with self.subTest(program=program, words=words):
                self.assertEqual((done.returncode > 0, done.stdout), (True, ""), done.stderr)
                self.assertRegex(done.stderr, rf"(?m)^{program}: (.*: )?{option}: {pattern}$")

    def each_with(self, name):
        return [(program, [*words, "--" + option, name], "--" + option) for program, options in self.commands.items() for option, words in options.items()]

    def test_every_option_is_here(self):
        for program in sorted(os.listdir(BIN)):
            text = run(program, ["--help"]).stdout if program.startswith("ali3") else ""
            found = set(re.findall(r"--([a-z][a-z0-9-]*)(?:\[?[ =])(?:FILE|OUT|DIR|FOLDER|PNG|CSV)\b", text))
            self.assertEqual(found - READ.get(program, set()) - set(self.commands.get(program, ())), set(), program)
            self.assertEqual(set(self.commands.get(program, ())) - found, set(), program)

    def test_a_folder_that_is_missing(self):
        folder = os.path.join(self.folder, "none")
        missing = os.path.join(folder, "x")
        cases = [c for c in self.each_with(missing) + more_commands(missing) if c[2] not in MADE]
        self.refused(cases, rf"{re.escape(missing)}(\.fmu)?: the folder {re.escape(folder)} does not exist; make it, or name another file")
        self.refused([("ali3-record", ["--to", folder], "--to")], rf"{re.escape(folder)}: No such file or directory; make it, or name another folder")
        self.assertFalse(os.path.exists(folder))

    def test_a_folder_in_place_of_a_file(self):
        cases = [c for c in self.each_with(self.folder) + more_commands(self.folder) if c[0] != "ali3-fmu" and c[2] not in MADE]
        self.refused(cases, rf"{re.escape(self.folder)}: it is a folder; name a file in it")

    def test_a_file_in_place_of_a_folder(self):
        file = os.path.join(self.folder, "link.yaml", "x")
        self.refused([c for c in self.each_with(file) if c[2] != "--meshes"], ".*[Nn]ot a (directory|folder).*; .*")

    def test_a_folder_of_meshes_in_one_that_is_missing(self):
        done = subprocess.run([os.path.join(BIN, "ali3-import"), "robot.urdf", "--meshes", "none/meshes"], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"--meshes: none/meshes: No such file or directory; make the folder above it, or name another folder")

    def test_a_folder_of_states(self):
        """The daemon makes the folder and those above it, so only the first one that is there has to take files."""
        file, name = os.path.join(self.folder, "link.yaml"), "--state-dir"
        daemon = [FOUR_BAR, "--duration", "0.1", "--report", "/dev/null"]
        for folder, reason in ((file, "it is a file; name a folder"), (file + "/a/b", "Not a directory; name another folder")):
            with self.subTest(folder):
                done = run("ali3d", [*daemon, name, folder])
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertEqual(done.stderr, f"ali3d: {name}: {folder}: {reason}\n")
        # Nobody may write to the root folder. Root may write everywhere.
        options = {"user": 65534} if os.geteuid() == 0 else {}
        try:
            done = subprocess.run([os.path.join(BIN, "ali3d"), *daemon, name, "/states/of/ali3"], capture_output=True, text=True, check=False, **options)
        except PermissionError:
            done = None  # the programs lie where only root reads
        if done:
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertEqual(done.stderr, f"ali3d: {name}: /states/of/ali3: cannot be made: /: Permission denied; name a folder that you may write to\n")
        made = os.path.join(self.folder, "made", "below", "it")
        done = run("ali3d", [*daemon, name, made, "--check"])
        self.assertEqual((done.returncode, os.path.exists(made)), (0, False), done.stderr)

    def test_a_picture_without_gnuplot(self):
        """A shell that finds no gnuplot ends before the data: a message, and not the end by SIGPIPE."""
        done = subprocess.run([os.path.join(BIN, "ali3-omct"), CAR, "--png", os.path.join(self.folder, "omct.png"), "--json"], env={"PATH": self.folder},
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"(?m)^ali3-omct: --png: gnuplot could not draw .*omct.png; the Debian package gnuplot-nox has gnuplot$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
