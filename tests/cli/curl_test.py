#!/usr/bin/env python3
"""Engine curl on the command line: against servers that speak HTTP/2 or
compress, and what it refuses."""
import http.server
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading
import unittest
import zlib

import harness
from harness import cells, run, server

NGHTTPD = shutil.which("nghttpd")


class Compressing(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = b"x" * 5000
        is_wanted = "gzip" in self.headers.get("Accept-Encoding", "")
        sent = body
        if is_wanted:
            gzip = zlib.compressobj(wbits=31)
            sent = gzip.compress(body) + gzip.flush()
        self.send_response(200)
        if is_wanted:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_):
        pass


class Curl(unittest.TestCase):
    def one(self, *args):
        done = run("run", *args, "--engine", "curl", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        [cell] = cells(done.stdout)
        return cell

    def test_bodies_are_decoded_on_request(self):
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0),
                                             Compressing) as one:
            thread = threading.Thread(target=one.serve_forever)
            thread.start()
            try:
                url = f"http://127.0.0.1:{one.server_address[1]}/"
                plain = self.one(url, "-n", "10", "-c", "1")
                small = self.one(url, "-n", "10", "-c", "1", "--compressed")
            finally:
                one.shutdown()
                thread.join()
        for cell in (plain, small):
            self.assertEqual(cell["bytes"]["body"], 50000)

    @unittest.skipUnless(NGHTTPD, "nghttpd is not installed")
    def test_http_2(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "index.html").write_text("Hello world!")
            cert, key = harness.certificate(folder)
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            process = subprocess.Popen(
                [NGHTTPD, "-a", "127.0.0.1", "-d", folder, str(port), key,
                 cert], stdout=subprocess.DEVNULL)
            try:
                self.ask_http_2(port)
            finally:
                process.terminate()
                process.wait(10)

    def ask_http_2(self, port):
        def listens():
            with socket.socket() as one:
                return one.connect_ex(("127.0.0.1", port)) == 0
        harness.until(listens, "nghttpd listens")
        for client in ("dedicated", "curl-native"):
            cell = self.one(f"https://127.0.0.1:{port}/", "-k",
                            "--http-version", "2", "-n", "200", "--client",
                            client, "--pool-size", "4", "--callers", "4")
            self.assertEqual(cell["status"], {"200": 200})
            self.assertEqual(cell["connections"]["opened"], 4)

    def test_refusals_name_the_way_out(self):
        for args, words in (
                (["-p", "4"], "pipelining"),
                (["--client", "random-mux-failfast"], "pipelining"),
                (["--client", "fifo-eager-sharded"], "pool.on_timeout"),
                (["--verify-id"], "use engine event"),
                (["--http-version", "2"], "https://"),
                (["--proxy", "nowhere"], "http.proxy")):
            done = run("run", "http://127.0.0.1/", "--engine", "curl", *args)
            self.assertEqual(done.returncode, 2)
            self.assertIn(words, done.stderr)
        done = run("run", "http://127.0.0.1/", "--client", "curl-native")
        self.assertEqual(done.returncode, 2)
        self.assertIn("engine curl", done.stderr)

    def test_matrix_of_two_engines_is_two_runs_with_equal_counts(self):
        with server() as target:
            both = [self.one(target.url, "-n", "500", "-c", "8")]
            done = run("run", target.url, "-n", "500", "-c", "8", "--format",
                       "json")
            both += cells(done.stdout)
        self.assertEqual(both[0]["counts"]["completed"],
                         both[1]["counts"]["completed"])
        self.assertEqual(both[0]["connections"]["opened"],
                         both[1]["connections"]["opened"])


if __name__ == "__main__":
    unittest.main()
