"""Draw docs/rooms.svg: the rooms of each app from the highest to the lowest, and who imports whom.

    python docs/draw_rooms.py [--check]

An arc on the right of an app goes from a room down to one that it imports; its width grows with the number of
importing modules. With `--check` nothing is written: exit 1 if the picture is not what the code says.
"""

import re
import sys
import tomllib
from collections import Counter
from pathlib import Path

import grimp

CHECKOUT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CHECKOUT))
PICTURE = CHECKOUT / "docs" / "rooms.svg"
APPS = ("engines", "corpus", "annotation", "adjudication")
LOWER = {
    "adjudication": "imports annotation, and below",
    "annotation": "imports corpus, and below",
    "corpus": "imports accounts, and below",
    "engines": "imported by all, import no app",
}
LEFT_OUT = ("templatetags",)
ROW, BOX, COLUMN, TOP = 34, 130, 330, 78
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2933 } .app { font-size: 17px; font-weight: 600 }
.few { font-size: 11px; fill: #616e7c } rect { fill: #fff; stroke: #9aa5b1 } .engine { fill: #eef2f6 }
.models { fill: #fdf3d8 } path { fill: none; stroke: #2f6f8f; stroke-opacity: .45 }
""".strip()


def rooms(app: str) -> list[list[str]]:
    """The rooms of an app from the highest to the lowest, as its import contract in pyproject.toml has them."""
    contracts = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(c["layers"] for c in contracts if c["name"] in (f"Rooms of {app}", app.capitalize()))
    return [[name.strip(" ()") for name in re.split(r"[|:]", layer)] for layer in layers]


def _drawn(app: str) -> list[str]:
    """Folders alone: cards, tabs and URLs only say what the rooms have."""
    names = [name for layer in rooms(app) for name in layer]
    return [name for name in names if (CHECKOUT / app / name).is_dir() and name not in LEFT_OUT]


def arrows(graph: grimp.ImportGraph, app: str) -> Counter[tuple[str, str]]:
    """(importing room, imported room) → number of modules that import."""
    found: set[tuple[str, str, str]] = set()
    for module in graph.modules:
        room = _room(module)
        if module.startswith(f"{app}.") and room:
            found |= {
                (module, room, other)
                for m in graph.find_modules_directly_imported_by(module)
                if m.startswith(f"{app}.") and (other := _room(m)) and other != room
            }
    return Counter((room, other) for _, room, other in found)


def _room(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def draw() -> str:
    graph = grimp.build_graph(*APPS, exclude_type_checking_imports=False)
    height = TOP + ROW * max(len(_drawn(app)) for app in APPS) + 16
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {COLUMN * len(APPS)} {height}" role="img">']
    parts.append("<title>The rooms of Litmus and their imports</title>")
    parts.append(f"<style>{STYLE}</style>")
    parts.append(f'<rect x="0" y="0" width="{COLUMN * len(APPS)}" height="{height}" stroke="none"/>')
    for column, app in enumerate(reversed(APPS)):
        parts += _column(graph, app, 20 + column * COLUMN)
    return "\n".join([*parts, "</svg>", ""])


def _column(graph: grimp.ImportGraph, app: str, x: int) -> list[str]:
    names = _drawn(app)
    y = {name: TOP + ROW * place for place, name in enumerate(names)}
    modules = Counter(_room(module) for module in graph.modules if module.startswith(f"{app}."))
    lower = LOWER[app]
    parts = [f'<text class="app" x="{x}" y="30">{app}/</text><text class="few" x="{x}" y="50">{lower}</text>']
    for (room, other), count in sorted(arrows(graph, app).items()):
        if room in y and other in y:
            start, end, side = y[room] + 13, y[other] + 13, x + BOX
            bend = side + 24 + abs(end - start) * 0.32
            parts.append(
                f'<path stroke-width="{min(0.6 + count / 5, 5):.1f}" '
                f'd="M{side} {start}C{bend:.0f} {start} {bend:.0f} {end} {side} {end}">'
                f"<title>{room} imports {other} in {count} modules</title></path>"
            )
    for name in names:
        kind = "models" if name == "models" else "engine" if app == "engines" else "room"
        parts.append(f'<rect class="{kind}" x="{x}" y="{y[name]}" width="{BOX}" height="26" rx="5"/>')
        parts.append(f'<text x="{x + 9}" y="{y[name] + 18}">{name}</text>')
        parts.append(f'<text class="few" x="{x + BOX - 8}" y="{y[name] + 18}" text-anchor="end">{modules[name]}</text>')
    return parts


if __name__ == "__main__":
    picture = draw()
    if "--check" in sys.argv:
        sys.exit(
            0 if PICTURE.exists() and PICTURE.read_text() == picture else "docs/rooms.svg is not what the code says"
        )
    PICTURE.write_text(picture)
