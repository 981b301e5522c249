"""HTTP with as little processor time as can be: what the load generator uses is taken from the server it measures."""

import gzip
import re
import socket
from urllib.parse import urljoin


class Wire:
    """One kept connection; counts what comes over it."""

    def __init__(self, port: int, cookies: dict[str, str]) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.port, self.cookies = port, cookies
        self.received = 0

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def request(self, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, dict[str, str], bytes]:
        """Status, headers (lower case) and body as they came, which `received` has counted with their headers."""
        head = {
            "Host": f"127.0.0.1:{self.port}",
            "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "Accept-Encoding": "gzip, br",
            "Content-Length": str(len(body)),
            **headers,
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        self.socket.sendall(f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode() + body)
        data = b""
        while b"\r\n\r\n" not in data:
            data += self._more()
        top, _, rest = data.partition(b"\r\n\r\n")
        status, *fields = top.decode("latin-1").split("\r\n")
        found = {name.lower(): value for name, value in (line.split(": ", 1) for line in fields)}
        if "content-length" not in found:
            return int(status.split()[1]), found, self._chunked(rest)
        chunks, size = [rest], int(found["content-length"]) - len(rest)
        while size > 0:
            chunks.append(self._more())
            size -= len(chunks[-1])
        for cookie in re.findall(r"(?:^|\n)set-cookie: ([^=]+)=([^;]+)", top.decode("latin-1").lower()):
            self.cookies.setdefault(*cookie)
        return int(status.split()[1]), found, b"".join(chunks)

    def _chunked(self, data: bytes) -> bytes:
        body = b""
        while True:
            while b"\r\n" not in data:
                data += self._more()
            length, _, data = data.partition(b"\r\n")
            size = int(length, 16)
            while len(data) < size + 2:
                data += self._more()
            body, data = body + data[:size], data[size + 2 :]
            if not size:
                return body

    def _more(self) -> bytes:
        data = self.socket.recv(65536)
        assert data, "the server closed the connection"
        self.received += len(data)
        return data


def decoded(headers: dict[str, str], body: bytes) -> str:
    if headers.get("content-encoding") == "gzip":
        body = gzip.decompress(body)
    assert headers.get("content-encoding") in (None, "gzip"), headers
    return body.decode("utf-8", "replace")


def asked_for(path: str, text: str) -> list[str]:
    if path.endswith(".js"):
        return [urljoin(path, found) for found in re.findall(r"""(?:from|import)\s*["'](\.{0,2}/[^"']+)["']""", text)]
    if path.endswith("/"):
        return re.findall(r"""(?:<script[^>]* src|<link[^>]* href|<img[^>]* src)="(/static/[^"]+)\"""", text)
    return []
