#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_lint.py PROGRAM FOLDER: the checks of this folder find the mistakes in breaches.c and in trees that this test writes."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAM, FOLDER = sys.argv[1:3]


class Lint(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="ali3-lint-")
        self.addCleanup(shutil.rmtree, self.dir)

    def file(self, name, text):
        path = os.path.join(self.dir, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def said(self, check, *arguments, status=1):
        done = subprocess.run([sys.executable, os.path.join(HERE, check), *arguments], capture_output=True, text=True, check=False)
        if done.returncode == 77:
            self.skipTest(done.stdout)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def calls(self, rules, status=1):
        return self.said("calls.py", PROGRAM, self.file("list", rules), status=status)

    def stack(self, function, status=1):
        rules = self.file("list", f"root {function}\nthread {function} {function} tests/lint/breaches.c STACK_KB\n")
        return self.said("stack.py", ROOT, FOLDER, PROGRAM, rules, status=status)

    def test_calls(self):
        self.assertIn("the loop can reach malloc <- greedy", self.calls("root greedy\nallow free\n"))
        self.assertIn("of the C library: free, malloc", self.calls("root greedy\nallow free malloc\n", 0))
        self.assertIn("the loop can recurse, among: endless", self.calls("root endless\n"))
        self.assertIn("root nobody is not in the program", self.calls("root nobody\n"))

    def test_calls_through_pointers(self):
        self.assertNotIn("malloc", self.calls("root hidden\n", 0))
        for pointer in ("kernels", "kern*", "greedy"):
            self.assertIn("malloc <- greedy <- hidden", self.calls(f"root hidden\npointer {pointer}\nallow free\n"))
        self.assertIn("pointer nobody is not in the program", self.calls("root hidden\npointer nobody\n"))

    def test_stack(self):
        self.assertRegex(self.stack("wide", 0), r"wide: 6\d{4} of 1\d{5} bytes")
        self.assertRegex(self.stack("deep"), r"deep: more than 70% of its stack: STACK_KB in .*breaches\.c is 128")
        self.assertRegex(self.stack("elastic"), "elastic: its frame has no bound")
        self.assertRegex(self.stack("endless"), "recurse, among: endless")

    def test_symbols(self):
        library = os.path.join(self.dir, "libali3_breaches.a")
        objects = [os.path.join(where, name) for where, _, names in os.walk(FOLDER) for name in names if name.endswith(".o")]
        subprocess.run(["ar", "rcs", library, *objects], check=True)
        for rules in ("breaches: free\n", "group heap: free\nbreaches/breaches: heap\nbreaches/others: malloc\n"):
            self.assertEqual(self.said("symbols.py", self.file("list", rules), library),
                             "breaches/breaches takes malloc, which list does not allow it\n")
        self.said("symbols.py", self.file("list", "breaches: free malloc\n"), library, status=0)

    def test_tree(self):
        for wing, layer, line, why in (("io", "osc", "clock_gettime(CLOCK_REALTIME, &t);", "wall clock"),
                                 ("io", "modbus", "long now = time(NULL);", "wall clock"),
                                 ("daemon", "daemon", "usleep(10);", "absolute instants"),
                                 ("daemon", "daemon", "sem_timedwait(&gate, &t);", "wall clock"),
                                 ("host", "rt", "pthread_mutex_lock(&m);", "no lock"),
                                 ("realtime", "signals", "sem_wait(&s);", "no lock"),
                                 ("core", "dca", "char *p = alloca(n);", "unbounded")):
            with self.subTest(line):
                self.file("src/CMakeLists.txt", "# SPDX-License-Identifier: MIT\n")
                self.file(f"src/{wing}/{layer}/bad.c", f"/* SPDX-License-Identifier: MIT: time() */\n{line}\n")
                self.assertRegex(self.said("tree.py", self.dir), rf"src/{wing}/{layer}/bad\.c:2: .*{why}")
        self.assertNotIn("bad.c:1", self.said("tree.py", self.dir))  # a comment may name it

    def test_namesakes(self):
        for count, layer in enumerate(("dca", "layout", "stepper"), 1):
            self.file(f"src/core/{layer}/tree.c", "no license\n")
            said = self.said("tree.py", self.dir)
            self.assertIn(f"src/core/{layer}/tree.c:", said)  # the lint has read the file
            self.assertEqual(count > 2, "tree.c:0: 3 sources in src/ have the name tree.c, more than 2" in said)
            self.assertEqual(count > 2, "sources in src/ have the name" in said)

    def test_commands(self):
        said = "tests/take:0: a script without a suffix is a command: make it executable"
        self.file("src/core/dca/tree.c", "no license\n")
        command = self.file("tests/take", "#!/bin/sh\n")
        os.chmod(command, 0o644)
        self.assertIn(said, self.said("tree.py", self.dir))
        os.chmod(command, 0o755)
        mended = self.said("tree.py", self.dir)
        self.assertIn("src/core/dca/tree.c", mended)
        self.assertNotIn(said, mended)

    def test_walls(self):
        """A room sees what its own line names: not what that links in turn, and nothing that it does not use."""
        for room, text in (("dca", ""), ("stepper", ""), ("mechanics", '#include "dca/tree.h"\n#include "kernels/data.h"\n')):
            self.file(f"src/core/{room}/own.c", f"/* SPDX-License-Identifier: MIT */\n{text}")
        self.file("src/core/CMakeLists.txt", "ali3_layer(dca LINK m)\nali3_layer(stepper LINK dca)\nali3_layer(mechanics LINK stepper)\n")
        self.assertRegex(self.said("tree.py", self.dir), r'mechanics/own\.c:2: "dca/tree\.h": layer mechanics sees only mechanics, stepper')
        self.file("src/host/rt/own.c", "/* SPDX-License-Identifier: MIT */\n")
        self.file("src/host/trace/own.c", "/* SPDX-License-Identifier: MIT */\n")
        self.file("src/host/CMakeLists.txt", "ali3_layer(rt)\nali3_layer(trace LINK rt)\n")
        self.assertIn("src/host/CMakeLists.txt:2: trace links rt, and includes nothing of it", self.said("tree.py", self.dir))

    def test_circles_of_includes(self):
        """A source and its header are one unit, and a private header belongs to its unit."""
        def include(name, *headers):
            self.file("src/io/osc/" + name, "/* SPDX-License-Identifier: MIT */\n" + "".join(f'#include "osc/{header}"\n' for header in headers))

        self.file("src/io/CMakeLists.txt", "ali3_layer(osc)\n")
        for name, *headers in (("in.h", "types.h"), ("in.c", "in.h", "out.h"), ("out.h", "types.h"), ("out.c", "out.h"), ("types.h",)):
            include(name, *headers)
        self.assertNotIn("circle", self.said("tree.py", self.dir))
        include("out.c", "out.h", "in.h")
        self.assertIn("a circle of includes: src/io/osc/in, src/io/osc/out", self.said("tree.py", self.dir))
        include("out.c", "in_parts.h")
        include("in.c", "in.h", "in_parts.h")
        include("in_parts.h", "in.h")
        self.assertNotIn("circle", self.said("tree.py", self.dir))

    def test_waits(self):
        for name, line in (("e2e/test_a.py", "time.sleep(1)"), ("e2e/test_a.py", "run(timeout=20)"), ("e2e/test_a.py", "s.settimeout(2.5)"),
                           ("e2e/test_a.py", 'bench.wait_for("x", f, 5)'), ("e2e/test_a.py", "self.assertLess(time.monotonic() - start, 4)"),
                           ("rt/test_a.c", "assert_true(ms_since(start) < 20);"), ("rt/test_a.c", "enum { PATIENCE_MS = 5000 };"),
                           ("rt/tests.cmake", "set_tests_properties(a PROPERTIES TIMEOUT 60)"),
                           ("rt/tests.cmake", "add_test(NAME a COMMAND nice b)"),
                           ("e2e/test_a.py", 'connect(("127.0.0.1", 9100))')):
            with self.subTest(line):
                path = self.file("tests/" + name, line + "\n")
                self.assertIn(f"tests/{name}:1: ", self.said("waits.py", self.dir))
                self.file("tests/" + name, "pass  # " + line + "\n" if name.endswith(".py") else "/* " + line + " */\n" if name.endswith(".c") else "# " + line + "\n")
                self.said("waits.py", self.dir, status=0)
                os.unlink(path)

    def test_readme(self):
        self.file("src/core/CMakeLists.txt", "# SPDX-License-Identifier: MIT\nali3_layer(base)\nali3_layer(math LINK base)\n")
        for layer in ("base", "math"):
            self.file(f"src/core/{layer}/good.c", "/* SPDX-License-Identifier: MIT */\n")
        self.file("src/README.md", "| `base` | b | `good.c` |\n`math/good.c` `math/gone.c` `g*.c`\n")
        said = self.said("tree.py", self.dir)
        self.assertIn("src/README.md:2: math/gone.c: no such source", said)
        self.assertIn("src/README.md:1: no row for the layer math", said)
        self.assertNotIn("base", said)
        self.assertNotIn("good", said)

    def test_names(self):
        def body(lines, end=""):
            return "{\n" + "  work();\n" * lines + end + "}\n"

        for text, why in (("static int take(void)\n{\n}\n", "2: take: one word"),
                          ("static int\ntake(void)\n{\n}\n", "2: take: one word"),
                          ("static void see_other(int n)\n{\n}\n", r"2: see_other: a static name of src/new/other\.c, too"),
                          ("static const int limits[] = {1};\n", r"2: limits: a static name of src/new/other\.c, too"),
                          ("static struct t *limits;\n", r"2: limits: a static name of src/new/other\.c, too"),
                          ("int wish;\n", "2: wish: an image: say target"),
                          ("/* " + "far " * 40 + "*/\n", "2: a comment of 165 columns, more than"),
                          ("void f(void)\n" + body(16, ""), "2: f: 16 lines of code, 0 comments of 1"),
                          ("void f(void)\n" + body(36, "  /* One. */\n"), "2: f: 36 lines of code, 1 comments of 2")):
            with self.subTest(text):
                self.file("src/new/other.c", "static int limits;\nstatic void see_other(void)\n{\n}\n")
                self.file("src/new/bad.c", f"/* SPDX-License-Identifier: MIT: take(), wish */\n{text}")
                self.assertRegex(self.said("names.py", self.dir), rf"src/new/bad\.c:{why}")
        self.file("src/new/bad.c", "static int take_sample(void);\nstatic int take_sample(void)\n" + body(15, "") +
                  "static __attribute__((format(printf, 1, 2))) void say_that(void)\n" + body(16, "  /* One. */\n") +
                  'static const char *word = "wish";\n')
        self.said("names.py", self.dir, status=0)

    def test_prose(self):
        with open(os.path.join(HERE, "prose_examples.txt"), encoding="utf-8") as f:
            examples = [re.split(r"(?<!\\)\|", line) for line in f if not line.startswith("#")]
        self.assertGreater(len(examples), 20)
        wrong, right = {}, []  # {file: finding}; files without one
        for number, (name, text, finding) in enumerate(examples):
            name = f"{number}-{name.strip()}"
            self.file(name, text.strip().replace("\\n", "\n").replace("\\|", "|") + "\n")
            if finding.strip() == "-":
                right.append(name)
            else:
                wrong[name] = finding.strip()
        said = self.said("prose.py", self.dir, *wrong)
        for name, finding in wrong.items():
            with self.subTest(name):
                self.assertIn(f"{name}:{finding}", said)
        self.assertIn("0 findings", self.said("prose.py", self.dir, *right, status=0))

    def test_prose_of_a_folder(self):
        """A folder on the list of folders to be rewritten is checked if it is named."""
        self.file("prose_later.txt", "src/old\n")
        for name in ("prose.py", "prose.txt"):
            shutil.copy(os.path.join(HERE, name), self.dir)
        for folder in ("new", "old"):
            self.file(f"src/{folder}/a.c", "/* Likewise. */\n")

        def said(*folders):
            run = subprocess.run([sys.executable, os.path.join(self.dir, "prose.py"), self.dir, *folders], capture_output=True, text=True)
            return run.stdout + run.stderr

        self.assertIn("src/new/a.c:1", said())
        self.assertNotIn("src/old/a.c:1", said())
        self.assertIn("src/old/a.c:1", said("src/old"))
        self.assertIn("src/none: no such file or folder", said("src/none"))


if __name__ == "__main__":
    program = unittest.main(argv=[sys.argv[0], "-v"], exit=False)
    for test, reason in program.result.skipped:
        print(f"{test}: {reason}")
    sys.exit(0 if program.result.wasSuccessful() else 1)
