"""Games in viriformat: what is read and written agrees with python-chess and with the format's description."""

import struct
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import numpy as np
import pytest
from rich.progress import Progress

from engine.search.scores import MATE_BOUND
from tests.tuning import games
from tuning.common.errors import SetupError
from tuning.data import positions, viriformat
from tuning.data.dataset import NO_VERDICT
from tuning.data.marlinformat import IN_CHECK, NOISY_MOVE
from tuning.viriformat import main

CHESS960 = (
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "1rkr4/pppppppp/8/8/8/8/PPPPPPPP/1RKR4 w BDbd - 0 1",
)


def _write(path: Path, *data: bytes) -> Path:
    path.write_bytes(b"".join(data))
    return path


def _played(chess960: bool = False) -> list[tuple[chess.Board, list[chess.Move], list[int], int]]:
    starts = CHESS960 if chess960 else games.STARTS
    return [games.random_game(start, seed, chess960) for start in starts for seed in range(6)]


@pytest.mark.parametrize("chess960", [False, True])
def test_positions_are_those_of_python_chess(tmp_path: Path, chess960: bool) -> None:
    played = _played(chess960)
    path = _write(tmp_path / "games.vf", *(games.pack_game(*game) for game in played))
    positions = viriformat.read_positions([path])
    index, kinds = 0, set()
    for number, (board, moves, scores, result) in enumerate(played):
        for move, score in zip(moves, scores, strict=True):
            read, read_score, read_result, flags = games.unpack_board(positions.boards[index].tobytes())
            read.chess960 = chess960
            assert read.fen(en_passant="xfen") == board.fen(en_passant="xfen")
            assert (read_score, read_result, positions.games[index]) == (score, result, number)
            noisy = board.is_capture(move) or move.promotion is not None
            expected = IN_CHECK * board.is_check() | NOISY_MOVE * noisy
            assert flags == expected
            kinds.add((games.pack_move(board, move) >> 14, board.is_capture(move), move.promotion))
            board.push(move)
            index += 1
    assert index == len(positions)
    assert {kind for kind, *_ in kinds} == {0, 1, 2, 3}
    if not chess960:
        promotions = {(capture, piece) for kind, capture, piece in kinds if kind == 3}
        assert promotions == {(capture, piece) for capture in (False, True) for piece in range(2, 6)}


@pytest.mark.parametrize("chess960", [False, True])
def test_games_for_python_chess(tmp_path: Path, chess960: bool) -> None:
    played = _played(chess960)
    path = _write(tmp_path / "games.vf", *(games.pack_game(*game) for game in played))
    for (board, moves, scores, result), game in zip(played, viriformat.games_of(path), strict=True):
        assert game.board().fen(en_passant="xfen") == board.fen(en_passant="xfen")
        assert list(game.mainline_moves()) == moves
        assert game.headers["Result"] == ("0-1", "1/2-1/2", "1-0")[result]
        for node, score in zip(game.mainline(), scores, strict=True):
            told = node.eval()
            if abs(score) <= MATE_BOUND:
                assert told.white() == chess.engine.Cp(score)
            else:
                assert told.white().is_mate()
                assert (told.white() > chess.engine.Cp(0)) == (score > 0)


def test_the_example_of_the_formats_description(tmp_path: Path) -> None:
    path = _write(tmp_path / "example.vf", games.EXAMPLE)
    (game,) = viriformat.games_of(path)
    assert [move.uci() for move in game.mainline_moves()] == ["e2e4", "e7e5", "d1h5", "e8e7", "h5e5"]
    assert game.end().board().is_checkmate()
    positions = viriformat.read_positions([path])
    assert positions.boards["score"].tolist() == [10, 20, -30, 32767, 32767]
    assert positions.boards["extra"].tolist() == [0, 0, 0, 0, NOISY_MOVE]


def test_incomplete_games_are_ignored(tmp_path: Path) -> None:
    data = [games.pack_game(*game) for game in _played()[:4]]
    whole, plies = sum(map(len, data[:3])), sum(len(game) // 4 - 9 for game in data[:3])
    for torn in (0, 1, 3, 8, 31, 32, 36, 41, len(data[3]) - 4, len(data[3]) - 1):
        path = _write(tmp_path / "torn.vf", *data[:3], data[3][:torn])
        assert viriformat.count_file(path) == (3, plies, whole)
        assert len(viriformat.read_positions([path])) == plies
        assert len(list(viriformat.games_of(path))) == 3


def test_unusable_en_passant_squares_are_dropped(tmp_path: Path) -> None:
    data = bytearray(games.EXAMPLE)
    moved = chess.Board()
    moved.push_uci("e2e4")
    head = bytearray(games.pack_board(moved, 0, 2))
    head[24] = 128 | chess.E3  # other engines write it after every double step
    positions = viriformat.read_positions([_write(tmp_path / "e3.vf", bytes(head), bytes(data[36:]))])
    assert games.unpack_board(positions.boards[0].tobytes())[0].ep_square is None
    assert len(positions) == 4


def _changed(offset: int, value: bytes) -> bytes:
    return games.EXAMPLE[:offset] + value + games.EXAMPLE[offset + len(value) :]


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (_changed(8, b"\x17"), "has no legal start position"),  # a piece of type 7
        (_changed(8, b"\x13"), None),  # the right to castle long is gone: still a game
        (_changed(10, b"\x24"), "has no legal start position"),  # no white king
        (_changed(24, b"\x28"), "has no legal start position"),  # en passant behind nothing
        (_changed(24, b"\x7f"), "has no legal start position"),
        (_changed(30, b"\x03"), "has no legal start position"),  # a result that is none
        (_changed(32, struct.pack("<H", 12 | 36 << 6)), "has an illegal move after 0 plies"),  # e2e5
        (_changed(40, struct.pack("<H", 3 | 39 << 6 | 1 << 14)), "has an illegal move after 2 plies"),
        (_changed(36, struct.pack("<H", 52 | 36 << 6 | 3 << 14)), "has an illegal move after 1 plies"),
        (bytes(360), "has no legal start position"),  # as after a power failure
    ],
    ids=range(10),
)
def test_a_faulty_game_is_named(tmp_path: Path, data: bytes, fault: str | None) -> None:
    path = _write(tmp_path / "faulty.vf", games.EXAMPLE, data)
    if fault is None:
        assert len(viriformat.read_positions([path])) == 10
        return
    for read in (lambda: viriformat.read_positions([path]), lambda: list(viriformat.games_of(path))):
        with pytest.raises(SetupError) as error:
            read()
        assert str(error.value) == f"{path}: game 2 at byte {len(games.EXAMPLE)} {fault}"


def test_written_text_is_read_as_the_same_positions(tmp_path: Path) -> None:
    """What ``--text`` writes is what ``tuning.texel`` and ``tuning.train`` read."""
    made = [games.random_game(start, seed) for seed, start in enumerate(games.STARTS)]
    _write(tmp_path / "some.vf", *(games.pack_game(*game) for game in made))
    assert main([str(tmp_path / "some.vf"), "--text", str(tmp_path / "some.txt")]) == 0
    direct = viriformat.read_positions([tmp_path / "some.vf"])
    text = positions.read_positions(tmp_path / "some.txt", tmp_path, Progress(disable=True))
    for field in ("occupancy", "pieces", "side_en_passant", "rule50", "fullmove", "score", "result"):
        assert np.array_equal(direct.boards[field], text.boards[field]), field
    inside = np.flatnonzero(np.diff(direct.games) == 0)  # the next position tells what was captured
    inside = inside[np.diff(text.games)[inside] == 0]
    assert len(inside) > len(direct) // 2
    flags = IN_CHECK | NOISY_MOVE
    assert np.array_equal(direct.boards["extra"][inside] & flags, text.boards["extra"][inside] & flags)


def test_positions_without_a_score_are_left_out_of_text(tmp_path: Path) -> None:
    path, text = _write(tmp_path / "example.vf", games.EXAMPLE), tmp_path / "positions.txt"
    scores = viriformat.read_positions([path]).boards["score"]
    scores[1] = NO_VERDICT
    path.write_bytes(viriformat.with_scores(path, scores))
    assert main([str(path), "--text", str(text)]) == 0
    assert [line.split(" | ")[1] for line in text.read_text().splitlines()] == ["10", "-30", "32767", "32767"]


def test_files_without_games_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.txt"
    for data in (b"", bytes(range(1, 256)) * 9):
        path = _write(tmp_path / "junk.vf", data)
        assert main([str(path), "--text", str(out)]) == 2
        assert f"error: no complete game in {path}" in capsys.readouterr().err
    whole = _write(tmp_path / "whole.vf", games.EXAMPLE)
    assert main([str(whole), "--text", str(whole)]) == 2
    assert whole.read_bytes() == games.EXAMPLE
    assert main([str(whole), "--text", str(tmp_path)]) == 2
    assert main([str(whole), "--text", str(whole / "x")]) == 2
    assert capsys.readouterr().err.count("error: cannot write") == 3
    assert not out.exists()
    assert main([str(whole), "--text", str(out), "--pgn", str(out)]) == 2
    out.write_text("something else")
    assert main([str(whole), "--text", str(out)]) == 2
    assert out.read_text() == "something else"
    out.unlink()
    assert main([str(tmp_path), "--text", str(out)]) == 0  # the directory; junk is told and left out
    assert len(out.read_text().splitlines()) == 5


def test_the_command_counts_games_and_writes_text_and_pgn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _write(tmp_path / "example.vf", games.EXAMPLE, b"\x00" * 5)
    text, pgn = tmp_path / "positions.txt", tmp_path / "games.pgn"
    assert main([str(path), "--text", str(text), "--pgn", str(pgn)]) == 0
    told = f"{path}: 1 game, 5 positions, 5 bytes of an incomplete game\n5 positions in 1 file\n"
    assert capsys.readouterr().out == told
    assert text.read_text().splitlines() == [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 | 10 | 1.0",
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1 | 20 | 1.0",
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2 | -30 | 1.0",
        "rnbqkbnr/pppp1ppp/8/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR b KQkq - 1 2 | 32767 | 1.0",
        "rnbq1bnr/ppppkppp/8/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR w KQ - 2 3 | 32767 | 1.0",
    ]
    with pgn.open() as stream:
        game = chess.pgn.read_game(stream)
    assert [move.uci() for move in game.mainline_moves()] == ["e2e4", "e7e5", "d1h5", "e8e7", "h5e5"]
    assert main([str(tmp_path / "missing.vf")]) == 2
    assert "cannot read" in capsys.readouterr().err
