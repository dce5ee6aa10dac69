"""What a terminal sees: the bar on stderr, color on stdout, and how to get rid
of both."""
import os
import pty
import subprocess
import unittest

from harness import BOUND_S, PROGRAM, server


def on_terminal(*args, env=None):
    """stdout and stderr of a run whose both are terminals of their own."""
    pairs = [pty.openpty(), pty.openpty()]
    process = subprocess.Popen(
        [PROGRAM, *args], stdin=subprocess.DEVNULL, stdout=pairs[0][1],
        stderr=pairs[1][1],
        env={**os.environ, "TERM": "xterm", "NO_COLOR": "", **(env or {})})
    texts = []
    for _, inside in pairs:
        os.close(inside)
    # stderr first: it ends with the process, and stdout fits its buffer.
    for outside, _ in reversed(pairs):
        texts.append(drained(outside))
    assert process.wait(timeout=BOUND_S) == 0, texts
    return texts[1], texts[0]


def drained(fd):
    data = b""
    try:
        while part := os.read(fd, 65536):
            data += part
    except OSError:  # EIO: the other end is closed
        pass
    os.close(fd)
    return data.decode()


class Terminal(unittest.TestCase):
    def test_a_bar_shows_cell_rate_and_failures(self):
        with server() as target:
            out, errors = on_terminal("run", target.url + "/", "-c", "1,2",
                                      "-d", "700ms", "--warmup", "0s")
            self.assertRegex(errors, r"\r\[=* *\] 1/2 .*left .*/s  0 failed")
            self.assertRegex(errors, r"\r\[=* *\] 2/2 ")
            self.assertTrue(errors.endswith("\r\x1b[K"))
            self.assertIn("\x1b[", out)

    def test_no_color_means_no_color(self):
        with server() as target:
            for env, more in (({"NO_COLOR": "1"}, []),
                              ({}, ["--color", "never"])):
                out, _ = on_terminal("run", target.url + "/", "-n", "60",
                                     *more, env=env)
                self.assertNotIn("\x1b", out)

    def test_a_dumb_terminal_gets_lines(self):
        with server() as target:
            out, errors = on_terminal("run", target.url + "/", "-n", "60",
                                      env={"TERM": "dumb"})
            self.assertNotIn("\x1b", out + errors)
            self.assertIn("[1/1]", errors)


if __name__ == "__main__":
    unittest.main()
