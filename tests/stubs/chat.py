"""A real HTTP server on loopback that speaks as an OpenAI-compatible chat endpoint, and misbehaves as configured.

    with ChatStub([Status(429, {"Retry-After": "0"}), "fine"]) as stub:
        Endpoint(stub.url, "key", "model") …
        stub.calls[0].body["messages"]

The script is a list of steps, played in the order of arrival (the last one repeats), or a function from a `Call` to a
step. A plain text is an answer. Other processes (a Celery worker) can ask it too.
"""

import contextlib
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Answer:
    """A chat completion. `usage` None: the endpoint counts no tokens; else (prompt, completion)."""

    text: str | None
    finish_reason: str = "stop"
    usage: tuple[int, int] | None = (100, 20)
    refusal: str | None = None
    after: float = 0.0  # seconds


@dataclass(frozen=True)
class Status:
    """An error such as 429, 500 or 401, with OpenAI's body unless another is given."""

    code: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    kind: str | None = None  # the error's code, such as insufficient_quota


@dataclass(frozen=True)
class Hang:
    """No byte for so many seconds, then the connection ends."""

    seconds: float = 30.0


@dataclass(frozen=True)
class CutOff:
    """The connection breaks in the middle of the body."""


@dataclass(frozen=True)
class Garbage:
    """A 200 whose body is no chat completion."""

    body: bytes = b"<html><body>Welcome to the hotel's network</body></html>"
    content_type: str = "text/html"


@dataclass(frozen=True)
class Trickle:
    """A body that comes in pieces, each after this many seconds, and never ends; or a header that does."""

    piece: bytes = b" "
    seconds: float = 0.05
    code: int = 200
    is_header: bool = False


Step = Trickle | Answer | Status | Hang | CutOff | Garbage | str
Script = Sequence[Step] | Callable[["Call"], Step]


@dataclass(frozen=True)
class Call:
    """A request that came: its place (from 0), when, its headers (names in lower case) and its JSON."""

    number: int
    at: float
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    sent: bytes = b""  # the body as it came

    @property
    def prompt(self) -> str:
        """All messages, one after the other."""
        return "\n".join(message["content"] for message in self.body["messages"])


class ChatStub:
    """The server; `url` is what LITMUS_LLM_BASE_URL takes. `gate` lets a test hold all answers back."""

    def __init__(self, script: Script = ("An answer.",), host: str = "127.0.0.1") -> None:
        self.script, self.host = script, host
        self.calls: list[Call] = []
        self.gate = threading.Event()
        self.gate.set()
        self.closing = threading.Event()
        self.lock = threading.Lock()
        self.most_at_once = self.at_once = 0

    def __enter__(self) -> Self:
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # else the body waits 40 ms until the asker has confirmed the headers

            def do_POST(self) -> None:
                stub.handle(self)

            def log_message(self, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer((self.host, 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self.gate.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}/v1"

    @property
    def port(self) -> int:
        return int(self.server.server_address[1])

    def handle(self, request: BaseHTTPRequestHandler) -> None:
        sent = request.rfile.read(int(request.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in request.headers.items()}
        with self.lock:
            call = Call(len(self.calls), time.monotonic(), request.path, headers, json.loads(sent), sent)
            self.calls.append(call)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            self.gate.wait()
            step = self.script(call) if callable(self.script) else self.script[min(call.number, len(self.script) - 1)]
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the asker was killed
                self.play(request, Answer(step) if isinstance(step, str) else step)
        finally:
            with self.lock:
                self.at_once -= 1

    def play(self, request: BaseHTTPRequestHandler, step: Step) -> None:
        if isinstance(step, Hang):
            self.closing.wait(step.seconds)
            request.close_connection = True
        elif isinstance(step, CutOff):
            self.break_off(request)
        elif isinstance(step, Trickle):
            self.trickle(request, step)
        elif isinstance(step, Garbage):
            self.send(request, 200, step.body, {"Content-Type": step.content_type})
        elif isinstance(step, Status):
            error = {"error": {"message": f"scripted {step.code}", "code": step.kind}}
            body = json.dumps(error).encode() if step.body is None else step.body
            self.send(request, step.code, body, {"Content-Type": "application/json", **step.headers})
        elif isinstance(step, Answer):
            self.closing.wait(step.after)
            self.send(request, 200, completion(step), {"Content-Type": "application/json"})

    def break_off(self, request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", "1000")
        request.end_headers()
        request.wfile.write(b'{"choices": [{"message": {"content": "half an ans')
        request.wfile.flush()
        # A reset, not an end: what a dying server or a proxy with a time limit does.
        request.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        request.close_connection = True

    def trickle(self, request: BaseHTTPRequestHandler, step: Trickle) -> None:
        request.send_response(step.code)
        request.send_header("Content-Type", "application/json")
        if step.is_header:
            request.flush_headers()
            request.wfile.write(b"X-Slow: ")
        else:
            request.end_headers()
        request.close_connection = True
        while not self.closing.wait(step.seconds):
            request.wfile.write(step.piece)

    def send(self, request: BaseHTTPRequestHandler, code: int, body: bytes, headers: dict[str, str]) -> None:
        request.send_response(code)
        for name, value in (headers | {"Content-Length": str(len(body))}).items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(body)


def completion(answer: Answer) -> bytes:
    """The JSON of a chat completion."""
    message = {"role": "assistant", "content": answer.text}
    if answer.refusal is not None:
        message["refusal"] = answer.refusal
    choice = {"index": 0, "message": message, "finish_reason": answer.finish_reason}
    found: dict[str, Any] = {"id": "stub", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
    if answer.usage:
        prompt, made = answer.usage
        found["usage"] = {"prompt_tokens": prompt, "completion_tokens": made, "total_tokens": prompt + made}
    return json.dumps(found).encode()
