#!/usr/bin/env python3
"""Runs what the README shows: its C program, its Python program, its tour.

BUILD is the build folder; the program and the library are taken from there.
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ["BUILD"])
CLI = BUILD / "cli" / "httpdyno"
README = (ROOT / "README.md").read_text()


def block(language):
    return re.search(r"```%s\n(.*?)```" % language, README, re.S).group(1)


def run(command, folder, **more):
    environment = dict(os.environ, LD_LIBRARY_PATH=str(BUILD))
    return subprocess.run(command, cwd=folder, env=environment, timeout=120,
                          capture_output=True, text=True, **more)


class Readme(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def check_quantile(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^p99 of response: \d+\.\d{3} ms\n$")
        self.assertGreaterEqual(float(done.stdout.split()[3]), 10.0)

    def test_the_c_program_prints_a_quantile(self):
        source = block("c")
        self.assertLessEqual(len(source.splitlines()), 32)
        program = pathlib.Path(self.folder.name, "program")
        program.with_suffix(".c").write_text(source)
        built = run(["cc", "-std=c99", "-Wall", "-Werror", "-o", str(program),
                     "program.c", "-I", str(ROOT / "include"), "-L", str(BUILD),
                     "-lhttpdyno"], self.folder.name)
        self.assertEqual(built.returncode, 0, built.stderr)
        self.check_quantile(run([str(program)], self.folder.name))

    def test_the_python_program_prints_a_quantile(self):
        source = block("python")
        self.assertLessEqual(len(source.splitlines()), 60)
        self.check_quantile(
            run([sys.executable, "-B", "-c", source], self.folder.name))

    def test_the_tour_runs(self):
        lines = block("sh").replace("\\\n", " ").splitlines()
        serve = lines[0].split("#")[0].rstrip(" &").split()
        ready, told = os.pipe()
        server = subprocess.Popen(
            [CLI] + serve[1:3] + ["0", "--ready-fd", str(told)],
            pass_fds=[told], stderr=subprocess.DEVNULL)
        os.close(told)
        try:
            with os.fdopen(ready) as pipe:
                port = int(pipe.readline())
            for line in lines[1:]:
                words = line.split("#")[0].replace(":8080", f":{port}").split()
                done = run([CLI] + words[1:], self.folder.name)
                self.assertEqual(done.returncode, 0, f"{line}\n{done.stderr}")
        finally:
            server.send_signal(signal.SIGTERM)
            self.assertEqual(server.wait(10), 0)


if __name__ == "__main__":
    unittest.main()
