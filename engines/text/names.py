"""The name of a document where only one line is shown."""

OPENING = 120  # characters of an abstract that stand in for a title


def document_name(title: str, abstract: str, docno: str) -> str:
    """The title; without one the beginning of the abstract, cut between words; without either the docno."""
    return " ".join(title.split()) or _opening(abstract) or docno


def _opening(abstract: str) -> str:
    text = " ".join(abstract[: 2 * OPENING].split())
    if len(text) <= OPENING:
        return text
    cut = text[:OPENING]
    whole = cut if text[OPENING] == " " else cut.rpartition(" ")[0]
    return (whole or cut).rstrip(" ,;:") + " …"
