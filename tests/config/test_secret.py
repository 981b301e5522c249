"""The secret of an installation."""

import stat

from config.secret import secret_key


def test_the_secret_is_made_once_for_its_owner_alone(data_dir):
    secret = secret_key(data_dir)
    assert len(secret) >= 50
    assert secret_key(data_dir) == secret
    assert stat.S_IMODE((data_dir / "secret-key").stat().st_mode) == 0o600
