"""Signals: a partial result, the right exit code, and no process left."""
import json
import os
import select
import signal
import tempfile
import unittest

from harness import (BOUND_S, cells, children, connections, is_alive,
                     own_server, server, start, stats, until)


class Interrupt(unittest.TestCase):
    def end(self, process, code):
        out, errors = process.communicate(timeout=BOUND_S)
        self.assertEqual(process.returncode, code, errors)
        self.assertIn("interrupted", errors)
        result = json.loads(out)
        self.assertTrue(result["interrupted"])
        return cells(out)

    def loaded(self, target):
        process = start("run", target.url + "/", "-c", "4", "-d", "60s",
                        "--format", "json")
        until(lambda: stats(target.port)["read"] > 1000, "the load")
        return process

    def test_a_signal_leaves_a_partial_result(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with server() as target:
                process = self.loaded(target)
                process.send_signal(number)
                [cell] = self.end(process, code)
                self.assertTrue(cell["interrupted"])
                self.assertEqual(cell["counts"]["failed"], 0)

    def test_the_same_signal_twice_at_once_is_one(self):
        with server() as target:
            process = self.loaded(target)
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGINT)
            self.end(process, 130)

    def test_a_second_signal_ends_it_at_once(self):
        with server() as target, tempfile.TemporaryDirectory() as folder:
            # Nobody reads this pipe, so the result can never be written.
            pipe = os.path.join(folder, "pipe")
            os.mkfifo(pipe)
            process = start("run", target.url + "/", "-n", "100", "-o", pipe,
                            "-q")
            until(lambda: stats(target.port)["read"] >= 100, "the load")
            process.send_signal(signal.SIGINT)
            select.select([], [], [], 0.5)
            self.assertIsNone(process.poll())
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=BOUND_S)
            self.assertEqual(process.returncode, 130)


class OwnServer(unittest.TestCase):
    def matrix(self):
        process = start("matrix", "--client", "fifo-lazy", "--pool-size", "32",
                        "--callers", "64", "-d", "60s", "--warmup", "0s",
                        "--format", "json")
        port, child = own_server(process)
        self.assertEqual(children(process.pid), [child])
        self.assertEqual(os.getpgid(child), child)
        # Its counters were read before the load; only now may others ask.
        until(lambda: connections(port) >= 32, "the connections")
        until(lambda: stats(port)["read"] > 100, "the load")
        return process, child

    def interrupted(self, send, code):
        process, child = self.matrix()
        send(process)
        out, errors = process.communicate(timeout=BOUND_S)
        self.assertEqual(process.returncode, code, errors)
        [cell] = cells(out)
        self.assertTrue(cell["interrupted"])
        self.assertGreater(cell["counts"]["completed"], 0)
        # The server outlived the signal, so that its counts are in.
        self.assertTrue(cell["server"]["is_reconciled"])
        until(lambda: not is_alive(child), "the own server ends")

    def test_sigint_to_the_process(self):
        self.interrupted(lambda p: os.kill(p.pid, signal.SIGINT), 130)

    def test_sigint_to_its_whole_group(self):
        self.interrupted(lambda p: os.killpg(p.pid, signal.SIGINT), 130)

    def test_sigterm_to_its_whole_group(self):
        self.interrupted(lambda p: os.killpg(p.pid, signal.SIGTERM), 143)

    def test_sigkill_of_the_parent(self):
        process, child = self.matrix()
        process.kill()
        process.communicate(timeout=BOUND_S)
        until(lambda: not is_alive(child), "the own server ends")


if __name__ == "__main__":
    unittest.main()
