"""Help, mistakes and the tables: nothing here opens a connection."""
import re
import unittest

from harness import run

COMMANDS = ["run", "matrix", "suite", "serve", "report", "options",
            "disciplines"]
URL = "http://127.0.0.1:1/"


class Help(unittest.TestCase):
    def test_every_command_explains_itself_on_stdout(self):
        for command in COMMANDS:
            for words in ([command, "--help"], [command, "-h"],
                          ["help", command]):
                done = run(*words)
                self.assertEqual(done.returncode, 0, words)
                self.assertEqual(done.stderr, "")
                self.assertIn("usage: httpdyno " + command, done.stdout)
                self.assertIn("Examples:", done.stdout)

    def test_help_fits_80_columns(self):
        for command in COMMANDS:
            for line in run(command, "--help").stdout.splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_the_program_explains_itself(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0)
        for command in COMMANDS:
            self.assertIn("\n  " + command, done.stdout)
        self.assertRegex(run("--version").stdout, r"^httpdyno \d+\.\d+\.\d+\n")

    def test_every_option_is_a_flag_of_run_or_of_suite(self):
        text = run("run", "--help").stdout + run("suite", "--help").stdout
        for line in run("options").stdout.splitlines()[1:]:
            flags = re.findall(r"--(?:\[no-\])?[a-z-]+", line)
            self.assertTrue(any(flag in text for flag in flags), line)
            last_flag = flags[0] if len(flags) == 1 else flags[1]
            key = line.split()[0]
            self.assertTrue(
                last_flag.endswith(re.sub(r"[._]", "-", key)), line)

    def test_every_server_option_is_a_flag_of_serve(self):
        text = run("serve", "--help").stdout
        for line in run("options", "--server").stdout.splitlines()[1:]:
            name = line.split()[0].replace("_", "-")
            self.assertRegex(text, rf"--(\[no-\])?{name}\b")


class Mistakes(unittest.TestCase):
    def refused(self, *args, words):
        done = run(*args)
        self.assertEqual(done.returncode, 2, (args, done.stderr))
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, "^httpdyno: ")
        for word in words:
            self.assertIn(word, done.stderr)

    def test_no_command_prints_the_usage(self):
        done = run()
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, "")
        self.assertIn("usage: httpdyno", done.stderr)

    def test_an_unknown_command_names_the_nearest(self):
        self.refused("rnu", words=['"rnu"', "run", "usage: httpdyno"])

    def test_an_unknown_flag_names_the_nearest(self):
        for words in (["--pool-sise", "4", URL], [URL, "--pool-sise", "4"],
                      [URL, "--pool-sise=4"]):
            self.refused("run", *words, words=["--pool-sise", "4",
                                               "did you mean --pool-size?"])

    def test_a_bad_value_names_key_value_and_remedy(self):
        self.refused("run", URL, "--pool-size", "0",
                     words=["pool.size", '"0"', "use 1 to"])
        self.refused("run", URL, "-d", "3x",
                     words=["load.duration", '"3x"', "1m30s"])
        self.refused("run", URL, "--client", "fifo-lzy",
                     words=["client", '"fifo-lzy"', "fifo-lazy"])
        self.refused("run", URL, "--keepalive=maybe",
                     words=["http.keepalive", '"maybe"', "on or off"])
        self.refused("run", "ftp://x/", words=["target.url", "http://"])
        self.refused("run", URL, "--format", "xml",
                     words=["--format", '"xml"', "json"])
        self.refused("run", URL, "--color", "blue",
                     words=["--color", '"blue"', "never"])
        self.refused("matrix", "--server-pipelined", "both",
                     words=["--server-pipelined", '"both"', "serial"])
        self.refused("serve", "--port", "99999", words=["port", '"99999"'])
        self.refused("serve", "--ready-fd", "77", words=["--ready-fd", '"77"'])

    def test_a_value_that_is_missing_is_named(self):
        self.refused("run", URL, "-d", words=["-d", "needs a value"])

    def test_a_single_value_cannot_be_given_twice(self):
        self.refused("run", URL, "-d", "1s", "--load-duration", "2s",
                     words=["load.duration", '"1s"', '"2s"', "once"])
        self.refused("run", URL, "-o", "a", "-o", "b", words=["--output"])
        self.refused("run", URL, URL, words=[URL, "usage"])

    def test_run_needs_a_url(self):
        self.refused("run", words=["target.url", "httpdyno run http://"])

    def test_server_flags_need_the_own_server(self):
        self.refused("matrix", URL, "--server-seed", "3",
                     words=["--server-seed", "URL"])

    def test_what_does_not_go_together_is_refused(self):
        self.refused("run", URL, "-c", "8", "--pool-size", "4",
                     words=["pool.size"])

    def test_a_models_option_needs_the_model(self):
        self.refused("run", "http://127.0.0.1:1/", "--sim-delay", "1ms",
                     words=["sim.delay", "engine sim"])
        self.refused("run", "--engine", "sim", "--cpus", "0",
                     words=["host.cpus", "engine event"])
        self.refused("matrix", "--engine", "sim", "--server-backlog", "5",
                     words=["--server-backlog", "engine is sim"])

    def test_a_file_that_cannot_be_written_is_told_before_the_run(self):
        done = run("run", URL, "-o", "/nowhere/result.json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere/result.json", done.stderr)
        self.assertNotIn("refused", done.stderr)


class Tables(unittest.TestCase):
    def test_an_option_is_explained(self):
        done = run("options", "pool.depth")
        self.assertEqual(done.returncode, 0)
        for word in ("-p, --pipeline, --pool-depth", "default", "count"):
            self.assertIn(word, done.stdout)

    def test_an_unknown_option_names_the_nearest(self):
        done = run("options", "pool.sise")
        self.assertEqual(done.returncode, 2)
        self.assertIn("pool.size", done.stderr)

    def test_a_discipline_shows_every_axis(self):
        page = run("disciplines", "fifo-lazy").stdout
        for line in run("options").stdout.splitlines()[1:]:
            key = line.split()[0]
            if key.startswith("pool.") and key not in ("pool.size",
                                                       "pool.count"):
                self.assertRegex(page, rf"(?m)^{re.escape(key)} ")
        self.assertRegex(page, r"(?m)^pool.wait +5s +fifo-lazy")
        self.assertRegex(page, r"(?m)^pool.open +lazy +default")
        self.assertRegex(page, r"(?m)^  law ")
        self.assertRegex(page, r"(?m)^  source ")

    def test_a_discipline_says_which_engines_carry_it(self):
        page = run("disciplines", "fifo-lazy").stdout
        self.assertRegex(page, r"(?m)^  engines +event, curl, sim$")
        page = run("disciplines", "random-mux-failfast").stdout
        self.assertRegex(page, r"(?m)^  engines +event, sim; not curl: ")
        page = run("disciplines", "curl-native").stdout
        self.assertRegex(page, r"(?m)^  engines +curl; not event: ")

    def test_a_discipline_has_an_alias(self):
        self.assertEqual(run("disciplines", "finch").stdout,
                         run("disciplines", "fifo-lazy").stdout)

    def test_every_discipline_is_listed_and_explained(self):
        for line in run("disciplines").stdout.splitlines()[1:]:
            self.assertEqual(run("disciplines", line.split()[0]).returncode, 0)


if __name__ == "__main__":
    unittest.main()
