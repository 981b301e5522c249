from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from engines.formats import repeats
from engines.formats.repeats import SeenIds


@given(st.lists(st.text(max_size=2)), st.integers(1, 5))
def test_an_id_is_new_once(ids: list[str], recent: int) -> None:
    with patch.object(repeats, "_RECENT", recent):
        seen = SeenIds()
        new = [text for text in ids if seen.add(text)]
    assert new == list(dict.fromkeys(ids))


def test_many_ids_take_few_bytes() -> None:
    seen = SeenIds()
    assert all(seen.add(str(n)) for n in range(200_000))
    assert not any(seen.add(str(n)) for n in range(0, 200_000, 7))
    assert len(seen._older) * seen._older.itemsize <= 8 * 200_000
    assert len(seen._recent) < repeats._RECENT
