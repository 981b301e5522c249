"""Unicode to LaTeX, for tables of papers."""

ESCAPES = {
    **{sign: rf"\{sign}" for sign in "%&_#${}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "κ": r"$\kappa$",
    "ρ": r"$\rho$",
    "α": r"$\alpha$",
    "τ": r"$\tau$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "−": "$-$",
    "<": "$<$",
    "[": "{[}",  # at the start of a row it would be an option of the line end before it
}


def escape(text: str) -> str:
    """Text as LaTeX prints it: characters with a meaning there, and Greek letters as mathematics."""
    return "".join(ESCAPES.get(sign, sign) for sign in text)
