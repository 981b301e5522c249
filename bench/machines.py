"""The long form of tests/test_many_machines.py: two web servers and four workers, killed again and again.

Each is a process with a data folder and, as root on Linux, a separate network namespace. They share PostgreSQL behind
PgBouncer, Valkey and a bucket, which they reach over a bridge; all of it is in one more namespace, so the machine's
network is not changed. If that is not possible it says so, and all use the loopback interface. In each round a web
server is killed while people judge, and workers in an import, while shards of an index are built, while a run and while
a release is stored; others replace them. Ends with an AssertionError as soon as something is not as it should be.

    python -m bench.machines [--rounds 10]
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from bench.judging import servers

WEB_SERVERS, WORKERS = 2, 4
HOST, MASK = "10.77.0.1", 16
INSIDE = "LITMUS_BENCH_INSIDE"  # set where this process has a namespace to itself


def ip(words: str) -> None:
    subprocess.run(["ip", *words.split()], check=True)


def namespaces_possible() -> bool:
    if os.geteuid() or not (shutil.which("unshare") and shutil.which("ip")):
        return False
    name = f"litmus-{os.getpid()}"
    trial = f"ip link set lo up && ip link add machines type bridge && ip netns add {name} && ip netns delete {name}"
    return not subprocess.run(["unshare", "--net", "sh", "-c", trial], capture_output=True, check=False).returncode


def soak(held: ExitStack, folder: Path, rounds: int) -> None:
    """Do `rounds` rounds; prints what was found after each and at the end."""
    from django.test import override_settings

    from annotation.models import Judgment, Submission
    from tests.buckets import bucket_settings, new_bucket, serving
    from tests.killing import KILLED, SHARD, kill_in_everything
    from tests.machines import Network, machines

    class Namespaces(Network):
        """A bridge, and a namespace for each machine, until the block ends."""

        host = HOST

        def __init__(self) -> None:
            self.joined = 0
            for words in ("link set lo up", "link add machines type bridge", f"address add {HOST}/{MASK} dev machines"):
                ip(words)
            ip("link set machines up")

        def join(self) -> tuple[str, list[str]]:
            self.joined += 1
            name, cable = f"litmus-{os.getpid()}-{self.joined}", f"cable{self.joined}"
            address = f"10.77.{1 + self.joined // 250}.{1 + self.joined % 250}"
            ip(f"netns add {name}")
            held.callback(ip, f"netns delete {name}")
            ip(f"link add {cable} type veth peer name eth0 netns {name}")
            ip(f"link set {cable} master machines up")
            ip(f"-n {name} link set lo up")
            ip(f"-n {name} address add {address}/{MASK} dev eth0")
            ip(f"-n {name} link set eth0 up")
            return address, ["ip", "netns", "exec", name]

    network = Namespaces() if os.environ.get(INSIDE) else Network()
    bucket = new_bucket(held.enter_context(serving(folder, network.host)))
    held.enter_context(override_settings(**bucket_settings(bucket, folder), FILE_UPLOAD_TEMP_DIR=folder))
    settings = {"REDIS_URL": valkey_at(network.host), "LITMUS_INDEX_SHARD": str(SHARD)}
    place = held.enter_context(machines(folder, bucket, network, **settings))
    webs, workers, confirmed, started = [], [], 0, time.monotonic()  # type: ignore[var-annotated]
    for number in range(1, rounds + 1):
        webs += [place.web() for _ in range(WEB_SERVERS - len(webs))]
        workers += [place.worker() for _ in range(WORKERS - len(workers))]
        confirmed += kill_in_everything(place, webs, workers, f"tea-{number}", least=WORKERS)
        print(f"round {number}: {KILLED} processes killed, {time.monotonic() - started:.0f} s so far", flush=True)
    kept, counted = Submission.objects.count(), Judgment.objects.count()
    lost, double = confirmed - min(kept, counted), max(kept, counted) - confirmed
    print(f"{rounds * KILLED} processes killed in {rounds} rounds, {place.started} started.")
    print(f"{lost} lost and {double} double of {confirmed} judgments.")
    print("Documents, runs and releases are there once, with the same bytes as undisturbed.")
    assert (lost, double) == (0, 0)


def valkey_at(host: str) -> str:
    """The address of the running Valkey, which listens at a port of this host from now on."""
    from django.conf import settings
    from redis import Redis

    from tests.processes import free_port

    port = free_port()
    with Redis.from_url(settings.REDIS_URL) as client:
        for name, value in (("protected-mode", "no"), ("bind", host), ("port", port)):
            client.config_set(name, value)
    return f"redis://{host}:{port}/0"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    if os.environ.get(INSIDE):
        print("each machine in a separate network namespace", flush=True)
    elif namespaces_possible():
        os.environ[INSIDE] = "1"
        os.execvp("unshare", ["unshare", "--net", sys.executable, "-m", "bench.machines", *sys.argv[1:]])
    else:
        print("no network namespaces here (they need root, Linux, ip and unshare): all on loopback", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="litmus-bench-"))
    folder.chmod(0o755)
    try:
        with ExitStack() as held:
            held.enter_context(servers(folder / "data"))
            soak(held, folder, options.rounds)
        return 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
