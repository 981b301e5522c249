"""Addresses that people type lead outside only, as they resolve at the moment of the connection.

What is checked is what is connected to: a name that resolves to something else a moment later (DNS rebinding) gains
nothing. No client of this package follows redirects. Inner are the addresses that IANA's registries (RFC 6890) do not
call global, also inside an IPv6 address that carries one of IPv4, and those of groups.
"""

import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from engines.endpoints.connections import EndpointError

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052: the last 32 bits are an address of IPv4


class InnerAddress(EndpointError):
    """The address leads into a network that only the operator may open."""


def resolve(host: str, port: int) -> list[str]:
    """The addresses of a name, or of an address in any of the forms that the system reads. Errors: OSError."""
    try:
        return list(
            dict.fromkeys(str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        )
    except UnicodeError as error:
        raise OSError(f"“{host}” is not the name of a server") from error


@dataclass(frozen=True)
class Guard:
    """Which addresses may be connected to: those outside, and the `allowed` networks; with `is_inner`, these alone."""

    allowed: tuple[Network, ...] = ()
    is_inner: bool = False  # for what others on the way through the internet could read
    resolve: Callable[[str, int], Sequence[str]] = field(default=resolve, repr=False)

    def addresses(self, host: str, port: int) -> Sequence[str]:
        """What the name resolves to now. Errors: InnerAddress if one of them is inner, OSError for an unknown name.

        With `is_inner`, EndpointError if one of them is not among the allowed.
        """
        found = self.resolve(host, port)
        if self.is_inner and not all(self._is_allowed(ip_address(each)) for each in found):
            raise EndpointError(f"{host} is reached through the internet: give an address that begins with https")
        if not all(self.may_reach(ip_address(each)) for each in found):
            raise InnerAddress(
                f"{host} is an address inside the server's own network. The operator of this installation can allow it"
                " with LITMUS_INNER_ADDRESSES"
            )
        return found

    def may_reach(self, address: Address) -> bool:
        return self._is_allowed(address) or _is_outer(_carried(address))

    def _is_allowed(self, address: Address) -> bool:
        return any(address in network or _carried(address) in network for network in self.allowed)


def _carried(address: Address) -> Address:
    """The IPv4 address inside one of IPv6 (mapped, 6to4, NAT64), else the address itself."""
    if isinstance(address, IPv4Address):
        return address
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _is_outer(address: Address) -> bool:
    is_local = isinstance(address, IPv6Address) and address.is_site_local
    return address.is_global and not (address.is_multicast or address.is_reserved or is_local)
