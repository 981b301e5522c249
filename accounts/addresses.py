"""What an e-mail address is here: stricter than Django's check, because an address is also a person's identity.

Django takes a long s (ſ) for a letter of the alphabet and lets invisible characters stand in a domain. Two addresses
that look the same would then be two people, and the mail for one of them would reach nobody, or somebody else.
"""

import unicodedata

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

LONGEST_ADDRESS = 254  # characters
NOT_PLAIN = gettext_lazy("Use letters without accents before the @, and no special forms of letters after it.")


def check_characters(email: str) -> None:
    """Errors: ValidationError for characters that are invisible or look like others. For fields of e-mail addresses."""
    for char in email:
        if unicodedata.category(char)[0] in "CZ":
            raise ValidationError(
                _("The address contains an invisible character (U+{code}).").format(code=format(ord(char), "04X"))
            )
    if not email.rpartition("@")[0].isascii() or unicodedata.normalize("NFKC", email) != email:
        raise ValidationError(NOT_PLAIN)


def validate_address(email: str) -> None:
    """Errors: ValidationError for what is no address, and for such characters."""
    if len(email) > LONGEST_ADDRESS:
        raise ValidationError(_("An address has at most {most} characters.").format(most=LONGEST_ADDRESS))
    validate_email(email)
    check_characters(email)


def is_address(email: str) -> bool:
    """Whether `validate_address` accepts it."""
    try:
        validate_address(email)
    except ValidationError:
        return False
    return True
