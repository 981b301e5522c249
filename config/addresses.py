"""The address that people open: the operator says it, else it is the one at which `up` served last."""

import contextlib
import socket
from pathlib import Path

LOOPBACK = ("localhost", "127.0.0.1", "::1")
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - compared with, not listened on
FILE = "address"  # in the data directory: what other commands print and mail leads there, too


def address(host: str, port: int) -> str:
    """An address to open in a browser on this machine."""
    name = "localhost" if host in LOOPBACK + EVERYWHERE else f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}"


def address_elsewhere(host: str, port: int) -> str:
    """An address for other machines, if the network knows this one by its name."""
    return address(machine_name() if host in EVERYWHERE else host, port)


def machine_name() -> str:
    full = socket.getfqdn()
    return full if "." in full and not full.startswith("localhost") else socket.gethostname()


def note_address(data_dir: Path, served: str) -> None:
    data_dir.mkdir(parents=True, exist_ok=True)
    (data_dir / FILE).write_text(served + "\n")


def last_address(data_dir: Path) -> str:
    """Where `up` serves or has served from this data directory."""
    with contextlib.suppress(OSError):
        if found := (data_dir / FILE).read_text().strip():
            return found
    return "http://localhost:8000"


def path_below(site_path: str, path: str) -> str:
    """The path of a request below that of the site: a proxy hands it on whole, or without the site's part."""
    if site_path and (path == site_path or path.startswith(site_path + "/")):
        return path[len(site_path) :] or "/"
    return path
