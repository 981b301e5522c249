"""How allauth behaves here: nobody signs up without an invitation, and what touches sign-in is audited."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from accounts.audit import record_event
from accounts.models import User


class AccountAdapter(DefaultAccountAdapter):
    """Closed to strangers: accounts are made by accepting an invitation, or by `manage.py create_user`."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002
        return False

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        record_event(by=user, at=timezone.now(), verb="sign_in", target=user)
        return super().post_login(request, user, **kwargs)

    def set_password(self, user: User, password: str) -> None:
        super().set_password(user, password)
        record_event(by=user, at=timezone.now(), verb="set_password", target=user)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:  # noqa: ARG002
        return reverse("account_profile")
