"""Words without braces in BibTeX, which @string or a style defines."""

from __future__ import annotations

import re
from dataclasses import dataclass

BARE = re.compile(r"[^\s,#{}()\"=]++")

# What the standard styles of BibTeX define: months, and the journals of `plain` and its kin.
_MONTHS = "January February March April May June July August September October November December".split()
STANDARD_WORDS = {name.lower(): month for month in _MONTHS for name in (month[:3], month)} | {
    "sept": "September",
    "acmcs": "ACM Computing Surveys",
    "acta": "Acta Informatica",
    "cacm": "Communications of the ACM",
    "ibmjrd": "IBM Journal of Research and Development",
    "ibmsj": "IBM Systems Journal",
    "ieeese": "IEEE Transactions on Software Engineering",
    "ieeetc": "IEEE Transactions on Computers",
    "ieeetcad": "IEEE Transactions on Computer-Aided Design of Integrated Circuits",
    "ipl": "Information Processing Letters",
    "jacm": "Journal of the ACM",
    "jcss": "Journal of Computer and System Sciences",
    "scp": "Science of Computer Programming",
    "sicomp": "SIAM Journal on Computing",
    "tocs": "ACM Transactions on Computer Systems",
    "tods": "ACM Transactions on Database Systems",
    "tog": "ACM Transactions on Graphics",
    "toms": "ACM Transactions on Mathematical Software",
    "toois": "ACM Transactions on Office Information Systems",
    "toplas": "ACM Transactions on Programming Languages and Systems",
    "tcs": "Theoretical Computer Science",
}


@dataclass(slots=True)
class Joined:
    """A value with words that nothing has defined yet: its parts, which of them are such words, the field's line."""

    parts: list[str]
    words: list[int]
    line: int

    def unknown(self, macros: dict[str, str]) -> list[str]:
        """The words that are still undefined, as written."""
        return [self.parts[n] for n in self.words if self.parts[n].lower() not in macros]

    def value(self, macros: dict[str, str]) -> str:
        """The parts joined; a word that is not defined stands for itself."""
        words = set(self.words)
        return "".join(macros.get(p.lower(), p) if n in words else p for n, p in enumerate(self.parts))


def bare_word(text: str, at: int, macros: dict[str, str], parts: list[str], unknown: list[int]) -> int:
    """Add what a value without delimiters stands for to `parts`; where it ends, or -1 where there is none.

    What begins with a digit stands for itself. The place of a word that is not defined is added to `unknown`.
    """
    bare = BARE.match(text, at)
    if bare is None:
        return -1
    word = macros.get(bare[0].lower())
    if word is None:
        word = bare[0]
        if not word[0].isdigit():
            unknown.append(len(parts))
    parts.append(word)
    return bare.end()
