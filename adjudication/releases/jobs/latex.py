"""The datasheet and the appendix in LaTeX, to be put into a paper, and as PDF where a TeX is there.

What is converted is the Markdown of `appendix.py`: headings, bold questions, quoted lines, paragraphs. Everything else
is text, escaped, so that nothing a person typed is ever a command.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Collection, Iterator, Mapping
from itertools import groupby
from pathlib import Path

from django.conf import settings

SECONDS = 60  # for one run of TeX
ESCAPED = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_\-",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "“": "``", "”": "''", "’": "'", "‘": "`", "–": "--", "—": "---",
    "…": r"\ldots{}", "→": r"$\rightarrow$", "×": r"$\times$", "≥": r"$\geq$", "≤": r"$\leq$", "-": "-{}",
    "α": r"$\alpha$", "κ": r"$\kappa$", "ρ": r"$\rho$", "τ": r"$\tau$",
    "`": r"\`{}", "¨": r"\"{}", "¯": r"\={}", "´": r"\'{}", "'": r"\textquotesingle{}", "/": r"/\allowbreak{}",
}  # fmt: skip
# What T1 fonts have beyond ASCII.
LATIN = frozenset(range(0xA1, 0x180)) - {ord(sign) for sign in "ĦħĸĿŀŉŦŧſ"}
EMPHASISED = re.compile(r"\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*")
PICTURE = re.compile(r"!\[(?P<words>.*)\]\((?P<path>[A-Za-z0-9/._-]+)\)").fullmatch
PREAMBLE = r"""\documentclass[11pt,a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{textcomp}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{\IfFileExists{t1ptm.fd}{\usepackage{mathptmx}}{}}
\usepackage[margin=2.5cm]{geometry}
\usepackage{graphicx}
\setlength{\parindent}{0pt}
\setlength{\parskip}{6pt}
\sloppy
\ifdefined\pdfinfoomitdate\pdfinfoomitdate=1\fi
\ifdefined\pdftrailerid\pdftrailerid{}\fi
\begin{document}
"""


def latex_of(markdown: str, pictures: Collection[str] = ()) -> str:
    """A whole document that compiles by itself; what stands between \\begin{document} and \\end goes into a paper.

    `pictures` are the paths whose pictures are shown; what else looks like one is text.
    """
    return PREAMBLE + "\n".join(_blocks(markdown, pictures)) + "\n\\end{document}\n"


def _blocks(markdown: str, pictures: Collection[str]) -> Iterator[str]:
    for is_quoted, lines in groupby(markdown.splitlines(), key=lambda line: line.startswith(">")):
        if is_quoted:
            yield from (
                r"\begin{quote}",
                *(f"{_quoted(line[1:].strip())}\n" for line in lines),
                r"\end{quote}",
            )
        else:
            yield from (_picture(line, pictures) or _line(line) for line in lines)


def _quoted(line: str) -> str:
    """A line of a guideline: headings bold, what is emphasised there emphasised here."""
    if line.startswith("#"):
        return rf"\textbf{{{escaped(line.lstrip('#').strip())}}}"
    plain, *emphasised = EMPHASISED.split(line)
    found = [escaped(plain)]
    for strong, weak, after in zip(emphasised[::3], emphasised[1::3], emphasised[2::3], strict=True):
        found.append(rf"\textbf{{{escaped(strong)}}}" if strong else rf"\emph{{{escaped(weak)}}}")
        found.append(escaped(after))
    return "".join(found)


def _picture(line: str, pictures: Collection[str]) -> str:
    """The picture with its words below, "" where the line is none."""
    found = PICTURE(line)
    if found is None or found["path"] not in pictures:
        return ""
    path = rf"\detokenize{{{found['path']}}}"
    shown = rf"\IfFileExists{{{path}}}{{\includegraphics[width=\linewidth]{{{path}}}}}{{}}"
    words = rf"{{\small {escaped(found['words'])}}}"
    framed = rf"\fbox{{\parbox{{0.98\linewidth}}{{{shown}}}}}\\[4pt]{words}"
    return rf"\begin{{center}}\begin{{minipage}}{{\linewidth}}\centering {framed}\end{{minipage}}\end{{center}}"


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


def pdf_of(latex: str, pictures: Mapping[str, Path] | None = None) -> bytes | None:
    """The document with its pictures ({path in it: file}) as PDF; None without a TeX, or where it fails: the
    release is whole without it.

    Equal text gives equal bytes with the same TeX. It runs without a shell and reads nothing outside of its folder.
    """
    if not settings.TEX_PROGRAM:
        return None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "text.tex").write_text(latex, encoding="utf-8")
        for path, picture in (pictures or {}).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(picture, folder / path)
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
