from accounts.counting import counted


def test_a_number_has_its_noun_in_the_singular_only_for_one() -> None:
    assert [counted(each, "note") for each in (0, 1, 1204)] == ["0 notes", "1 note", "1,204 notes"]
    assert [counted(each, "person", "people") for each in (1, 2)] == ["1 person", "2 people"]
