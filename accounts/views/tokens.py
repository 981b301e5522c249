"""One's own API tokens."""

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.actions.tokens import create_token, revoke_token
from accounts.forms import TokenForm
from accounts.models import ApiToken, TokenScope, User
from accounts.refusals import Refused
from accounts.requests import Request


@never_cache
@require_http_methods(["GET", "POST"])
def token_list(request: Request) -> HttpResponse:
    """List one's tokens; a POST makes one and shows its key, in this answer and never again."""
    form, key = TokenForm(request.POST if request.method == "POST" else None), ""
    if form.is_valid():
        try:
            _, key = _create(request.user, form.cleaned_data)
            form = TokenForm()
        except Refused as refusal:
            form.add_error(None, refusal.reason)
    tokens = ApiToken.objects.filter(user=request.user).order_by("-created_at", "-pk")
    context = {"form": form, "key": key, "tokens": tokens}
    return render(request, "accounts/token_list.html", context, status=422 if form.errors else 200)


def _create(user: User, wanted: dict[str, Any]) -> tuple[ApiToken, str]:
    now = timezone.now()
    expires_at = now + timedelta(days=wanted["days"])
    return create_token(
        by=user, at=now, label=wanted["label"], scope=TokenScope(wanted["scope"]), expires_at=expires_at
    )


@require_POST
def token_revoke(request: Request, pk: int) -> HttpResponse:
    """Revoke one of one's own tokens; other people's do not exist here."""
    token = get_object_or_404(ApiToken, pk=pk, user=request.user)
    revoke_token(by=request.user, at=timezone.now(), token=token)
    messages.success(request, f"Token “{token.label}” revoked. Programs that use it are refused from now on.")
    return redirect("token_list")
