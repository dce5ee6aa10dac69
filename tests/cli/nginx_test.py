#!/usr/bin/env python3
"""Our counts beside those of somebody else's server: nginx and its own request
counter (stub_status)."""
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

import harness

NGINX = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
# Debian builds stub_status in; other builds may load it as a module.
CONFIG = """
worker_processes 1;
daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  keepalive_requests 1000000000;
  keepalive_timeout 1h;
  server {{
    listen 127.0.0.1:{port};
    location / {{ return 200 "Hello world!"; }}
    location = /counts {{ stub_status; }}
  }}
  server {{
    listen 127.0.0.1:{tls_port} ssl;
    ssl_certificate {cert};
    ssl_certificate_key {key};
    location / {{ return 200 "Hello world!"; }}
  }}
}}
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@unittest.skipUnless(NGINX, "nginx is not installed")
class Nginx(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.port, self.tls_port = free_port(), free_port()
        self.cert, key = harness.certificate(folder.name)
        config = pathlib.Path(folder.name, "nginx.conf")
        config.write_text(CONFIG.format(
            folder=folder.name, port=self.port, tls_port=self.tls_port,
            cert=self.cert, key=key))
        self.nginx = subprocess.Popen(
            [NGINX, "-c", config], stderr=subprocess.DEVNULL)
        self.addCleanup(self.end)
        harness.until(self.answers, "nginx answers")

    def end(self):
        self.nginx.terminate()
        self.nginx.wait(10)

    def answers(self):
        try:
            return self.requests() > 0
        except (urllib.error.URLError, ConnectionError):
            return False

    def requests(self):
        """nginx's count; it counts this very question too."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/counts",
                                    timeout=10) as answer:
            return int(re.search(r"\n (\d+) (\d+) (\d+)",
                                 answer.read().decode()).group(3))

    def check(self, *flags, url=None):
        before = self.requests()
        url = url or f"http://127.0.0.1:{self.port}/"
        done = harness.run("run", url, "--format", "json", *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        counted = self.requests() - before - 1
        cell, = harness.cells(done.stdout)
        counts = cell["counts"]
        self.assertEqual(counts["failed"], 0)
        self.assertLessEqual(counts["completed"], counted)
        self.assertLessEqual(counted, counts["completed"] + counts["abandoned"])
        return counts

    def test_64_connections(self):
        self.check("-c", "64", "-t", "1", "-d", "2s")

    def test_64_connections_that_pipeline(self):
        self.check("-c", "64", "-t", "1", "-p", "16", "-d", "2s")

    def test_over_tls(self):
        url = f"https://127.0.0.1:{self.tls_port}/"
        for trust in ("-k", f"--tls-ca={self.cert}"):
            for depth in ("1", "16"):
                counts = self.check("-c", "8", "-p", depth, "-n", "20000",
                                    trust, url=url)
                self.assertEqual(counts["completed"], 20000)

    def test_an_exact_budget(self):
        counts = self.check("-n", "100000", "-c", "7")
        self.assertEqual(counts["completed"], 100000)


if __name__ == "__main__":
    unittest.main()
