#!/usr/bin/env python3
"""An installed httpdyno as its users meet it: through pkg-config, through
find_package, through dlopen. BUILD is the build folder that is installed."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ["BUILD"])

# Loads the library, runs a plan with it, unloads it, looks whether it is gone.
UNLOAD = """
import _ctypes, ctypes, sys
library = ctypes.CDLL(sys.argv[1])
handle = ctypes.c_void_p
def new(function, *rest):
    made = handle()
    assert function(ctypes.byref(made), *rest) == 0, function
    return made
server = new(library.dyno_server_new)
for key, value in ((b"port", b"0"), (b"tls", b"on")):
    assert library.dyno_server_set(server, key, value) == 0
assert library.dyno_server_start(server) == 0
plan = new(library.dyno_plan_new)
url = b"https://127.0.0.1:%d/" % library.dyno_server_port(server)
for key, value in ((b"target.url", url), (b"tls.insecure", b"on"),
                   (b"load.requests", b"50")):
    assert library.dyno_plan_set(plan, key, value) == 0
run = new(library.dyno_run_start, plan)
assert library.dyno_run_wait(run, ctypes.c_int64(-1)) == 0
result = handle()
assert library.dyno_run_result(run, ctypes.byref(result)) == 0
text = ctypes.c_char_p()
assert library.dyno_result_render(result, b"json", ctypes.byref(text), None) == 0
library.dyno_result_free(result)
library.dyno_run_free(run)
library.dyno_plan_free(plan)
library.dyno_server_free(server)
def is_mapped():
    return "libhttpdyno" in open("/proc/self/maps").read()
assert is_mapped()
_ctypes.dlclose(library._handle)
assert not is_mapped(), "still mapped after dlclose"
"""


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True,
                          text=True, timeout=120, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
    return done.stdout


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.prefix = pathlib.Path(cls.folder.name, "prefix")
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.library = next(cls.prefix.rglob("libhttpdyno.so"))

    def environment(self):
        return dict(os.environ, LD_LIBRARY_PATH=str(self.library.parent),
                    PKG_CONFIG_PATH=str(self.library.parent / "pkgconfig"))

    def test_a_consumer_builds_with_pkg_config(self):
        program = pathlib.Path(self.folder.name, "by-pkg-config")
        flags = run("pkg-config", "--define-prefix", "--cflags", "--libs",
                    "httpdyno", env=self.environment()).split()
        run("cc", "-std=c99", HERE / "consumer.c", "-o", program, *flags)
        self.assertEqual(run(program, env=self.environment()), "100\n")

    def test_a_consumer_builds_with_find_package(self):
        source = pathlib.Path(self.folder.name, "source")
        build = pathlib.Path(self.folder.name, "build")
        source.mkdir()
        shutil.copy(HERE / "consumer.c", source)
        shutil.copy(HERE / "CMakeLists.txt.in", source / "CMakeLists.txt")
        run("cmake", "-G", "Ninja", "-S", source, "-B", build,
            f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        self.assertEqual(run(build / "consumer", env=self.environment()),
                         "100\n")

    def test_the_schema_of_the_json_is_installed(self):
        schema = self.prefix / "share" / "httpdyno" / "httpdyno.schema.json"
        self.assertIn("httpdyno/1", schema.read_text())

    def test_the_library_can_be_unloaded(self):
        run(sys.executable, "-B", "-c", UNLOAD, self.library)

    def test_the_installed_program_finds_its_library(self):
        program = self.prefix / "bin" / "httpdyno"
        self.assertIn("0.1.0", run(program, "--version",
                                   env=self.environment()))


if __name__ == "__main__":
    unittest.main()
