"""Files that a user names: whatever they are, one line that names them, and no waiting. Files written: whole ones."""

import errno
import json
import os
import struct
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from engine.evaluation.choice import OWN_NET
from engine.evaluation.nnue.file import MAGIC, NetError, read_net
from engine.files import WriteError, check_place, open_draft, write_whole
from engine.messages import OptionError
from engine.play.book import Book
from engine.play.tablebase import Tablebase

#: Seconds in which a loader has to say something.
LONGEST_WAIT = 30.0


def load_book(path: str) -> list[str]:
    try:
        Book().open(path)
    except OptionError as error:
        return [str(error)]
    return []


def load_net(path: str) -> list[str]:
    try:
        read_net(Path(path))
    except NetError as error:
        return [str(error)]
    return []


def load_table(path: str) -> list[str]:
    """A table is found by the directory that it is in; the last remark counts the tables."""
    remarks: list[str] = []
    Tablebase(remarks.append).open(os.path.dirname(path))
    assert remarks.pop().startswith("found 0 WDL and 0 DTZ Syzygy tables")
    return remarks


def load_tables(path: str) -> list[str]:
    """The directory itself."""
    remarks: list[str] = []
    Tablebase(remarks.append).open(path)
    assert remarks.pop().startswith("found 0 WDL and 0 DTZ Syzygy tables")
    return remarks


LOADERS: dict[str, tuple[Callable[[str], list[str]], str]] = {
    "book": (load_book, "book.bin"),
    "network": (load_net, "own.nnue"),
    "table": (load_table, "KQvK.rtbw"),
    "tables": (load_tables, "tables"),
}


def said(loader: str, path: str) -> str:
    """The one line that ``loader`` says of ``path``; it names it."""
    load, _ = LOADERS[loader]
    remarks: list[str] = []
    loading = threading.Thread(target=lambda: remarks.extend(load(path)), daemon=True)
    loading.start()
    loading.join(LONGEST_WAIT)
    assert not loading.is_alive()
    (remark,) = remarks
    assert "\n" not in remark
    assert path.partition("\0")[0] in remark
    return remark


@pytest.fixture
def path(tmp_path: Path, loader: str) -> Path:
    return tmp_path / LOADERS[loader][1]


KINDS: dict[str, Callable[[Path], None]] = {
    "a pipe": lambda path: os.mkfifo(path),
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a directory": lambda path: path.mkdir(),
    "No such file": lambda path: path.symlink_to(path.with_name("gone")),
}


@pytest.mark.skipif(sys.platform == "win32", reason="pipes, devices and links are others there")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loader", LOADERS)
def test_special_files_are_named_and_not_read(path, loader, kind):
    KINDS[kind](path)
    if (loader, kind) != ("tables", "a directory"):
        assert kind in said(loader, str(path)) or loader == "tables"


@pytest.mark.parametrize("loader", ["book", "network", "tables"])
@pytest.mark.parametrize("name", ["a\0b", "x" * 5000, os.path.join("missing", "file"), "\ud800"])
def test_names_that_no_file_has(loader, name):
    said(loader, name)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("loader", LOADERS)
def test_a_file_that_may_not_be_read(path, loader):
    path.write_bytes(bytes(64))
    path.chmod(0)
    assert "ermission" in said(loader, str(path)) or loader == "tables"


@pytest.mark.parametrize("loader", ["book", "network", "table"])
def test_a_huge_file_of_nothing(path, loader):
    """Sparse: a gigabyte that takes no room."""
    with open(path, "wb") as stream:
        stream.truncate((1 << 30) + 1)
    said(loader, str(path))


def header(**fields: object) -> bytes:
    """That of Numbat's own network, with these ``fields``."""
    content = OWN_NET.read_bytes()[len(MAGIC) :]
    text = content[4 : 4 + struct.unpack_from("<I", content)[0]]
    return json.dumps(json.loads(text) | {"training": None} | fields).encode()


@pytest.mark.parametrize(
    ("header", "named"),
    [
        *((text, "header") for text in (b"[" * 200_000, b'{"a":' * 200_000, b"1" * 5000, b"[]", b"null", b'"hidden"')),
        *((header(hidden=value), "hidden neurons") for value in (True, 1e308, -16, 10**4000, "16", [[[]]], None)),
        *((header(architecture=value), "architecture") for value in (None, [[]], {}, "(769->N)x2->1", 1)),
    ],
    ids=range(18),
)
@pytest.mark.parametrize("loader", ["network"])
def test_bad_headers_of_networks_are_named(path, loader, header, named):
    path.write_bytes(MAGIC + struct.pack("<I", len(header)) + header)
    assert named in said(loader, str(path))


def test_many_unusable_directories_and_files_are_counted(tmp_path):
    for number in range(100):
        (tmp_path / f"K{'Q' * (number + 1)}vK.rtbw").write_bytes(b"no table")
    remarks: list[str] = []
    missing = [f"/no/such/{number}" for number in range(1000)]
    Tablebase(remarks.append).open(os.pathsep.join([*missing[:5], str(tmp_path), *missing[5:]]))
    assert len(remarks) < 20
    assert [remark for remark in remarks if "SyzygyPath: /no/such/0: " in remark]
    assert [remark for remark in remarks if "vK.rtbw is not a Syzygy table" in remark]
    assert [remark for remark in remarks if "1090 more" in remark]


def test_refused_replacement_keeps_the_finished_draft(tmp_path, monkeypatch):
    """As on Windows, where another program has it open."""
    path = tmp_path / "games.pgn"
    path.write_text("previous")

    def refuse(draft: object, target: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("engine.files.os.replace", refuse)
    with pytest.raises(WriteError) as told:
        write_whole(path, "finished")
    (draft,) = tmp_path.glob("*.part")
    assert str(told.value) == f"cannot write {path}: Permission denied; the finished file is {draft}"
    assert path.read_text() == "previous"
    assert draft.read_text() == "finished"


@pytest.mark.skipif(sys.platform != "win32", reason="elsewhere an open file can be replaced")
def test_an_open_file_is_not_replaced_on_windows(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text("previous")
    with path.open("r+"), pytest.raises(WriteError, match="the finished file is "):
        write_whole(path, "finished")
    (draft,) = tmp_path.glob("*.part")
    assert draft.read_text() == "finished"


def test_aborted_write_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text("previous")
    with suppress(KeyboardInterrupt), open_draft(path) as stream:
        stream.write(b"half")
        raise KeyboardInterrupt
    assert (path.read_text(), list(tmp_path.iterdir())) == ("previous", [path])


def test_two_drafts_of_one_process_are_two_files(tmp_path: Path) -> None:
    """As of two containers, whose processes have the same number."""
    path = tmp_path / "games.pgn"
    with open_draft(path) as first, open_draft(path) as second:
        first.write(b"first")
        second.write(b"second")
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="links need privileges there")
def test_a_link_planted_for_a_draft_is_not_followed(tmp_path, monkeypatch):
    outside = tmp_path / "outside"
    outside.write_text("the victim's own")
    monkeypatch.setattr("engine.files.secrets.token_hex", lambda size: "guessed")
    (tmp_path / "numbat-guessed.part").symlink_to(outside)
    with pytest.raises(WriteError, match="File exists"):
        write_whole(tmp_path / "games.pgn", "text")
    assert outside.read_text() == "the victim's own"
    assert not (tmp_path / "games.pgn").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="files have no owner there")
def test_a_link_of_another_user_is_not_followed(tmp_path, monkeypatch):
    path, outside = tmp_path / "games.pgn", tmp_path / "outside"
    path.symlink_to(outside)
    monkeypatch.setattr("engine.files.os.geteuid", lambda: path.lstat().st_uid + 1)
    for write in (check_place, lambda path: write_whole(path, "text")):
        with pytest.raises(WriteError, match="another user"):
            write(path)
    assert not outside.exists()


def test_a_draft_may_have_the_longest_file_name(tmp_path: Path) -> None:
    path, other = tmp_path / "games.pgn", tmp_path / "games.pgn.part"
    other.write_text("the user's own")
    longest = tmp_path / ("x" * 255)
    for place in (path, longest):
        write_whole(place, "text")
        assert place.read_text() == "text"
    assert other.read_text() == "the user's own"
    assert sorted(tmp_path.iterdir()) == [path, other, longest]


@pytest.mark.skipif(sys.platform == "win32", reason="there is only one bit of permission")
def test_a_replaced_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.touch(0o600)
    with open_draft(path):
        (draft,) = tmp_path.glob("*.part")
        assert draft.stat().st_mode & 0o777 == 0o600
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(sys.platform == "win32", reason="links need privileges there")
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "file")
    with open_draft(tmp_path / "link") as stream:
        stream.write(b"text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "folder" / "file").read_text() == "text"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no FIFOs")
def test_what_is_no_regular_file_is_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for write in (check_place, lambda path: write_whole(path, "text")):
        with pytest.raises(WriteError, match="not a"):
            write(pipe)
    assert list(tmp_path.iterdir()) == [pipe]
    assert pipe.is_fifo()


def test_only_a_file_with_the_mark_may_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "results"
    check_place(path, "ours")
    path.touch()
    check_place(path, "ours")
    path.write_text("this is ours")
    check_place(path, "ours")
    path.write_text("this is theirs")
    with pytest.raises(WriteError, match="it exists and contains something else"):
        check_place(path, "ours")


@pytest.mark.parametrize("protected", ["", "results"])
def test_a_place_without_access_is_refused_before_the_work(tmp_path, monkeypatch, protected):
    (tmp_path / "results").touch()
    # Root may write everywhere.
    monkeypatch.setattr("engine.files.os.access", lambda path, mode: path != tmp_path / protected)
    with pytest.raises(WriteError, match="Permission denied"):
        check_place(tmp_path / "results")
