"""Litmus: expert labelling of retrieval test collections. The program is `litmus`; programs import `Client`."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from litmus_ir.client import Client as Client  # loaded when it is first named: the program starts without it


def __getattr__(name: str) -> Any:
    if name != "Client":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from litmus_ir.client import Client

    return Client
