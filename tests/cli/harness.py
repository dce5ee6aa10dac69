"""What the command-line tests share: starting the program, waiting for it
without sleeping, and the rules that every result keeps."""
import atexit
import contextlib
import json
import os
import pathlib
import re
import select
import subprocess
import time
import urllib.request

import jsonschema

PROGRAM = os.environ["HTTPDYNO"]
# For anything that must end by itself; a sanitizer makes it slow, not endless.
BOUND_S = 60

SCHEMA = jsonschema.Draft202012Validator(json.loads(
    (pathlib.Path(__file__).resolve().parent.parent / "httpdyno.schema.json")
    .read_text()))


def run(*args, **more):
    """Runs the program to its end; .stdout and .stderr are texts."""
    more.setdefault("timeout", BOUND_S)
    return subprocess.run([PROGRAM, *args], capture_output=True, text=True,
                          stdin=more.pop("stdin", subprocess.DEVNULL), **more)


def start(*args, **more):
    """Starts it in a process group of its own; a test that fails before it
    ended it leaves it to the end of the script."""
    process = subprocess.Popen([PROGRAM, *args], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True,
                               stdin=subprocess.DEVNULL, process_group=0,
                               **more)
    atexit.register(kill_if_alive, process)
    return process


def kill_if_alive(process):
    if process.poll() is None:
        process.kill()
        process.wait()


class Server:
    """`httpdyno serve` on a free port, ready when the constructor returns."""

    def __init__(self, *args):
        read, write = os.pipe()
        self.process = start("serve", "--port", "0", "--ready-fd", str(write),
                             *args, pass_fds=[write])
        os.close(write)
        with open(read) as ready:
            line = ready.readline()
        if not line:
            raise AssertionError(self.process.communicate()[1])
        self.port = int(line)
        self.url = f"http://127.0.0.1:{self.port}"

    def stop(self):
        """Its stderr, after a SIGTERM."""
        self.process.terminate()
        _, errors = self.process.communicate(timeout=BOUND_S)
        return errors


@contextlib.contextmanager
def server(*args):
    one = Server(*args)
    try:
        yield one
    finally:
        if one.process.poll() is None:
            one.process.terminate()
        one.process.communicate(timeout=BOUND_S)


def certificate(folder, names="DNS:localhost,IP:127.0.0.1"):
    """Paths of a new self-signed certificate and of its key."""
    cert, key = f"{folder}/cert.pem", f"{folder}/key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
         "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", cert,
         "-days", "2", "-subj", "/CN=test", "-addext",
         f"subjectAltName={names}"],
        check=True, capture_output=True)
    return cert, key


def is_sanitized():
    """Then memory is not what it would be."""
    libraries = subprocess.run(["ldd", PROGRAM], capture_output=True,
                               text=True, check=True).stdout
    return "libasan" in libraries or "libtsan" in libraries


def stats(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/stats",
                                timeout=10) as answer:
        return json.load(answer)


def connections(port):
    """Established to this port, as the kernel sees it: asking the server
    itself would be one more."""
    with open("/proc/net/tcp") as table:
        rows = [line.split() for line in table.readlines()[1:]]
    return sum(row[1].endswith(f":{port:04X}") and row[3] == "01"
               for row in rows)


def until(holds, what):
    """Asks again until it holds; the wait between is select's, and short."""
    end = time.monotonic() + BOUND_S
    while not holds():
        if time.monotonic() > end:
            raise AssertionError("never happened: " + what)
        select.select([], [], [], 0.01)


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def own_server(process):
    """Port and process of a matrix's own server, from its note on stderr."""
    for line in process.stderr:
        found = re.search(r"own server on port (\d+), process (\d+)", line)
        if found:
            return int(found[1]), int(found[2])
    raise AssertionError("no note about the own server")


def cells(text):
    """The cells of a JSON result, each of them checked."""
    result = json.loads(text)
    SCHEMA.validate(result)
    for cell in result["cells"]:
        check(cell)
    return result["cells"]


def check(cell):
    """No number may lie."""
    if cell["skipped"] is not None:
        return
    counts = cell["counts"]
    assert counts["issued"] == (counts["completed"] + counts["failed"]
                                + counts["abandoned"]), counts
    assert sum(cell["status"].values()) == counts["completed"], cell["status"]
    assert (sum(kind["count"] for kind in cell["failures"])
            == counts["failed"]), cell["failures"]
    response = cell["latency"]["response"]
    assert response["count"] == counts["completed"], response["count"]
    assert (sum(count for _, count in response["buckets"])
            == counts["completed"]), "buckets"
    server_side = cell["server"]
    assert server_side["difference"] is None, server_side["difference"]
    if server_side["is_reconciled"]:
        assert server_side["accepted"] == cell["connections"]["opened"]


def failures(cell):
    return {kind["kind"]: kind["count"] for kind in cell["failures"]}
