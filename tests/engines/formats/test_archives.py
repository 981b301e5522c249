import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

import pytest

from engines.formats.archives import ArchiveLimits, open_files
from engines.formats.records import BrokenFile

CONTENT = b"first line\nsecond line\n" * 40


def read_all(path: Path, **options) -> dict[str, bytes]:
    return {member.name: member.stream.read() for member in open_files(path, **options)}


def write_tar(path: Path, mode: str, files: dict[str, bytes]) -> Path:
    with tarfile.open(path, mode) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_a_single_file_is_read_whatever_its_compression_and_name(tmp_path: Path, pack) -> None:
    path = tmp_path / "data.txt"
    path.write_bytes(pack(CONTENT))
    assert read_all(path) == {"data.txt": CONTENT}
    assert read_all(path, name="upload.jsonl") == {"upload.jsonl": CONTENT}
    assert next(open_files(path)).alone


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_a_tar_is_read_member_by_member(tmp_path: Path, mode: str) -> None:
    files = {"a/one.bib": CONTENT, "two.jsonl.gz": gzip.compress(CONTENT), "empty": b""}
    path = write_tar(tmp_path / "a.tar", mode, files)
    assert read_all(path) == {"a.tar/a/one.bib": CONTENT, "a.tar/two.jsonl.gz": CONTENT, "a.tar/empty": b""}
    assert not any(member.alone for member in open_files(path))


def test_members_that_are_not_read_to_the_end_do_not_disturb_the_next(tmp_path: Path) -> None:
    path = write_tar(tmp_path / "a.tar", "w:gz", {"a": CONTENT * 1000, "b": CONTENT})
    assert [member.stream.read(5) for member in open_files(path)] == [b"first", b"first"]


def test_a_zip_is_read_member_by_member(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/one.bib", CONTENT)
        archive.writestr("__MACOSX/a/._one.bib", b"junk")
        archive.writestr("folder/", b"")
    assert read_all(path) == {"a.zip/a/one.bib": CONTENT}


def test_a_folder_is_read_in_order_without_side_files_and_links(tmp_path: Path) -> None:
    folder = tmp_path / "acm"
    (folder / "x").mkdir(parents=True)
    (folder / "x" / "b.bib").write_bytes(CONTENT)
    (folder / "a.bib").write_bytes(CONTENT)
    (folder / ".DS_Store").write_bytes(b"junk")
    (folder / "link").symlink_to("/etc/passwd")
    assert list(read_all(folder)) == ["acm/a.bib", "acm/x/b.bib"]


def test_names_that_lead_out_are_labels_only(tmp_path: Path) -> None:
    path = write_tar(tmp_path / "a.tar", "w", {"../../../evil.bib": CONTENT, "/etc/evil\n.bib": CONTENT})
    assert list(read_all(path)) == ["a.tar/../../../evil.bib", "a.tar//etc/evil?.bib"]
    assert sorted(entry.name for entry in tmp_path.rglob("*")) == ["a.tar"]


def test_links_and_devices_in_a_tar_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as archive:
        for kind, name in (
            (tarfile.SYMTYPE, "s"),
            (tarfile.LNKTYPE, "l"),
            (tarfile.CHRTYPE, "c"),
            (tarfile.DIRTYPE, "d"),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    assert read_all(path) == {}


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_swelling_file_is_stopped_at_the_limit(tmp_path: Path, pack) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(pack(b"\n" * 10_000_000))
    members = open_files(path, limits=ArchiveLimits(member_bytes=1_000_000))
    member = next(members)
    pieces = iter(lambda: member.stream.read(1000), b"")
    with pytest.raises(BrokenFile, match="larger than allowed"):
        sum(map(len, pieces))


def test_a_swelling_archive_is_stopped_at_the_total(tmp_path: Path) -> None:
    limits = ArchiveLimits(member_bytes=10_000_000, total_bytes=3_000_000)
    tar = write_tar(tmp_path / "a.tar", "w:gz", {str(n): b"\n" * 1_000_000 for n in range(5)})
    with pytest.raises(BrokenFile, match="larger than allowed"):
        read_all(tar, limits=limits)
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for n in range(5):
            archive.writestr(str(n), b"\n" * 1_000_000)
    with pytest.raises(BrokenFile, match="larger than allowed"):
        read_all(path, limits=limits)


def test_what_swells_within_the_members_counts_for_the_total(tmp_path: Path) -> None:
    limits = ArchiveLimits(member_bytes=2_000_000, total_bytes=3_000_000)
    files = {f"{n}.gz": gzip.compress(b"\n" * 1_000_000) for n in range(5)}
    with pytest.raises(BrokenFile, match="larger than allowed"):
        read_all(write_tar(tmp_path / "a.tar", "w", files), limits=limits)
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    with pytest.raises(BrokenFile, match="larger than allowed"):
        read_all(path, limits=limits)


def test_a_hole_in_a_sparse_tar_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    path.write_bytes(sparse_header("hole", (1 << 33) - 1) + b"\0" * 1024)
    members = open_files(path, limits=ArchiveLimits(total_bytes=3_000_000))
    assert next(members).stream.read(10) == b"\0" * 10
    with pytest.raises(BrokenFile, match="larger than allowed"):
        next(members)


def sparse_header(name: str, size: int) -> bytes:
    """A member of GNU tar that claims `size` bytes and has none."""
    info = tarfile.TarInfo(name)
    info.type = tarfile.GNUTYPE_SPARSE
    block = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    block[386:410], block[483:495] = b"%011o\0" % 0 * 2, b"%011o\0" % size
    block[148:156] = b"%06o\0 " % (256 + sum(block[:148]) + sum(block[156:512]))
    return bytes(block)


def test_too_many_members_are_refused(tmp_path: Path) -> None:
    tar = write_tar(tmp_path / "a.tar", "w", {str(n): b"x" for n in range(5)})
    with pytest.raises(BrokenFile, match="more than 4 files"):
        read_all(tar, limits=ArchiveLimits(files=4))
    assert len(read_all(tar, limits=ArchiveLimits(files=5))) == 5


@pytest.mark.slow
def test_a_huge_tar_header_is_not_taken_into_memory(tmp_path: Path) -> None:
    info = tarfile.TarInfo("name")
    info.type, info.size = tarfile.XHDTYPE, 1 << 26
    path = tmp_path / "a.tar.gz"
    path.write_bytes(gzip.compress(info.tobuf(tarfile.USTAR_FORMAT) + b"9" * (1 << 26)))
    with pytest.raises(BrokenFile, match="larger than allowed"):
        read_all(path)


def test_damaged_files_say_so(tmp_path: Path) -> None:
    packed = gzip.compress(CONTENT)
    (tmp_path / "cut.gz").write_bytes(packed[:-10])
    (tmp_path / "bad.xz").write_bytes(lzma.compress(CONTENT)[:-20])
    whole = write_tar(tmp_path / "a.tar", "w", {"a": CONTENT * 10}).read_bytes()
    (tmp_path / "cut.tar").write_bytes(whole[:1500])
    (tmp_path / "no.tar").write_bytes(b"not a tar at all" * 100)
    (tmp_path / "bad.zip").write_bytes(b"PK\x03\x04 and no more")
    for name in ("cut.gz", "bad.xz", "cut.tar", "no.tar", "bad.zip"):
        with pytest.raises(BrokenFile, match="damaged"):
            read_all(tmp_path / name)


def test_encrypted_and_foreign_archives_say_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.bib", CONTENT)
    raw = bytearray(path.read_bytes())
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(raw)
    with pytest.raises(BrokenFile, match="encrypted; pack the file without a password"):
        read_all(path)
    (tmp_path / "a.zst").write_bytes(b"\x28\xb5\x2f\xfd....")
    with pytest.raises(BrokenFile, match="zstd, which is not read here; pack it as"):
        read_all(tmp_path / "a.zst")


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(BrokenFile, match="cannot be opened: No such file"):
        read_all(tmp_path / "nothing.bib")
