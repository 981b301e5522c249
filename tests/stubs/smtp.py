"""A real SMTP server on loopback that refuses mails to some addresses: `with SmtpStub(refuse={"a@example.org"})`.

`mails` are the (recipient, text) that it took.
"""

import socketserver
import threading
from types import TracebackType
from typing import Self


class SmtpStub:
    def __init__(self, *, refuse: set[str]) -> None:
        self.refuse, self.mails = refuse, list[tuple[str, str]]()
        stub = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                stub.talk(self)

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.port: int = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05})

    def talk(self, client: socketserver.StreamRequestHandler) -> None:
        """One session, until QUIT or the client goes."""
        to = ""
        client.wfile.write(b"220 stub\r\n")
        while line := client.rfile.readline().decode().strip():
            verb, answer = line.upper()[:4], "250 ok"
            if verb == "RCPT":
                to = line.partition("<")[2].partition(">")[0]
                answer = "550 no such mailbox" if to in self.refuse else answer
            elif verb == "DATA":
                client.wfile.write(b"354 go on\r\n")
                self.mails.append((to, "".join(iter(lambda: client.rfile.readline().decode(), ".\r\n"))))
            client.wfile.write(f"{'221 bye' if verb == 'QUIT' else answer}\r\n".encode())
            if verb == "QUIT":
                return

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
