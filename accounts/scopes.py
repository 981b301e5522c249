"""What an API token may be used for: every endpoint asks for a scope, by method."""

from typing import TYPE_CHECKING

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from accounts.authentication import CREATE_ANOTHER
from accounts.models import ApiToken, TokenScope

if TYPE_CHECKING:
    from rest_framework.views import APIView  # it imports the classes of this module


class ScopeAllows(BasePermission):
    """403 for a token whose scope is too narrow; sessions of the pages have no scope.

    Reading needs `read` and everything else `manage`, unless the view says otherwise by method in its `scopes`.
    """

    def has_permission(self, request: Request, view: "APIView") -> bool:
        if not isinstance(request.auth, ApiToken):
            return True
        scope, needed = TokenScope(request.auth.scope), scope_of(view, request.method or "")
        self.message = f"This token has the scope “{scope}”, but “{needed}” is required. {CREATE_ANOTHER}"
        return scope.includes(needed)


def scope_of(view: "APIView", method: str) -> TokenScope:
    """The narrowest scope of a token with which a method of the view can be called."""
    default = TokenScope.READ if method in SAFE_METHODS else TokenScope.MANAGE
    scopes: dict[str, TokenScope] = getattr(view, "scopes", {})
    return scopes.get("GET" if method == "HEAD" else method, default)
