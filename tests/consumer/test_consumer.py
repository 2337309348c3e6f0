#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_consumer.py ROOT BUILD: libali3 as a user has it: installed below a path with spaces, found by pkg-config and by CMake,
linked shared and static, from C and C++."""
import csv
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT, BUILD = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
PROJECT = ROOT / "tests" / "consumer" / "project"
# The oldest C library that a shared object promises.
GLIBC = (2, 17)


def out(*words, **options):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, **options)
    if done.returncode:
        raise AssertionError(f"{words}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Consumer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ali3 consumer ")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.prefix = cls.folder / "an empty place" / "usr"
        out("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.lib = next(cls.prefix.rglob("libali3.so.0")).parent
        cls.env = dict(os.environ, PKG_CONFIG_PATH=str(cls.lib / "pkgconfig"))

    def test_symbols(self):
        shared = out("nm", "-D", "--defined-only", self.lib / "libali3.so.0").split("\n")
        names = {line.split()[2].split("@")[0] for line in shared if line}
        self.assertEqual({n for n in names if not n.startswith("ali3_")} - {"ALI3_0"}, set())
        static = out("nm", "-g", "--defined-only", self.lib / "libali3.a").split("\n")
        self.assertEqual({words[2] for words in map(str.split, static) if len(words) == 3}, names - {"ALI3_0"})
        headers = "\n".join(p.read_text() for p in (self.prefix / "include" / "ali3").glob("*.h"))
        headers = re.sub(r"/\*.*?\*/", "", headers, flags=re.S)
        self.assertEqual(set(re.findall(r"\b(ali3_\w+)(?=\()", headers)), names - {"ALI3_0"})

    def test_what_it_needs(self):
        said = out("objdump", "-p", self.lib / "libali3.so.0")
        needed = re.findall(r"NEEDED\s+(\S+)", said)
        self.assertEqual({n.split(".so")[0] for n in needed}, {"libm", "libc"})
        self.assertIn("libali3.so.0", re.findall(r"SONAME\s+(\S+)", said))
        versions = re.findall(r"GLIBC_([0-9.]+)", out("objdump", "-T", self.lib / "libali3.so.0"))
        newest = max(tuple(map(int, v.split("."))) for v in versions)
        self.assertLessEqual(newest, GLIBC, sorted(set(versions)))

    def test_pkg_config(self):
        flags = out("pkg-config", "--cflags", "--libs", "ali3", env=self.env).strip()
        program = self.folder / "rod"
        out("sh", "-c", f"{os.environ.get('CC', 'cc')} '{PROJECT / 'rod.c'}' -o '{program}' {flags}")
        run = out(program, env=dict(self.env, LD_LIBRARY_PATH=str(self.lib)))
        self.assertRegex(run, r"^-?0x1\S+ \S+ -?0x1\S+\n$")
        self.assertIn("-lm", out("pkg-config", "--static", "--libs", "ali3", env=self.env))
        self.assertEqual(out("pkg-config", "--modversion", "ali3", env=self.env).strip(),
                         re.search(r'ALI3_VERSION +"(.*)"', (ROOT / "include/ali3/version.h").read_text())[1])

    def test_cmake(self):
        if not shutil.which(os.environ.get("CXX", "c++")):
            self.skipTest("no C++ compiler (Debian package g++)")
        build = self.folder / "b"
        out("cmake", "-S", PROJECT, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", env=self.env)
        out("cmake", "--build", build, "--parallel", "2", env=self.env)
        runs = {name: out(build / name) for name in ("c", "cxx", "static", "clash")}
        self.assertEqual(set(runs.values()), {runs["c"]}, runs)  # the same bits
        self.assertEqual(out(build / "modes"), "")
        for model in sorted((ROOT / "config" / "models").glob("*.yaml")):
            with self.subTest(model.name):
                self.check_flat(build / "flat", model)
        # Another major or minor version is refused before it is linked.
        with self.assertRaisesRegex(AssertionError, "0.1.0"):
            shutil.copytree(PROJECT, self.folder / "newer")
            path = self.folder / "newer" / "CMakeLists.txt"
            path.write_text(path.read_text().replace("find_package(ali3 0.1", "find_package(ali3 0.2"))
            out("cmake", "-S", path.parent, "-B", self.folder / "n", f"-DCMAKE_PREFIX_PATH={self.prefix}", env=self.env)

    def test_make(self):
        """README builds with the default generator, make: it knows a file of another target only if that target is built first."""
        build = self.folder / "make"
        out("cmake", "-G", "Unix Makefiles", "-S", ROOT, "-B", build, "-DBUILD_TESTING=OFF")
        before = {}
        for rules in build.rglob("Makefile2"):
            for target, other in re.findall(r"^(\S+\.dir)/all: (\S+\.dir)/all$", rules.read_text(), re.M):
                before.setdefault(target, set()).add(other)

        def all_before(target):
            return {target}.union(*map(all_before, before.get(target, ())))

        for rules in build.rglob("build.make"):
            own = str(rules.relative_to(build).parent)
            objects = re.findall(r"^\S+: (\S+/CMakeFiles/\w+\.dir)/\S+\.o$", rules.read_text(), re.M)
            self.assertEqual(set(objects) - all_before(own), set(), own)

    def check_flat(self, program, model):
        """The model as bytes has the hash of its bytes, and its steps the bits of ali3-sim."""
        flat = self.folder / "model.flat"
        out(BUILD / "bin" / "ali3d", model, "--flat", flat)
        identity, *bodies = out(program, flat, 20).splitlines()
        self.assertEqual(identity, hashlib.sha256(flat.read_bytes()).hexdigest())
        rows = csv.DictReader(out(BUILD / "bin" / "ali3-sim", model, "--duration", "0.5", "--signals", "body.*.position.*",
                                  "--output", "-").splitlines())
        row = list(rows)[20]
        for name, *position in map(str.split, bodies):
            self.assertEqual([float(x) for x in position], [float(row[f"body.{name}.position.{axis}"]) for axis in "xyz"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
