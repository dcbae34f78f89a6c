// Learn from your mistakes: one side's positions before its bad moves, where the reader has to find a better one.

let lesson = null;  // {plies, at, from, done}: the bad moves, the current one, the chosen square, whether it is solved

const mistakes = white => game.plies.map((p, i) => i).filter(i => i && game.plies[i].white === white && game.plies[i].try?.best);

function teach(white) {
  lesson = {plies: mistakes(white), at: 0, from: "", done: false};
  if (flipped === white) turn();
  ask();
}

function ask() {
  const ply = lesson.plies[lesson.at];
  lesson.from = ""; lesson.done = false;
  visit(ply - 1);
  show("Find a better move. Click on a piece and its target, or type the move.");
  $("try").value = "";
}

function show(words) {
  const p = game.plies[lesson.plies[lesson.at]], [move, side] = [`${p.number}${p.white ? "." : "…"} ${p.san}${p.glyph}`, p.white ? "White" : "Black"];
  $("lesson").hidden = false;
  $("told").hidden = $("learn").hidden = true;
  $("task").textContent = `${lesson.at + 1} of ${lesson.plies.length}: ${side} played ${move}. ${words}`;
  $("another").hidden = lesson.at + 1 === lesson.plies.length;
  document.body.dataset.lesson = `${lesson.at + 1}/${lesson.plies.length}`;
}

function attempt(uci) {
  const p = game.plies[lesson.plies[lesson.at]], {legal, also, best, replies} = p.try, san = legal[uci];
  lesson.from = "";
  if (san === undefined) show("That is no legal move. Write moves such as Nf3, Nbd2, O-O or e2e4.");
  else if (uci === best) { lesson.done = true; show(`Correct: ${san}.`); reveal(); }
  else if (also.includes(uci)) { lesson.done = true; show(`Good enough: ${san}. Best was ${legal[best]}.`); reveal(); }
  else if (san === p.san) show(`${san} is what was played. Try another move.`);
  else if (replies[uci]) show(`${san} is not good enough: ${replies[uci]}. Try another move.`);
  else show(`There is a better move than ${san}. Try another move.`);
  mark();
}

function reveal() {  // show the board after the better move
  $("board").replaceChildren();
  diagram($("board"), game.plies[lesson.plies[lesson.at]].line[0]);
}

function solve() {
  const p = game.plies[lesson.plies[lesson.at]];
  lesson.done = true;
  show(`${p.why} Better was ${lineText(p.line)}.`);
  reveal();
}

function leaveLesson() {
  const ply = lesson?.plies[lesson.at];
  lesson = null;
  $("lesson").hidden = true;
  $("told").hidden = $("learn").hidden = false;
  delete document.body.dataset.lesson;
  if (ply) go(ply);
}

function mark() {  // highlight the chosen square
  for (const old of document.querySelectorAll("#board .chosen")) old.remove();
  if (!lesson?.from) return;
  const [left, top] = corner(lesson.from);
  draw($("board").firstChild, "rect", {x: left + 1.5, y: top + 1.5, width: 42, height: 42, class: "chosen"});
}

function squareAt(event) {
  const box = $("board").querySelector("svg").getBoundingClientRect();
  let [file, rank] = [event.clientX - box.left, box.bottom - event.clientY].map(part => Math.floor(8 * part / box.width));
  if (flipped) [file, rank] = [7 - file, 7 - rank];
  return "abcdefgh"[file] + (rank + 1);
}

function touch(event) {
  if (!lesson || lesson.done) return;
  const square = squareAt(event), moves = Object.keys(game.plies[lesson.plies[lesson.at]].try.legal);
  const found = moves.filter(move => move.startsWith(lesson.from + square) && lesson.from);
  if (found.length) return attempt(found.find(move => move.endsWith("q")) ?? found[0]);
  lesson.from = moves.some(move => move.startsWith(square)) ? square : "";
  mark();
}

function typed(event) {
  event.preventDefault();
  if (lesson.done) return;
  const plain = text => text.replace(/[+#=x\s]/g, "").replace(/0/g, "O"), word = plain($("try").value);
  const found = Object.entries(game.plies[lesson.plies[lesson.at]].try.legal)
    .find(([uci, san]) => plain(san) === word || uci === word.toLowerCase());
  attempt(found ? found[0] : "");
}

function offerLessons() {  // for the current game
  if (lesson) leaveLesson();
  for (const [id, white] of [["learn-white", true], ["learn-black", false]]) {
    const count = mistakes(white).length;
    $(id).hidden = !count;
    $(id).style.order = +(game.sides[white ? 0 : 1].name !== data.report?.player);  // the player's own come first
    $(id).textContent = `Learn from ${white ? "White" : "Black"}'s mistakes (${count})`;
  }
}

$("learn-white").onclick = () => teach(true);
$("learn-black").onclick = () => teach(false);
$("solve").onclick = solve;
$("another").onclick = () => { lesson.at++; ask(); };
$("leave-lesson").onclick = leaveLesson;
$("board").onclick = touch;
$("answer").onsubmit = typed;

fillOverview();
onhashchange = visitAddress;
visitAddress();
