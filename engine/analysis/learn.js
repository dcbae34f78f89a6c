// Learn from your mistakes: positions before bad moves, of one side or of a player, where the reader has to find a better one.

let lesson = null;  // {plies, games, at, from, done}: bad moves, their games if many, the current one, the chosen square, whether it is solved

const mistakes = white => game.plies.map((p, i) => i).filter(i => i && game.plies[i].white === white && game.plies[i].try?.best);

function teach(white) {
  lesson = {plies: mistakes(white), at: 0, from: "", done: false};
  if (flipped === white) turn();
  ask();
}

function teachOver(places) {  // bad moves of the player of the report, by game and ply
  lesson = {plies: places.map(place => place[1]), games: places.map(place => place[0]), at: 0, from: "", done: false};
  ask();
  scrollTo(0, 0);
}

function ask() {
  const ply = lesson.plies[lesson.at];
  if (lesson.games) enter(lesson.games[lesson.at]);
  lesson.from = ""; lesson.done = false;
  visit(ply - 1);
  show("Find a better move. Drag a piece, click on it and its target, or type the move.");
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
  const p = game.plies[lesson.plies[lesson.at]], {legal, also, best, inferior, replies} = p.try, san = legal[uci];
  lesson.from = "";
  if (san === undefined) show("That is no legal move. Write moves such as Nf3, Nbd2, O-O or e2e4.");
  else if (uci === best) { lesson.done = true; show(`Correct: ${san}.`); reveal(); }
  else if (also.includes(uci)) { lesson.done = true; show(`Good enough: ${san}. Best was ${legal[best]}.`); reveal(); }
  else if (san === p.san) show(`${san} is what was played. Try another move.`);
  else if (replies[uci]) show(`${san} is not good enough. ${replies[uci]} Try another move.`);
  else if (inferior.includes(uci)) show(`${san} is no mistake, but there is a better move. Try another move.`);
  else show(`${san} was not examined here. Try another move.`);
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

const legalMoves = () => game.plies[lesson.plies[lesson.at]].try.legal;

function tryTo(square) {  // a queen, if a pawn promotes
  const found = Object.keys(legalMoves()).filter(move => lesson.from && move.startsWith(lesson.from + square));
  if (found.length) attempt(found.find(move => move.endsWith("q")) ?? found[0]);
  return found.length > 0;
}

let carried = null;  // the piece under the pointer

function pick(event) {
  if (!lesson || lesson.done || !event.isPrimary || event.button) return;
  const square = squareAt(event);
  if (tryTo(square)) return;
  lesson.from = Object.keys(legalMoves()).some(move => move.startsWith(square)) ? square : "";
  mark();
  if (!lesson.from) return;
  event.preventDefault();  // no selection, no scrolling
  $("board").setPointerCapture(event.pointerId);
  carried = $("board").querySelector(`use[transform="translate(${corner(square).join(" ")})"]`);
  carried.parentNode.append(carried);  // above all others
}

function carry(event) {
  if (!carried) return;
  const box = $("board").querySelector("svg").getBoundingClientRect(), scale = 360 / box.width;
  const [left, top] = [event.clientX - box.left, event.clientY - box.top].map(place => place * scale - 22.5);
  carried.setAttribute("transform", `translate(${left} ${top})`);
}

function drop(event) {  // on its own square the piece stays chosen: the next square clicked is its target
  if (!carried) return;
  carried.setAttribute("transform", `translate(${corner(lesson.from).join(" ")})`);
  carried = null;
  const square = squareAt(event);
  if (event.type === "pointerup" && square !== lesson.from && !tryTo(square)) { lesson.from = ""; mark(); }
}

function typed(event) {  // read as at the prompt of `numbat play`
  event.preventDefault();
  if (lesson.done) return;
  const plain = text => text.toLowerCase().replace(/0/g, "o").replace(/e\.p\.|[x:=+#\-–—!?()/\s]/g, ""), text = $("try").value.trim();
  const moves = Object.entries(legalMoves()), key = plain(text), same = read => moves.filter(([uci, san]) => read(uci, san));
  const exact = same((uci, san) => san.replace(/[x+#]/g, "") === text.replace(/[x:+#!?]/g, "") || uci === key);
  const found = exact.length ? exact : same((_, san) => plain(san) === key);
  if (found.length > 1) show(`${text} is ambiguous: add the square it comes from.`);
  else attempt(found.length ? found[0][0] : "");
}

function offerLessons() {  // for the current game
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
$("board").onpointerdown = pick;
$("board").onpointermove = carry;
$("board").onpointerup = $("board").onpointercancel = drop;
$("answer").onsubmit = typed;

fillOverview();
onhashchange = visitAddress;
visitAddress();
