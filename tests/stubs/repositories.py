"""Real HTTP servers on loopback that speak as the Hugging Face Hub (with its storage) and as Zenodo.

    with HubStub() as hub:
        settings.HUGGINGFACE_URL = hub.url
        …
        hub.repositories["ada/tea-v1"].files["README.md"]

They keep what they are sent. `hooks` come first: each sees a request and may answer it (a Reply), wait, or let it pass.
"""

import base64
import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import md5, sha1, sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit

TOKEN = "hf_ThisIsTheSecretToken"


@dataclass(frozen=True)
class Asked:
    """One request as it came."""

    method: str
    path: str
    token: str  # of its Authorization, "" for none
    body: bytes = field(repr=False)

    @property
    def value(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    status: int = 200
    value: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    cut: bool = False  # the connection breaks off instead

    @property
    def content(self) -> bytes:
        return json.dumps(self.value).encode() if self.body is None else self.body


class Handler(BaseHTTPRequestHandler):
    """Hands each request to the stub of its server."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else the body waits 40 ms until the asker has confirmed the headers
    stub: "Server"

    def do_GET(self) -> None:
        self.handle_any()

    def do_POST(self) -> None:
        self.handle_any()

    def do_PUT(self) -> None:
        self.handle_any()

    def handle_any(self) -> None:
        with suppress(ConnectionError):
            token = self.headers.get("Authorization", "").removeprefix("Bearer ")
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            asked = Asked(self.command, self.path, token, body)
            self.stub.asked.append(asked)
            answers = (hook(asked) for hook in self.stub.hooks)
            self.reply(next(filter(None, answers), None) or self.stub.answer(asked))

    def reply(self, reply: Reply) -> None:
        if reply.cut:
            self.close_connection = True
            self.connection.close()
            return
        self.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.content)))
        self.end_headers()
        self.wfile.write(reply.content)

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


class Server(ABC):
    """A server whose `answer` subclasses give; `asked` are all requests in their order."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.hooks: list[Callable[[Asked], Reply | None]] = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("OwnHandler", (Handler,), {"stub": self}))
        self.server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    @abstractmethod
    def answer(self, asked: Asked) -> Reply:
        """What is sent back."""

    def calls(self, method: str, part: str) -> list[Asked]:
        return [one for one in self.asked if one.method == method and part in one.path]

    def __enter__(self) -> Self:
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.server.shutdown()
        self.server.server_close()


@dataclass
class Repository:
    private: bool
    files: dict[str, bytes] = field(default_factory=lambda: {".gitattributes": b"*.parquet filter=lfs\n"})
    large: set[str] = field(default_factory=set)
    commits: list[str] = field(default_factory=list)


class Storage(Server):
    """Where large files go, at signed addresses on a host of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.objects: dict[str, bytes] = {}
        self.parts: dict[str, dict[int, bytes]] = {}

    def answer(self, asked: Asked) -> Reply:
        digest, _, number = urlsplit(asked.path).path.strip("/").partition("/")
        if number:
            self.parts.setdefault(digest, {})[int(number)] = asked.body
            return Reply(headers={"ETag": f'"{md5(asked.body).hexdigest()}"'}, body=b"")
        if sha256(asked.body).hexdigest() != digest:
            return Reply(400, body=b"<Error>BadDigest</Error>")
        self.objects[digest] = asked.body
        return Reply(body=b"")


class HubStub(Server):
    """The Hub; `chunk` makes files above it go up in parts."""

    def __init__(self, *, page: int = 10, chunk: int = 0) -> None:
        super().__init__()
        self.repositories: dict[str, Repository] = {}
        self.storage = Storage()
        self.page, self.chunk = page, chunk

    def __enter__(self) -> Self:
        self.storage.__enter__()
        return super().__enter__()

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        self.storage.__exit__(*error)

    def answer(self, asked: Asked) -> Reply:
        if asked.token != TOKEN:
            return Reply(401, {"error": "Invalid credentials in Authorization header"})
        parts = urlsplit(asked.path)
        path = unquote(parts.path)
        if path == "/api/whoami-v2":
            return Reply(value={"type": "user", "name": "ada", "orgs": [{"name": "tea-lab"}]})
        if path == "/api/repos/create":
            return self.create(asked.value)
        if path.endswith(".git/info/lfs/objects/batch"):
            return self.batch(asked.value)
        if path.startswith("/finish/"):
            return self.finish(path.removeprefix("/finish/"))
        return self.in_repository(asked, path, parts.query)

    def in_repository(self, asked: Asked, path: str, query: str) -> Reply:
        owner, name, *rest = path.removeprefix("/api/datasets/").split("/")
        repository = self.repositories.get(f"{owner}/{name}")
        if repository is None:
            return Reply(404, {"error": "Repository not found"})
        if not rest:
            return Reply(value={"id": f"{owner}/{name}", "private": repository.private})
        if rest[0] == "settings":
            repository.private = asked.value["private"]
            return Reply(value={"private": repository.private})
        if rest[0] == "tree":
            return self.tree(repository, path, int(parse_qs(query).get("cursor", ["0"])[0]))
        return self.preupload(asked.value) if rest[0] == "preupload" else self.commit(repository, asked.body)

    def create(self, wanted: dict[str, Any]) -> Reply:
        name = f"{wanted['organization']}/{wanted['name']}"
        if wanted["organization"] not in ("ada", "tea-lab"):
            return Reply(403, {"error": "You don't have the rights to create a dataset under this namespace"})
        if name in self.repositories:
            return Reply(409, {"error": "You already created this dataset repo", "url": f"{self.url}/datasets/{name}"})
        self.repositories[name] = Repository(private=wanted["private"])
        return Reply(value={"url": f"{self.url}/datasets/{name}", "name": name})

    def tree(self, repository: Repository, path: str, start: int) -> Reply:
        listed = sorted(repository.files.items())
        found = [
            {"type": "directory", "path": "data", "oid": "0" * 40, "size": 0},
            *(self.entry(name, content, name in repository.large) for name, content in listed[start:][: self.page]),
        ]
        more = start + self.page
        link = {"Link": f'<{self.url}{path}?recursive=true&cursor={more}>; rel="next"'} if more < len(listed) else {}
        return Reply(value=found, headers=link)

    def entry(self, name: str, content: bytes, is_large: bool) -> dict[str, Any]:
        digest = sha256(content).hexdigest()
        pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(content)}\n".encode()
        stored = pointer if is_large else content
        oid = sha1(f"blob {len(stored)}\0".encode() + stored).hexdigest()
        lfs = {"lfs": {"oid": digest, "size": len(content), "pointerSize": len(pointer)}} if is_large else {}
        return {"type": "file", "path": name, "oid": oid, "size": len(content), **lfs}

    def preupload(self, wanted: dict[str, Any]) -> Reply:
        def mode(one: dict[str, Any]) -> str:
            binary = b"\0" in base64.b64decode(one["sample"]) or one["path"].endswith((".parquet", ".pdf", ".gz"))
            return "lfs" if binary or one["size"] > 10_000_000 else "regular"

        files = [{"path": one["path"], "uploadMode": mode(one), "shouldIgnore": False} for one in wanted["files"]]
        return Reply(value={"files": files})

    def batch(self, wanted: dict[str, Any]) -> Reply:
        found = []
        for one in wanted["objects"]:
            entry: dict[str, Any] = {"oid": one["oid"], "size": one["size"], "authenticated": True}
            if one["oid"] not in self.storage.objects:
                entry["actions"] = {"upload": self.upload(one["oid"], one["size"])}
            found.append(entry)
        return Reply(value={"transfer": "basic", "objects": found})

    def upload(self, digest: str, size: int) -> dict[str, Any]:
        place = f"{self.storage.url}/{digest}"
        if not self.chunk or size <= self.chunk:
            return {"href": f"{place}?signature=s", "header": {}}
        count = -(-size // self.chunk)
        header = {f"{n:05}": f"{place}/{n}?signature=s" for n in range(1, count + 1)}
        return {"href": f"{self.url}/finish/{digest}", "header": {"chunk_size": str(self.chunk), **header}}

    def finish(self, digest: str) -> Reply:
        parts = self.storage.parts.pop(digest)
        content = b"".join(parts[n] for n in sorted(parts))
        if sha256(content).hexdigest() != digest:
            return Reply(400, {"error": "parts do not make the object"})
        self.storage.objects[digest] = content
        return Reply(value={})

    def commit(self, repository: Repository, body: bytes) -> Reply:
        lines = [json.loads(line) for line in body.splitlines()]
        for line in lines[1:]:
            value = line["value"]
            if line["key"] == "lfsFile":
                if value["oid"] not in self.storage.objects:
                    return Reply(400, {"error": f"LFS object {value['oid']} is missing"})
                repository.files[value["path"]] = self.storage.objects[value["oid"]]
                repository.large.add(value["path"])
            else:
                repository.files[value["path"]] = base64.b64decode(value["content"])
        repository.commits.append(lines[0]["value"]["summary"])
        return Reply(value={"success": True, "commitOid": "0" * 40, "commitUrl": f"{self.url}/commit"})


@dataclass
class Draft:
    number: int
    metadata: dict[str, Any]
    files: dict[str, bytes] = field(default_factory=dict)
    submitted: bool = False


class ZenodoStub(Server):
    """Zenodo's deposit API."""

    def __init__(self) -> None:
        super().__init__()
        self.drafts: dict[int, Draft] = {}

    def answer(self, asked: Asked) -> Reply:
        if asked.token != TOKEN:
            return Reply(401, {"status": 401, "message": "The server could not verify that you are authorized."})
        where = [unquote(part) for part in urlsplit(asked.path).path.split("/")[2:]]
        if where[:1] == ["files"]:
            return self.put(self.drafts[int(where[1])], where[2], asked.body)
        if where == ["deposit", "depositions"] and asked.method == "POST":
            return self.create(asked.value["metadata"])
        if where == ["deposit", "depositions"]:
            return Reply(value=[self.shown(one) for one in reversed(self.drafts.values()) if not one.submitted])
        draft = self.drafts.get(int(where[2])) if where[2].isdigit() else None
        if draft is None:
            return Reply(404, {"status": 404, "message": "PID does not exist."})
        if where[3:] == ["actions", "publish"]:
            draft.submitted = True
            return Reply(202, self.shown(draft))
        return Reply(value=self.shown(draft))

    def create(self, metadata: dict[str, Any]) -> Reply:
        required = {"upload_type", "title", "creators", "description"} - metadata.keys()
        if required:
            errors = [{"field": f"metadata.{name}", "message": "Missing data."} for name in sorted(required)]
            return Reply(400, {"status": 400, "message": "Validation error.", "errors": errors})
        number = 1000 + len(self.drafts)
        self.drafts[number] = Draft(number, metadata)
        return Reply(201, self.shown(self.drafts[number]))

    def put(self, draft: Draft, name: str, content: bytes) -> Reply:
        if draft.submitted:
            return Reply(403, {"status": 403, "message": "Permission denied."})
        draft.files[name] = content
        return Reply(201, {"key": name, "checksum": f"md5:{md5(content).hexdigest()}", "size": len(content)})

    def shown(self, draft: Draft) -> dict[str, Any]:
        doi = f"10.5281/zenodo.{draft.number}"
        return {
            "id": draft.number,
            "metadata": {**draft.metadata, "prereserve_doi": {"doi": doi, "recid": draft.number}},
            "files": [
                {"id": name, "filename": name, "filesize": len(content), "checksum": md5(content).hexdigest()}
                for name, content in draft.files.items()
            ],
            "links": {
                "bucket": f"{self.url}/api/files/{draft.number}",
                "html": f"{self.url}/deposit/{draft.number}",
            },
            "state": "done" if draft.submitted else "unsubmitted",
            "submitted": draft.submitted,
            **({"doi": doi} if draft.submitted else {}),
        }
