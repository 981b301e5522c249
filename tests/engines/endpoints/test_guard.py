"""Addresses that people type lead outside only: a guarded client against real servers on loopback."""

import ssl
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address, ip_network
from pathlib import Path

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from engines.endpoints.chat import Chat, Endpoint, Unusable
from engines.endpoints.connections import Busy, broken_connections, open_client
from engines.endpoints.guard import Guard, InnerAddress
from engines.endpoints.posting import post
from tests.stubs.chat import ChatStub, Status

QUESTION = [{"role": "user", "content": "Which?"}]
HERE = ip_network("127.0.0.2/32")  # the loopback address that these tests let a guard reach


class Names:
    """Resolves every name to one list of addresses after the other, the last again and again; counts."""

    def __init__(self, *answers: str) -> None:
        self.answers, self.asked = [answer.split() for answer in answers], 0

    def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked += 1
        return self.answers[min(self.asked, len(self.answers)) - 1]


def ask(url: str, guard: Guard) -> str:
    with Chat(Endpoint(url, "sk-secret", "wise", timeout=10, guard=guard)) as chat:
        return chat.ask(QUESTION).text


def with_host(url: str, host: str) -> str:
    return url.replace("127.0.0.1", host)


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "127.1", "2130706433", "0x7f000001", "0.0.0.0", "localhost"),
        *("[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]"),
    ],
)
def test_no_spelling_of_loopback_is_connected_to(host: str) -> None:
    with ChatStub() as stub, pytest.raises(Unusable, match="inside the server's own network"):
        ask(with_host(stub.url, host), Guard())
    assert not stub.calls


def test_a_spelling_that_no_client_reads_is_a_wrong_address() -> None:
    with pytest.raises(Unusable, match="cannot be asked"):
        ask("http://0177.0.0.1/v1", Guard())


@pytest.mark.parametrize(
    "address",
    [
        *("10.0.0.1", "172.16.3.4", "192.168.1.1", "100.64.0.1", "169.254.169.254", "224.0.0.1", "255.255.255.255"),
        *("fd00::1", "fe80::1%eth0", "fec0::1", "ff02::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::", "::"),
        *("fd00:ec2::254", "192.0.2.1", "198.18.0.1", "240.0.0.1", "0.1.2.3"),
    ],
)
def test_inner_addresses_are_no_place_for_a_name_either(address: str) -> None:
    with pytest.raises(InnerAddress):
        Guard(resolve=Names(address)).addresses("model.example", 443)
    with pytest.raises(InnerAddress):  # one of several is enough
        Guard(resolve=Names(f"93.184.216.34 {address}")).addresses("model.example", 443)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:4700::1111", "64:ff9b::5db8:d822", "::ffff:93.184.216.34"])
def test_outer_addresses_are_reached(address: str) -> None:
    assert Guard().may_reach(ip_address(address))


def test_a_name_that_resolves_to_loopback_is_not_connected_to() -> None:
    with ChatStub() as stub, pytest.raises(Unusable):
        ask(with_host(stub.url, "model.example"), Guard(resolve=Names("127.0.0.1")))
    assert not stub.calls


def test_the_operator_opens_networks_also_as_ipv6_carries_them() -> None:
    guard = Guard((ip_network("127.0.0.0/8"),))
    with ChatStub(["fine"]) as stub:
        assert ask(stub.url, guard) == "fine"
    assert guard.may_reach(ip_address("::ffff:127.0.0.1"))
    assert not guard.may_reach(ip_address("10.0.0.1"))


def test_what_was_checked_is_connected_to_and_each_connection_is_checked() -> None:
    """Rebinding: the first answer may be reached, the second is loopback. No name of these is known to the system."""
    names = Names("127.0.0.2", "127.0.0.1")
    guard = Guard((HERE,), resolve=names)
    with ChatStub(["fine"], host="127.0.0.2") as stub:
        url = f"http://rebinding.invalid:{stub.port}/v1"
        assert ask(url, guard) == "fine"
        assert names.asked == 1  # looked up once: there is no second answer between check and connection
        assert stub.calls[0].headers["host"] == f"rebinding.invalid:{stub.port}"
        with pytest.raises(Unusable):
            ask(url, guard)
    assert len(stub.calls) == 1


def test_a_name_with_several_addresses_is_reached_by_one_that_answers() -> None:
    guard = Guard((ip_network("127.0.0.0/8"),), resolve=Names("127.0.0.3 127.0.0.2"))
    with ChatStub(["fine"], host="127.0.0.2") as stub:
        assert ask(f"http://model.invalid:{stub.port}/v1", guard) == "fine"
    with pytest.raises(Busy, match="refused"):
        ask(f"http://model.invalid:{stub.port}/v1", guard)
    with pytest.raises(Busy):
        ask("http://no-such-name.invalid/v1", Guard())


@pytest.mark.parametrize("code", [301, 302, 307, 308])
@pytest.mark.parametrize("guard", [None, Guard((HERE,))])
def test_redirects_are_followed_by_nobody(code: int, guard: Guard | None) -> None:
    with ChatStub() as inner, ChatStub([Status(code, {"Location": f"{inner.url}/x"})], host="127.0.0.2") as stub:
        with pytest.raises(Unusable, match=f"answered {code}, .*redirects are not followed"):
            ask(stub.url, guard)
        with open_client(5, {}, guard) as client:
            assert client.post(f"{stub.url}/x", json={}).status_code == code
    assert not inner.calls


def test_a_guarded_client_uses_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatStub(["by the proxy"]) as proxy, ChatStub(["fine"], host="127.0.0.2") as stub:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        assert ask(stub.url, Guard((HERE,))) == "fine"
    assert not proxy.calls


def test_what_the_environment_says_of_openai_is_sent_to_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS")
    for name in names:
        monkeypatch.setenv(name, f"x-private: {name}")
    with ChatStub(["fine"], host="127.0.0.2") as stub:
        assert ask(stub.url, Guard((HERE,))) == "fine"
    assert "private" not in str(stub.calls[0].headers)


def test_other_clients_are_guarded_by_the_same_transport() -> None:
    with (
        ChatStub() as stub,
        open_client(5, {}, Guard()) as client,
        pytest.raises(InnerAddress),
        broken_connections(5),
    ):
        client.post(stub.url, json={})
    assert not stub.calls
    guard = Guard(resolve=Names("127.0.0.2"), allowed=(HERE,))
    with open_client(5, {}, guard) as client, pytest.raises(httpx2.ConnectError):
        client.get("http://model.invalid:1/")


def test_an_endpoint_that_repeats_its_key_is_quoted_without_it() -> None:
    body = b'{"error": {"message": "Bearer sk-secret is no key of ours"}}'
    with ChatStub([Status(401, body=body)]) as stub, pytest.raises(Unusable) as refusal:
        ask(stub.url, Guard((ip_network("127.0.0.1/32"),)))
    assert "Bearer [key] is no key of ours" in str(refusal.value)


def _certificate(name: str, folder: Path) -> Path:
    """A certificate for this name, signed by itself, with its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    begins = datetime(2020, 1, 1, tzinfo=UTC)
    made = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(begins + timedelta(days=40_000))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    form = serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    file = folder / f"{name}.pem"
    file.write_bytes(
        made.public_bytes(serialization.Encoding.PEM) + key.private_bytes(serialization.Encoding.PEM, *form)
    )
    return file


def test_a_certificate_must_be_that_of_the_name_not_of_the_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = _certificate("model.invalid", tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    guard = Guard((HERE,), resolve=Names("127.0.0.2"))
    with ChatStub(["fine"], host="127.0.0.2") as stub:
        stub.server.socket = context.wrap_socket(stub.server.socket, server_side=True)
        assert ask(f"https://model.invalid:{stub.port}/v1", guard) == "fine"
        with pytest.raises(Busy, match="certificate verify failed"):
            ask(f"https://other.invalid:{stub.port}/v1", guard)
        assert post(f"https://model.invalid:{stub.port}/v1", b"{}", {}, guard).status == 200
        assert "certificate verify failed" in post(f"https://other.invalid:{stub.port}/v1", b"{}", {}, guard).problem
    assert len(stub.calls) == 2
