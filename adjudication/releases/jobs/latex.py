"""The datasheet and the appendix in LaTeX, to be put into a paper, and as PDF where a TeX is there.

What is converted is the Markdown of `appendix.py`: headings, bold questions, quoted lines, paragraphs. Everything else
is text, escaped, so that nothing a person typed is ever a command.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from django.conf import settings

SECONDS = 60  # for one run of TeX
ESCAPED = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_\-",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "“": "``", "”": "''", "’": "'", "‘": "`", "–": "--", "—": "---",
    "…": r"\ldots{}", "→": r"$\rightarrow$", "×": r"$\times$", "≥": r"$\geq$", "≤": r"$\leq$", "-": "-{}",
    "`": r"\`{}", "¨": r"\"{}", "¯": r"\={}", "´": r"\'{}", "'": r"\textquotesingle{}", "/": r"/\allowbreak{}",
}  # fmt: skip
# What T1 fonts have beyond ASCII.
LATIN = frozenset(range(0xA1, 0x180)) - {ord(sign) for sign in "ĦħĸĿŀŉŦŧſ"}
PREAMBLE = r"""\documentclass[11pt,a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{textcomp}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{\IfFileExists{t1ptm.fd}{\usepackage{mathptmx}}{}}
\usepackage[margin=2.5cm]{geometry}
\setlength{\parindent}{0pt}
\setlength{\parskip}{6pt}
\sloppy
\ifdefined\pdfinfoomitdate\pdfinfoomitdate=1\fi
\ifdefined\pdftrailerid\pdftrailerid{}\fi
\begin{document}
"""


def latex_of(markdown: str) -> str:
    """A whole document that compiles by itself; what stands between \\begin{document} and \\end goes into a paper."""
    return PREAMBLE + "\n".join(_blocks(markdown)) + "\n\\end{document}\n"


def _blocks(markdown: str) -> Iterator[str]:
    for is_quoted, lines in groupby(markdown.splitlines(), key=lambda line: line.startswith(">")):
        if is_quoted:
            yield from (
                r"\begin{quote}",
                *(f"{escaped(line[1:].strip().lstrip('#'))}\n" for line in lines),
                r"\end{quote}",
            )
        else:
            yield from map(_line, lines)


def _line(line: str) -> str:
    for lead, command in (("## ", r"\subsection*"), ("# ", r"\section*")):
        if line.startswith(lead):
            return f"{command}{{{escaped(line.removeprefix(lead))}}}"
    if line.startswith("**") and line.endswith("**") and len(line) > 4:
        return rf"\textbf{{{escaped(line[2:-2])}}}"
    return escaped(line)


def escaped(text: str) -> str:
    """The text as LaTeX prints it. Characters that its fonts lack are written as their numbers."""
    return "".join(
        ESCAPED.get(sign) or (sign if " " <= sign <= "~" or ord(sign) in LATIN else f"[U+{ord(sign):04X}]")
        for sign in text
        if sign.isprintable() or sign == "\t"
    )


def pdf_of(latex: str) -> bytes | None:
    """The document as PDF; None without a TeX, or where it fails: the release is whole without it.

    Equal text gives equal bytes with the same TeX. It runs without a shell and reads nothing outside of its folder.
    """
    if not settings.TEX_PROGRAM:
        return None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "text.tex").write_text(latex, encoding="utf-8")
        command = [settings.TEX_PROGRAM, "-no-shell-escape", "-interaction=batchmode", "-halt-on-error", "text.tex"]
        try:
            subprocess.run(  # noqa: S603 - the operator names the program
                command, cwd=folder, env=_environment(folder), check=True, capture_output=True, timeout=SECONDS
            )
        except (OSError, subprocess.SubprocessError):
            return None
        return (folder / "text.pdf").read_bytes()


def _environment(folder: Path) -> dict[str, str]:
    """Nothing of the server's own: where programs are, fixed times, and no file outside of the folder. A font that is
    missing is not drawn dot by dot, which takes a minute."""
    found = Path(shutil.which(settings.TEX_PROGRAM) or settings.TEX_PROGRAM)
    fixed = {"SOURCE_DATE_EPOCH": "0", "FORCE_SOURCE_DATE": "1", "openin_any": "p", "openout_any": "p", "MKTEXPK": "0"}
    return {"PATH": f"{found.parent}:{os.defpath}", "HOME": str(folder), "TEXMFVAR": str(folder), **fixed}
