"""Icons of every platform, fonts of every script that a collection may be written in, and looks that fingers leave."""

import io
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from PIL import Image

from engines.text.languages import LANGUAGES

STATIC = Path(__file__).parent.parent / "static"


def _picture(address: str) -> Image.Image:
    """The picture behind an address of the static files, with or without a hash in its name."""
    name = re.sub(r"\.[0-9a-f]{12}(?=\.\w+$)", "", address.rsplit("/", 1)[-1])
    found = finders.find(f"img/{name}")
    assert found, address
    return Image.open(io.BytesIO(Path(found).read_bytes()))


@pytest.mark.django_db
def test_pages_name_an_icon_for_every_platform(client: Client) -> None:
    page = client.get("/accounts/login/", follow=True).text
    icons = dict(re.findall(r'<link rel="([\w-]+)" href="([^"]+)"', page))
    assert _picture(icons["apple-touch-icon"]).size == (180, 180)
    assert _picture(icons["apple-touch-icon"]).convert("RGBA").getextrema()[3] == (255, 255), "iOS paints black below"
    assert re.search(r'<link rel="icon" href="[^"]+litmus[^"]*\.svg" type="image/svg\+xml">', page)
    assert re.search(r'<link rel="icon" href="[^"]+favicon[^"]*\.ico"', page)
    manifest = client.get(icons["manifest"])
    assert manifest["Content-Type"] == "application/manifest+json"
    shown = {(each["sizes"], each["purpose"]): _picture(each["src"]).size for each in manifest.json()["icons"]}
    assert shown == {
        ("192x192", "any"): (192, 192),
        ("512x512", "any"): (512, 512),
        ("512x512", "maskable"): (512, 512),
    }


@pytest.mark.django_db
def test_an_icon_is_found_without_a_page(client: Client) -> None:
    answer = client.get("/favicon.ico")
    assert answer.status_code == 302
    assert _picture(answer["Location"]).info["sizes"] == {(16, 16), (32, 32), (48, 48)}


# Of each language that is not written in Latin, Greek or Cyrillic letters: a font of Apple's, Windows' and Noto's.
FONTS = {
    **dict.fromkeys(("ar", "fa", "ur"), ("Geeza Pro", "Segoe UI", "Noto Sans Arabic")),
    **dict.fromkeys(("he", "yi"), ("Arial Hebrew", "Segoe UI", "Noto Sans Hebrew")),
    **dict.fromkeys(("hi", "ne"), ("Kohinoor Devanagari", "Nirmala UI", "Noto Sans Devanagari")),
    "bn": ("Kohinoor Bangla", "Nirmala UI", "Noto Sans Bengali"),
    "gu": ("Kohinoor Gujarati", "Nirmala UI", "Noto Sans Gujarati"),
    "ta": ("InaiMathi", "Nirmala UI", "Noto Sans Tamil"),
    "th": ("Thonburi", "Leelawadee UI", "Noto Sans Thai"),
    "km": ("Khmer Sangam MN", "Leelawadee UI", "Noto Sans Khmer"),
    "lo": ("Lao Sangam MN", "Leelawadee UI", "Noto Sans Lao"),
    "my": ("Myanmar Sangam MN", "Myanmar Text", "Noto Sans Myanmar"),
    "hy": ("-apple-system", "Sylfaen", "Noto Sans Armenian"),
    "zh": ("PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC"),
    "ja": ("Hiragino Sans", "Yu Gothic UI", "Noto Sans CJK JP"),
    "ko": ("Apple SD Gothic Neo", "Malgun Gothic", "Noto Sans CJK KR"),
}
LATIN_GREEK_CYRILLIC = set(
    "en eu bg ca cs da nl eo et fi fr de el hu id ga it lt ms no pl pt ro ru sr sk es sv tr uk vi mul".split()
)


def test_every_language_has_a_font_on_each_platform() -> None:
    assert set(LANGUAGES) == LATIN_GREEK_CYRILLIC | set(FONTS)
    sheet = (STATIC / "css" / "base.css").read_text(encoding="utf-8")
    assert not [(code, font) for code, fonts in FONTS.items() for font in fonts if font not in sheet]


def test_no_class_of_the_frame_is_one_of_tables() -> None:
    """The frame's rules would lay the cells out: `.place` once took the lines between rows apart."""
    css = {path: path.read_text() for path in STATIC.glob("css/**/*.css")}
    frame = set(re.findall(r"^  \.([\w-]+) \{", css[STATIC / "css/layout.css"], re.MULTILINE))
    cells = {name for text in css.values() for name in re.findall(r"\.table(?: \w+)* \.([\w-]+)", text)}
    assert not frame & cells


def test_a_finger_leaves_no_hover() -> None:
    """What was tapped last stays "hovered" on a phone: a grade would look chosen in the next row."""
    where_a_pointer_hovers = re.compile(r"^( *)@media \(hover: hover\) \{\n.*?^\1\}", re.DOTALL | re.MULTILINE)
    for sheet in (STATIC / "css").rglob("*.css"):
        assert ":hover" not in where_a_pointer_hovers.sub("", sheet.read_text()), sheet
