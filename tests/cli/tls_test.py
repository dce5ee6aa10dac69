#!/usr/bin/env python3
"""TLS as other programs see it, and what becomes of bad certificates and of
clients that speak no TLS."""
import contextlib
import resource
import socket
import ssl
import subprocess
import tempfile
import unittest

import harness
from harness import cells, run, server

PEER_S = 20
# For runs that may not succeed.
FEW = ("-n", "2", "-c", "1", "--connect-give-up", "2s")


def curl(*args):
    return subprocess.run(["curl", "-sS", *args], capture_output=True,
                          text=True, timeout=PEER_S)


def s_client(port, *args):
    return subprocess.run(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{port}", *args],
        input="GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
        capture_output=True, text=True, timeout=PEER_S)


def expired_certificate(folder):
    cert, request, key = (f"{folder}/{name}.pem" for name in
                          ("expired", "request", "expired-key"))
    names = ["-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1"]
    for command in (
            ["req", "-new", "-newkey", "ec", "-pkeyopt",
             "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out",
             request, *names],
            ["x509", "-req", "-in", request, "-signkey", key, "-days", "-1",
             "-copy_extensions", "copy", "-out", cert]):
        subprocess.run(["openssl", *command], check=True, capture_output=True,
                       timeout=PEER_S)
    return cert, key


@contextlib.contextmanager
def s_server(folder, *args):
    """OpenSSL's own server; its port."""
    cert, key = harness.certificate(folder)
    with subprocess.Popen(
            ["openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", cert,
             "-key", key, "-www", *args], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True) as process:
        try:
            line = next(line for line in process.stdout if "ACCEPT" in line)
            yield int(line.rpartition(":")[2])
        finally:
            process.kill()


def https(target, path="/"):
    return f"https://127.0.0.1:{target.port}{path}"


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name


class Server(Folder):
    def test_others_talk_to_it(self):
        with server("--tls") as target:
            self.assertEqual(curl("-k", https(target)).stdout, "Hello world!")
            self.assertEqual(len(curl("-k", https(target, "/bytes/300000"))
                                 .stdout), 300000)
            for version in ("-tls1_2", "-tls1_3"):
                done = s_client(target.port, version, "-ign_eof")
                self.assertIn("Hello world!", done.stdout)

    def test_old_versions_are_refused(self):
        with server("--tls") as target:
            for version in ("-tls1", "-tls1_1"):
                done = s_client(target.port, version, "-cipher",
                                "ALL:@SECLEVEL=0")
                self.assertNotEqual(done.returncode, 0)
                self.assertNotIn("Hello", done.stdout)
                self.assertIn("alert protocol version", done.stderr)

    def test_alpn_says_http_1_1(self):
        with server("--tls") as target:
            done = s_client(target.port, "-alpn", "h2,http/1.1")
            self.assertIn("ALPN protocol: http/1.1", done.stdout)

    def test_files_of_a_certificate(self):
        cert, key = harness.certificate(self.folder)
        with server("--tls", f"--tls-cert={cert}", f"--tls-key={key}") as one:
            done = curl("--cacert", cert, https(one))
            self.assertEqual(done.stdout, "Hello world!", done.stderr)

    def test_a_client_certificate_can_be_asked_for(self):
        cert, key = harness.certificate(self.folder)
        with server("--tls", f"--tls-ca={cert}") as one:
            self.assertNotEqual(curl("-k", https(one)).returncode, 0)
            done = run("run", "-k", https(one), "-n", "10", "-c", "2",
                       f"--tls-cert={cert}", f"--tls-key={key}",
                       "--format", "json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(cells(done.stdout)[0]["counts"]["completed"], 10)
            without = run("run", "-k", https(one), *FEW)
            self.assertEqual(without.returncode, 1)
            self.assertIn("certificate required", without.stderr)

    def test_mistakes_are_told(self):
        for flags, words in (
                (["--tls-cert=/dev/null"], "tls: off"),
                (["--tls", "--tls-cert=/dev/null"], "/dev/null"),
                (["--tls", "--tls-key=/dev/null"], "tls_cert"),
                (["--unix-socket=/no/folder/s"], "make its folder")):
            done = run("serve", *flags)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stderr)

    def test_garbage_and_slow_clients_are_in_nobodys_way(self):
        with server("--tls") as target, contextlib.ExitStack() as stack:
            def connect():
                peer = socket.create_connection(("127.0.0.1", target.port),
                                                timeout=PEER_S)
                return stack.enter_context(peer)
            slow = connect()
            slow.sendall(b"\x16\x03\x01")  # the start of a handshake
            for text in (b"GET / HTTP/1.1\r\n\r\n", b"\0" * 4096,
                         b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00",
                         bytes(range(256)) * 16):
                peer = connect()
                peer.sendall(text)
                with contextlib.suppress(ConnectionResetError):
                    while peer.recv(4096):
                        pass  # an alert, then the end
            self.assertEqual(curl("-k", https(target)).stdout, "Hello world!")
            context = ssl.create_default_context()
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            with context.wrap_socket(connect()) as peer:
                peer.sendall(b"garbage\r\n\r\n")
                self.assertIn(b" 400 ", peer.recv(4096))

    def test_matrix_and_its_own_server(self):
        done = run("matrix", "--server-tls", "--client", "fifo-lazy",
                   "--pool-size", "4", "--callers", "8", "-n", "40",
                   "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        [cell] = cells(done.stdout)
        self.assertTrue(cell["server"]["is_reconciled"])
        self.assertGreater(cell["connections"]["tls_full"], 0)

    def test_a_unix_socket(self):
        path = f"{self.folder}/s"
        with server(f"--unix-socket={path}"):
            done = curl("--unix-socket", path, "http://h/")
            self.assertEqual(done.stdout, "Hello world!")
            done = run("run", "http://h/", f"--unix-socket={path}", "-n",
                       "100", "--format", "json", "--target-own")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(cells(done.stdout)[0]["server"]["is_reconciled"])


class Client(Folder):
    def test_trust(self):
        cert, key = harness.certificate(self.folder)
        with server("--tls", f"--tls-cert={cert}", f"--tls-key={key}") as one:
            for trust in ("-k", f"--tls-ca={cert}"):
                done = run("run", https(one), trust, "-n", "20")
                self.assertEqual(done.returncode, 0, done.stderr)
            done = run("run", https(one), *FEW)
            self.assertEqual(done.returncode, 1)
            self.assertIn("self-signed certificate", done.stderr)
            self.assertIn("-k", done.stderr)

    def test_the_name_is_checked(self):
        cert, key = harness.certificate(self.folder, "DNS:other.example")
        with server("--tls", f"--tls-cert={cert}", f"--tls-key={key}") as one:
            done = run("run", https(one), f"--tls-ca={cert}", *FEW)
            self.assertEqual(done.returncode, 1)
            self.assertIn("IP address mismatch", done.stderr)
            done = run("run", f"https://localhost:{one.port}/",
                       f"--tls-ca={cert}", *FEW)
            self.assertIn("hostname mismatch", done.stderr)
            done = run("run", https(one), f"--tls-ca={cert}", "-n", "2",
                       "--tls-server-name", "other.example")
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_an_expired_certificate_is_not_trusted(self):
        cert, key = expired_certificate(self.folder)
        with server("--tls", f"--tls-cert={cert}", f"--tls-key={key}") as one:
            done = run("run", https(one), f"--tls-ca={cert}", *FEW)
            self.assertEqual(done.returncode, 1)
            self.assertIn("certificate has expired", done.stderr)

    def test_a_server_of_another_version(self):
        with s_server(self.folder, "-tls1_2") as port:
            url = f"https://127.0.0.1:{port}/"
            done = run("run", "-k", url, "-n", "2", "-c", "1",
                       "--connect-give-up", "30s")
            self.assertEqual(done.returncode, 0, done.stderr)
            done = run("run", "-k", url, "--tls-min-version", "1.3", *FEW)
            self.assertEqual(done.returncode, 1)
            self.assertIn("protocol version", done.stderr)
        with s_server(self.folder, "-tls1_1", "-cipher",
                      "ALL:@SECLEVEL=0") as port:
            done = run("run", "-k", f"https://127.0.0.1:{port}/", *FEW)
            self.assertEqual(done.returncode, 1)
            self.assertIn("protocol", done.stderr)

    @unittest.skipIf(harness.is_sanitized(), "memory is the sanitizer's")
    def test_ten_thousand_handshakes_leave_memory_flat(self):
        def peak(requests, url):
            done = run("run", "-k", url, "--client", "none", "--callers", "4",
                       "--no-tls-resume", "-n", str(requests), "--format",
                       "json", timeout=150)
            self.assertEqual(done.returncode, 0, done.stderr)
            [cell] = cells(done.stdout)
            self.assertEqual(cell["connections"]["tls_full"], requests)
            return cell["client"]["peak_rss_bytes"]
        def resident(process):
            with open(f"/proc/{process.pid}/statm") as statm:
                return int(statm.read().split()[1]) * resource.getpagesize()
        with server("--tls") as target:
            few = peak(500, https(target))
            before = resident(target.process)
            many = peak(10000, https(target))
            self.assertLess(many - few, 2 * 1024 * 1024)
            self.assertLess(resident(target.process) - before,
                            2 * 1024 * 1024)


if __name__ == "__main__":
    unittest.main()
