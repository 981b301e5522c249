"""Write docs/how-to/python-client.ipynb: the page of that name as a notebook, its Python blocks as cells.

python docs/write_notebook.py
"""

import json
import re
from pathlib import Path

PAGE = Path(__file__).resolve().parent / "how-to" / "python-client.md"
NOTEBOOK = PAGE.with_suffix(".ipynb")
COMMENT = re.compile(r"<!--.*?-->\n+", re.DOTALL)
OF_THE_SITE = re.compile(r"\[([^]]+)\]\((?!https?:)[^)]+\)")  # links that lead nowhere from a notebook
BLOCK = re.compile(r"^```python\n(.*?)\n```$", re.MULTILINE | re.DOTALL)


def notebook(page: str) -> str:
    """The notebook (nbformat 4.5) of a page in Markdown: what stands between its Python blocks is text."""
    parts = BLOCK.split(OF_THE_SITE.sub(r"\1", COMMENT.sub("", page)))
    cells = [_cell(number, text.strip("\n")) for number, text in enumerate(parts)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def _cell(number: int, text: str) -> dict[str, object]:
    cell = {"id": f"cell-{number}", "metadata": {}, "source": text.splitlines(keepends=True)}
    if number % 2:
        return {"cell_type": "code", "execution_count": None, "outputs": [], **cell}
    return {"cell_type": "markdown", **cell}


if __name__ == "__main__":
    NOTEBOOK.write_text(notebook(PAGE.read_text("utf-8")), "utf-8")
