"""What is sealed can be read with the secret key of this server alone."""

import pytest

from accounts.refusals import Refused
from accounts.sealing import sealed, unsealed

KEY = "sk-ThisIsTheSecretKeyOfAModel"


def test_a_key_is_read_again_and_looks_different_each_time() -> None:
    assert unsealed(sealed(KEY)) == KEY
    assert KEY not in sealed(KEY) != sealed(KEY)
    assert sealed("") == unsealed("") == ""


def test_a_key_survives_a_new_secret_key_only_with_the_former_one(settings) -> None:
    box, former = sealed(KEY), settings.SECRET_KEY
    settings.SECRET_KEY = "another-secret-key-of-this-server"
    with pytest.raises(Refused, match="secret key of this Litmus has changed"):
        unsealed(box)
    settings.SECRET_KEY_FALLBACKS = [former]
    assert unsealed(box) == KEY


def test_what_was_changed_is_refused() -> None:
    with pytest.raises(Refused):
        unsealed(sealed(KEY)[:-4] + "AAAA")
