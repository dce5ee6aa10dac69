#!/usr/bin/env python3
"""Runs what the README shows: its programs and its commands. A command that is
neither run nor an exception with a reason fails, an exception that the README
does not have any more too.

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

EXCEPTIONS = {
    "scripts/try": "installs and builds; all it does then is a matrix",
    "scripts/test": "runs this test",
    "tests/bench/peers":
        "installs other programs and measures for minutes; bench_peers runs it",
    "cmake --preset release && cmake --build --preset release":
        "makes what is tested here",
    "cmake --install build/release": "package_test.py, into a folder of its own",
    "pkg-config --cflags --libs httpdyno": "package_test.py, where it is installed",
}
# Words that are for the reader to fill in.
STAND_FOR = {"FILE...": "run.json", "NAME": "fifo-lazy"}

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.S | re.M)
SHELLS = {"sh", "bash", "shell", "console"}
PROGRAMS = {"c", "python"}
# What starts like this is a command wherever it stands.
COMMAND = re.compile(
    r"(\$|httpdyno|sh|bash|sudo|env|apt|apt-get|docker|git|cc|c\+\+|gcc|g\+\+|"
    r"clang|python3?|pip3?|cmake|ctest|ninja|make|pkg-config|curl|cargo|"
    r"go (run|build|test|get)) |(scripts|build|bench|tests|tools|\.)/\w\S*( |$)")
# Code in a sentence that is only the name of a file or of a program.
NAME = re.compile(r"\S+/\S+\.\w+$|build/release/cli/httpdyno$")


def blocks(*languages):
    return [text for language, text in BLOCK.findall(README)
            if language in languages]


def lines(text):
    """Its lines without comments; what a backslash splits is one."""
    for line in text.replace("\\\n", " ").splitlines():
        line = " ".join(re.sub(r"(^|\s)#.*", "", line).split())
        if line:
            yield line.removeprefix("$ ")


def commands():
    """Every command, in the README's order but for those in sentences, which
    may need what the others made."""
    found = [line for text in blocks(*SHELLS) for line in lines(text)]
    found += [line for text in blocks("") for line in lines(text)
              if COMMAND.match(line)]
    for code in re.findall(r"`([^`]+)`", BLOCK.sub("", README)):
        code = " ".join(code.split())
        if COMMAND.match(code) and not NAME.match(code):
            found.append(code)
    return list(dict.fromkeys(found))


def environment():
    return dict(os.environ, LD_LIBRARY_PATH=str(BUILD),
                PATH=f"{CLI.parent}:{os.environ['PATH']}")


def run(command, folder, **more):
    return subprocess.run(command, cwd=folder, env=environment(), timeout=120,
                          capture_output=True, text=True, **more)


class Server:
    """A `httpdyno serve` of the README, on a free port."""

    def __init__(self, line):
        words = re.sub(r"--port \d+", "", line.rstrip(" &")).split()
        ready, told = os.pipe()
        self.process = subprocess.Popen(
            [CLI] + words[1:] + ["--port", "0", "--ready-fd", str(told)],
            pass_fds=[told], stderr=subprocess.DEVNULL)
        os.close(told)
        with os.fdopen(ready) as pipe:
            self.port = int(pipe.readline())

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(10)


class Readme(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def check_quantile(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^p99 of response: \d+\.\d{3} ms\n$")
        self.assertGreaterEqual(float(done.stdout.split()[3]), 10.0)

    def test_the_c_program_prints_a_quantile(self):
        source, = blocks("c")
        self.assertLessEqual(len(source.splitlines()), 32)
        program = pathlib.Path(self.folder.name, "program")
        program.with_suffix(".c").write_text(source)
        built = run(["cc", "-std=c99", "-Wall", "-Werror", "-o", str(program),
                     "program.c", "-I", str(ROOT / "include"), "-L", str(BUILD),
                     "-lhttpdyno"], self.folder.name)
        self.assertEqual(built.returncode, 0, built.stderr)
        self.check_quantile(run([str(program)], self.folder.name))

    def test_the_python_program_prints_a_quantile(self):
        source, = blocks("python")
        self.assertLessEqual(len(source.splitlines()), 60)
        self.check_quantile(
            run([sys.executable, "-B", "-c", source], self.folder.name))

    def test_every_program_is_in_a_language_that_is_run_here(self):
        for language, text in BLOCK.findall(README):
            self.assertIn(language, SHELLS | PROGRAMS | {""}, text)

    def test_every_command_runs_or_is_an_exception(self):
        found = commands()
        self.assertGreater(len(found), 10)
        self.assertEqual(set(EXCEPTIONS) - set(found), set())
        ports = []
        for line in found:
            if line not in EXCEPTIONS:
                with self.subTest(line):
                    self.check_command(line, ports)

    def check_command(self, line, ports):
        if not line.startswith("httpdyno "):
            self.fail("neither run here nor an exception: " + line)
        if line.startswith("httpdyno serve") and "--help" not in line:
            return self.check_server(line, ports)
        for word, meant in STAND_FOR.items():
            line = line.replace(word, meant)
        for port in ports:
            line = line.replace(":8080", f":{port}")
        done = run(["sh", "-c", line], self.folder.name)
        self.assertEqual(done.returncode, 0, f"{line}\n{done.stderr}")

    def check_server(self, line, ports):
        """One in the background serves the commands that follow."""
        server = Server(line)
        if line.endswith("&"):
            ports.append(server.port)
            self.addCleanup(lambda: self.assertEqual(server.stop(), 0))
        else:
            self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main()
