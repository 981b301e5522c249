"""Who signs in with a password: everybody, or one account of staff where the others come through a provider."""

from django.conf import settings
from django.utils.text import get_text_list
from django.utils.translation import gettext as _

from accounts.refusals import NotAllowed


def may_have_password(email: str) -> bool:
    """Whether this address may sign in with a password (setting LITMUS_PASSWORDS_ONLY_FOR)."""
    return not settings.PASSWORDS_ONLY_FOR or email.lower() == settings.PASSWORDS_ONLY_FOR


def check_may_have_password(email: str) -> None:
    """Errors: NotAllowed, with where to sign in instead."""
    if not may_have_password(email):
        labels = get_text_list([each.label for each in settings.SIGN_ON.values()], _("or"))
        raise NotAllowed(_("Passwords are switched off here. Sign in through {labels}.").format(labels=labels))
