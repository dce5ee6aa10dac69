#!/usr/bin/env python3
"""The promises of the C ABI, read off the headers, the map and the library.

BUILD is the build folder whose libhttpdyno.so is looked at.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ["BUILD"])
LIBRARY = BUILD / "libhttpdyno.so"
HEADERS = sorted((ROOT / "include" / "httpdyno").glob("*.h"))
NULL_TEST = (ROOT / "tests" / "capi" / "capi_arguments_test.c").read_text()
MAP = (ROOT / "src" / "capi" / "httpdyno.map").read_text()

STANDARDS = [("cc", "c89"), ("cc", "c99"), ("cc", "c11"), ("cc", "c17"),
             ("c++", "c++98"), ("c++", "c++20")]
SCALARS = {"void", "int32_t", "int64_t", "uint32_t", "double", "size_t",
           "char", "dyno_status"}
HANDLES = {"dyno_plan", "dyno_run", "dyno_result", "dyno_server"}
CALLBACKS = {"dyno_tick_fn"}
# What the library may not do, whatever it is linked with. A compiler turns one
# way to print into another, and a distribution adds checks: __printf_chk.
FORBIDDEN = {"exit", "_exit", "_Exit", "quick_exit", "printf", "fprintf",
             "vprintf", "vfprintf", "dprintf", "vdprintf", "puts", "fputs",
             "putc", "fputc", "putchar", "perror", "stdout", "stderr",
             "_ZSt4cout", "_ZSt4cerr", "_ZSt4clog", "signal", "sigaction",
             "setenv", "putenv", "setlocale", "fork", "vfork", "system",
             "execve"}


def output(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True,
                          text=True)
    if done.returncode != 0:
        raise AssertionError(f"{command[0]}: {done.returncode}: {done.stderr}")
    return done.stdout


def code_of(header):
    return re.sub(r"/\*.*?\*/", " ", header.read_text(), flags=re.S)


def declarations():
    """(name, return type and parameters) of every DYNO_API function."""
    for header in HEADERS:
        for found in re.finditer(r"DYNO_API\s+([^;(]+?)(dyno_\w+)\s*\(([^;]*)\);",
                                 code_of(header)):
            yield found.group(2), found.group(1) + ", " + found.group(3)


def parameters_of():
    """(name, its parameters) of every DYNO_API function."""
    for name, signature in declarations():
        text = signature.partition(",")[2]
        yield name, [part.strip() for part in text.split(",")]


def symbols(*flags):
    lines = output("nm", "-D", *flags, LIBRARY).splitlines()
    return {line.split()[-1].split("@")[0] for line in lines}


class Header(unittest.TestCase):
    def test_each_header_compiles_alone_in_every_standard(self):
        with tempfile.TemporaryDirectory() as folder:
            for header in HEADERS:
                for compiler, standard in STANDARDS:
                    suffix = ".c" if compiler == "cc" else ".cc"
                    source = pathlib.Path(folder, "alone" + suffix)
                    source.write_text(
                        f"#include <httpdyno/{header.name}>\n"
                        f"#include <httpdyno/{header.name}>\n"
                        "int main(void) { return 0; }\n")
                    done = subprocess.run(
                        [compiler, f"-std={standard}", "-pedantic-errors",
                         "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                         "-I", str(ROOT / "include"), str(source)],
                        capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0,
                                     f"{header.name} {standard}\n{done.stderr}")

    def test_signatures_have_handles_and_listed_scalars_only(self):
        for name, signature in declarations():
            result, *parameters = signature.split(",")
            for text in [result + " result", *parameters]:
                words = re.findall(r"[\w.]+|\*", text)
                types = {word for word in (words if words == ["void"]
                                           else words[:-1])
                         if word not in ("const", "*")}
                self.assertEqual(types - SCALARS - HANDLES - CALLBACKS, set(),
                                 f"{name}: {text.strip()}")
                self.assertEqual(len(types), 1, f"{name}: {text.strip()}")

    def test_no_struct_of_the_header_has_members(self):
        for header in HEADERS:
            self.assertEqual(re.findall(r"struct\s+\w+\s*\{|\benum\b",
                                        code_of(header)), [])


def arguments(call):
    """The arguments of the call that `call` begins with, nested ones whole."""
    found, depth = [""], 0
    for character in call[call.index("(") + 1:]:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0:
            return [text.strip() for text in found]
        if character == "," and depth == 0:
            found.append("")
        else:
            found[-1] += character


class Null(unittest.TestCase):
    def test_every_pointer_of_every_function_is_null_in_a_test(self):
        calls = {}
        for found in re.finditer(r"dyno_\w+\(", NULL_TEST):
            calls.setdefault(found.group()[:-1], []).append(
                arguments(NULL_TEST[found.start():]))
        for name, parameters in parameters_of():
            for position, parameter in enumerate(parameters):
                if "*" in parameter or parameter.split()[0] in CALLBACKS:
                    with self.subTest(f"{name}: NULL for {parameter}"):
                        self.assertIn("NULL", [call[position] for call
                                               in calls.get(name, [])])


class Frozen(unittest.TestCase):
    def test_a_client_built_with_an_old_header_runs_with_this_library(self):
        frozen = sorted((ROOT / "tests" / "abi" / "frozen").iterdir())
        self.assertTrue(frozen)
        for headers in frozen:
            with tempfile.TemporaryDirectory() as folder:
                program = pathlib.Path(folder, "client")
                output("cc", "-std=c99", "-I", headers,
                       ROOT / "tests" / "package" / "consumer.c",
                       "-o", program, "-L", BUILD, "-lhttpdyno",
                       f"-Wl,-rpath,{BUILD}")
                self.assertEqual(output(program), "100\n", headers.name)


class Symbols(unittest.TestCase):
    def test_declared_is_mapped_is_exported(self):
        declared = {name for name, _ in declarations()}
        mapped = set(re.findall(r"^\s+(dyno_\w+);", MAP, re.M))
        exported = symbols("--defined-only")
        self.assertGreater(len(declared), 80)
        self.assertEqual(declared, mapped)
        self.assertEqual(exported - {"HTTPDYNO_0.1"}, declared)

    def test_every_export_has_the_version_of_its_node(self):
        for line in output("nm", "-D", "--defined-only", LIBRARY).splitlines():
            name = line.split()[-1]
            if name.startswith("dyno_"):
                self.assertTrue(name.endswith("@@HTTPDYNO_0.1"), name)

    def test_the_soname_has_the_major_version_only(self):
        dynamic = output("readelf", "-d", LIBRARY)
        self.assertIn("[libhttpdyno.so.0]", dynamic)

    def test_the_library_neither_prints_nor_ends_the_host(self):
        used = {re.sub(r"^__(\w+)_chk$", r"\1", name)
                for name in symbols("--undefined-only")}
        self.assertEqual(used & FORBIDDEN, set())

    def test_abort_is_called_by_llhttp_only(self):
        callers = set()
        for folder in BUILD.glob("CMakeFiles/dyno_*.dir"):
            for path in folder.rglob("*.o"):
                if re.search(r"\bU abort$", output("nm", path), re.M):
                    callers.add(folder.name)
        self.assertLessEqual(callers, {"dyno_llhttp.dir"})


if __name__ == "__main__":
    unittest.main()
