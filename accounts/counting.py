"""Numbers with their nouns."""


def counted(count: int, one: str, many: str = "") -> str:
    """ "1 note", "1,204 notes"; `many` where the plural is not `one` with an s."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
