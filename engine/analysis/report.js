// The current ply and, if step is not 0, the position that many plies into its "line" (better moves) or "reply".
let game, at = 0, step = 0, branch = "line", flipped = false;

function add(parent, tag, properties = {}) { return parent.appendChild(Object.assign(document.createElement(tag), properties)); }

const style = p => p.word.split(" ")[0];  // "brilliant move" looks like .brilliant

// Games

const PIECES = {k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn"};

function placement(fen) {  // in words, for screen readers
  const squares = {};
  fen.split("/").forEach((row, number) => {
    let file = 0;
    for (const letter of row) {
      if (letter > "0" && letter < "9") file += +letter;
      else (squares[letter] ??= []).push("abcdefgh"[file++] + (8 - number));
    }
  });
  const named = ([name, where]) => `${name}${where.length > 1 ? "s" : ""} ${where.sort((a, b) => a[1] - b[1] || (a < b ? -1 : 1)).join(" ")}`;
  const side = change => Object.entries(PIECES).map(([letter, name]) => [name, squares[change(letter)] ?? []])
    .filter(([, where]) => where.length).map(named).join(", ");
  return `White: ${side(letter => letter.toUpperCase())}. Black: ${side(letter => letter)}.`;
}

function unpack(game) {  // add defaults and derived fields
  if (game.unpacked) return game;
  const [first, begins] = game.first, half = begins ? 0 : 1;
  const numbered = i => ({number: first + ((i - 1 + half) >> 1), white: (i + half) % 2 === 1});  // of the move to ply i
  game.plies = game.plies.map((p, i) => {
    const grade = data.grades[p.mark - 1], {number, white} = i ? numbered(i) : {number: first, white: false};
    const [wins, draws, losses] = p.bands, glyph = grade?.glyph ?? "";
    const from = (ply, line) => line?.map((text, k) => {  // a line whose first move leads to the ply
      const {number, white} = numbered(ply + k), [san, fen, move, check] = text.split(" ");
      return {san, fen, move, check, number: white || !k ? number + (white ? "." : "…") : ""};
    });
    const pairs = words => Object.fromEntries(words.split(" ").flatMap((uci, k, all) => k % 2 ? [] : [[uci, all[k + 1]]]));
    return {
      move: "", san: "", why: "", clock: "", phase: 0, ...p, number, white, glyph, line: from(i, p.line), reply: from(i + 1, p.reply),
      word: grade?.word ?? "", bad: grade?.bad ?? false, short: p.result ?? p.score,
      label: i ? `${number}${white ? "." : "…"} ${p.san}${glyph}` : "Start of the game",
      chances: p.result ? "" : `White ${wins}%, draw ${draws}%, Black ${losses}%`,
      try: p.try && {...p.try, legal: pairs(p.try.legal)},
    };
  });
  game.unpacked = true;
  return game;
}

// Boards

function corner(square, turned = flipped) {  // of a square named as in e4, on a board of 360 by 360
  const file = square.charCodeAt(0) - 97, rank = square.charCodeAt(1) - 49;
  return turned ? [45 * (7 - file), 45 * rank] : [45 * file, 45 * (7 - rank)];
}

function diagram(parent, position, arrows = [], turned = flipped) {
  const svg = draw(parent, "svg", {viewBox: "0 0 360 360", class: "diagram", "aria-hidden": "true"});
  for (let index = 0; index < 64; index++) {
    const name = "abcdefgh"[index % 8] + (8 - (index >> 3)), [x, y] = corner(name, turned);
    const shade = (index + (index >> 3)) % 2 ? "d" : "l";
    draw(svg, "rect", {x, y, width: 45, height: 45, class: shade});
    if (position.move.includes(name)) draw(svg, "rect", {x, y, width: 45, height: 45, class: "moved"});
    if (position.check === name) draw(svg, "circle", {cx: x + 22.5, cy: y + 22.5, r: 22.5, class: "check"});
    if (y === 315) draw(svg, "text", {x: x + 38.5, y: y + 43, class: `on-${shade}`}, name[0]);
    if (x === 0) draw(svg, "text", {x: x + 1.5, y: y + 9.5, class: `on-${shade}`}, name[1]);
  }
  position.fen.split("/").forEach((row, number) => {
    let file = 0;
    for (const letter of row) {
      if (letter > "0" && letter < "9") { file += +letter; continue; }
      const [x, y] = corner("abcdefgh"[file++] + (8 - number), turned);
      draw(svg, "use", {href: `#piece-${letter}`, transform: `translate(${x} ${y})`});
    }
  });
  for (const [move, kind] of arrows) {
    const [[x1, y1], [x2, y2]] = [move.slice(0, 2), move.slice(2)].map(square => corner(square, turned).map(edge => edge + 22.5));
    const length = Math.hypot(x2 - x1, y2 - y1), [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
    const [ex, ey] = [x2 - 14 * ux, y2 - 14 * uy], group = draw(svg, "g", {class: kind});
    draw(group, "line", {x1, y1, x2: ex, y2: ey, "stroke-width": 6, "stroke-linecap": "round"});
    draw(group, "polygon", {stroke: "none", points: `${x2},${y2} ${ex - 8 * uy},${ey + 8 * ux} ${ex + 8 * uy},${ey - 8 * ux}`});
  }
}

const comparison = p => p.bad ? "Better was" : p.word === "unclear move" ? "Perhaps better was" : "Next best was";
const arrowsOf = p => p.bad && p.line ? [[p.move, "played"], [p.line[0].move, "wanted"]] : [];
const arrowsIn = (p, branch, step) => [[p[branch][step - 1].move, branch === "line" ? "wanted" : "punishing"]];

// Graph

const x = ply => 1000 * ply / Math.max(1, game.plies.length - 1);

function drawGraph() {
  const graph = $("graph"), thin = {"vector-effect": "non-scaling-stroke"};
  const line = height => game.plies.map((p, i) => `${x(i)},${200 - 2 * height(p)}`).join(" ");
  graph.replaceChildren();
  draw(graph, "rect", {width: 1000, height: 200, class: "above"});
  draw(graph, "polygon", {points: `0,200 ${line(p => p.bands[0] + p.bands[1])} 1000,200`, class: "between"});
  draw(graph, "polygon", {points: `0,200 ${line(p => p.bands[0])} 1000,200`, class: "below"});
  const book = game.plies.reduce((last, p, i) => p.book ? i : last, 0);
  if (book) draw(graph, "rect", {width: x(book), height: 200, class: "theory"});
  draw(graph, "line", {x1: 0, x2: 1000, y1: 100, y2: 100, class: "axis", ...thin});
  draw(graph, "polyline", {points: line(p => p.chance), class: "expected", ...thin});
  game.plies.forEach((p, i) => {
    if (p.word && p.word !== "only move") draw(graph, "path", {d: `M${x(i)} ${200 - 2 * p.chance}h.01`, class: `dot ${style(p)}`, ...thin});
  });
  draw(graph, "line", {id: "now", y1: 0, y2: 200, class: "now", ...thin});
  draw(graph, "line", {id: "hover", y1: 0, y2: 200, class: "hover", visibility: "hidden", ...thin});
  $("ticks-x").replaceChildren();
  const moves = Math.ceil(game.plies.length / 2), gap = [1, 2, 5, 10, 20, 50, 100, 200, 500].find(gap => moves / gap <= 9) ?? 1000;
  game.plies.forEach((p, i) => {
    if ((p.white || i === 1) && i && p.number % gap === 0) add($("ticks-x"), "span", {textContent: p.number}).style.left = `${x(i) / 10}%`;
  });
}

function plyAt(event) {
  const box = $("graph").getBoundingClientRect();
  return Math.max(0, Math.min(game.plies.length - 1, Math.round((event.clientX - box.left) / box.width * (game.plies.length - 1))));
}

function hover(event) {
  const ply = plyAt(event), p = game.plies[ply];
  $("hover").setAttribute("x1", x(ply)); $("hover").setAttribute("x2", x(ply));
  $("hover").setAttribute("visibility", "visible");
  $("tip").textContent = `${p.label}  ${p.score}${p.chances && " · "}${p.chances}`;
  $("tip").hidden = false;
  const room = $("plot").clientWidth - $("tip").offsetWidth;
  $("tip").style.left = `${Math.max(0, Math.min(room, x(ply) / 1000 * $("plot").clientWidth - $("tip").offsetWidth / 2))}px`;
}

function leave() { $("tip").hidden = true; $("hover").setAttribute("visibility", "hidden"); }

// Text

function fillMoves() {
  $("moves").replaceChildren();
  game.plies.forEach((p, i) => {
    if (!i) return;
    if (p.white || i === 1) add($("moves"), "span", {textContent: `${p.number}.`});
    if (!p.white && i === 1) add($("moves"), "i", {textContent: "…"});
    const link = add($("moves"), "a", {id: `ply-${i}`, href: address(games.indexOf(game), i), className: `${style(p)}${p.book ? " book" : ""}`});
    link.onclick = event => { if (!event.ctrlKey && !event.metaKey) { event.preventDefault(); go(i); } };
    if (p.book) link.title = "book move";
    link.append(p.san + p.glyph);
    add(link, "small", {textContent: p.short});
    if (p.won) add(link, "small", {textContent: " missed win", className: "won"});
  });
}

const capital = text => text && text[0].toUpperCase() + text.slice(1);
const lineText = line => line.map(move => move.number + (move.number && " ") + move.san).join(" ");

function sentence(p) {
  const kind = p.word && !(p.word === "only move" && p.why.includes(" the only ")) ? ` ${capital(p.word)}${p.won ? ", a missed win" : ""}.` : p.book ? " Book move." : "";
  const line = p.line ? ` ${comparison(p)} ${lineText(p.line)}.` : "";
  return `${p.label}  (${p.score}${p.chances && ": "}${p.chances}).${kind}${p.why && " "}${p.why}${line}`;
}

function fillTold() {
  const p = game.plies[at];
  $("words").textContent = sentence({...p, line: null});
  $("words").className = style(p);
  for (const [name, words] of [["line", `${comparison(p)} `], ["reply", "It is punished by "]]) {
    $(name).replaceChildren();
    if (!p[name]) continue;
    $(name).append(words);
    p[name].forEach((move, i) => {
      const textContent = `${move.number} ${move.san}`.trim(), className = branch === name && step === i + 1 ? "here" : "";
      add($(name), "button", {id: `${name}-${i + 1}`, textContent, className, onclick: () => go(at, i + 1, name)});
      $(name).append(" ");
    });
    if (step && branch === name) add($(name), "button", {id: "leave", className: "leave", textContent: "back to the game", onclick: () => go(at)});
  }
  const here = document.querySelector("#told .here");
  $("told").scrollTop = here ? here.offsetTop - $("told").clientHeight / 2 : 0;
}

function addMoment(parent, number, ply, turned = flipped) {
  const p = unpack(games[number]).plies[ply], moment = add(parent, "a", {className: "moment", href: address(number, ply)});
  diagram(moment, p, arrowsOf(p), turned);
  const words = add(moment, "p");
  add(words, "b", {textContent: `${p.label} `, className: style(p)});
  words.append(sentence(p).slice(p.label.length).trim());
  return moment;
}

function fillMoments() {
  $("moments").replaceChildren();
  game.plies.forEach((p, i) => {
    if (!p.word || p.word === "inaccuracy" || p.word === "only move") return;
    addMoment($("moments"), games.indexOf(game), i).onclick = () => go(i);  // also if it is the current one
  });
  $("arrows").hidden = !game.plies.some(p => arrowsOf(p).length && p.word !== "inaccuracy");
  if (!$("moments").childElementCount) $("moments").textContent = "No mistakes, no blunders and no outstanding moves.";
}

function fillStatistics() {  // of the game and of its phases; a count is a button that steps through its moves
  const table = $("statistics"), white = [true, false], parts = ["game", ...data.phases];
  table.replaceChildren();
  const row = (name, title, cells) => {
    const tr = add(table, "tr");
    add(tr, "td", {textContent: name, title});
    parts.forEach((_, part) => white.forEach((white, side) => cells(add(tr, "td"), part - 1, white, game.sides[side])));
  };
  const head = add(table, "tr");
  for (const name of ["", ...parts]) add(head, "th", {textContent: name, colSpan: name ? 2 : 1});
  row("", "", (cell, _, white) => { cell.textContent = white ? "○" : "●"; });
  row("accuracy", "", (cell, phase, _, side) => { cell.textContent = phase < 0 ? side.accuracy && Math.round(parseFloat(side.accuracy)) : side.phases[phase]; });
  row("loss", "average loss in centipawns", (cell, phase, _, side) => { if (phase < 0) cell.textContent = side.loss; });
  const counted = (name, title, counts) => row(name, title, (cell, phase, white) => {
    const found = game.plies.map((p, i) => i).filter(i => {
      const p = game.plies[i];
      return i && p.white === white && (phase < 0 || p.phase === phase) && counts(p);
    });
    if (found.length) add(cell, "button", {textContent: found.length, title: found.map(i => game.plies[i].label).join(", "),
      onclick: () => go(found.find(i => i > at) ?? found[0])});
  });
  for (const grade of data.grades) counted(`${grade.glyph} ${grade.words}`, "", p => p.word === grade.word);
  counted("missed wins", "", p => p.won);
}

function fillPlayers() {
  const clock = white => {  // after this side's last move
    for (let i = at; i > 0; i--) if (game.plies[i].white === white) return game.plies[i].clock;
    return "";
  };
  for (const [id, white] of [["top", flipped], ["bottom", !flipped]]) {
    const side = game.sides[white ? 0 : 1];
    $(id).replaceChildren();
    add($(id), "span", {textContent: `${white ? "○" : "●"} ${side.name}${side.elo && ` (${side.elo})`}`});
    if (clock(white)) add($(id), "span", {className: `clock${at && game.plies[at].white === white ? " runs" : ""}`, textContent: clock(white)});
  }
}

// Navigation

function go(to, into = 0, name = "line") {
  if (lesson) leaveLesson();
  visit(to, into, name);
  const seen = [$("stage"), $("panel")].every(part => {
    const box = part.getBoundingClientRect();
    return box.top >= 0 && box.bottom <= innerHeight;
  });
  if (!seen) scrollTo(0, 0);
}

function visit(to, into = 0, name = "line") {
  at = Math.max(0, Math.min(to, game.plies.length - 1));
  branch = name;
  const p = game.plies[at], line = p[branch];
  step = line ? Math.max(0, Math.min(into, line.length)) : 0;
  const shown = step ? line[step - 1] : p;
  $("board").replaceChildren();
  diagram($("board"), shown, step ? arrowsIn(p, branch, step) : arrowsOf(p));
  const kind = branch === "reply" ? "reply" : p.bad ? "better" : "next best";
  $("board").setAttribute("aria-label", `${step ? `${kind}: ${lineText(line.slice(0, step))}` : p.label}. ${placement(shown.fen)}`);
  fillTold(); fillPlayers();
  $("fill").style.height = `${p.chance}%`;
  $("value").textContent = isNaN(p.short) ? p.short : Math.abs(p.short).toFixed(1);
  $("value").className = p.chance >= 50 ? "low" : "high";
  $("bar").className = flipped ? "flipped" : "";
  $("bar").setAttribute("aria-label", `White's expected score is ${p.chance}%`);
  $("now").setAttribute("x1", x(at));
  $("now").setAttribute("x2", x(at));
  for (const old of document.querySelectorAll("#moves .here")) old.classList.remove("here");
  const link = $(`ply-${at}`);
  link?.classList.add("here");
  $("moves").scrollTop = link ? link.offsetTop - $("moves").offsetTop - $("moves").clientHeight / 3 : 0;
  document.body.dataset.ply = at;
  document.body.dataset.step = step;
  if (!lesson) history.replaceState(null, "", address(games.indexOf(game), at));
}

const address = (number, ply) => `#game=${number + 1}&ply=${ply}`;  // of a position, for links

function turn() { flipped = !flipped; fillMoments(); visit(at, step, branch); }

function choose(number, ply = 0, into = 0) {
  if (lesson) leaveLesson();
  enter(number);
  go(ply, into);
}

function enter(number) {  // show a game, at no position yet
  game = unpack(games[number]);
  overview(false);
  document.body.dataset.view = "game";
  $("title").textContent = document.title = $("title").title = game.title;
  $("earlier").href = address(Math.max(0, number - 1), 0);
  $("later").href = address(Math.min(number + 1, games.length - 1), 0);
  flipped = data.report?.player === game.sides[1].name;
  $("place").textContent = game.place;
  nameEngine([game]);
  $("opening").textContent = game.opening + (game.theory && `, ${game.theory}`);
  offer("download", [game]);
  drawGraph(); fillMoves(); fillStatistics(); fillMoments(); offerLessons();
}

function nameEngine(games) {  // each version and limit that made their marks
  $("engine").textContent = `Analysed by ${[...new Set(games.map(game => game.engine))].join("; ")}.`;
}

function offer(id, games) {
  if ($(id).href) URL.revokeObjectURL($(id).href);
  const text = `${games.map(game => game.pgn).join("\n\n")}\n`;
  $(id).href = URL.createObjectURL(new Blob([text], {type: "application/x-chess-pgn"}));
  $(id).download = data.file;
}

function dress(scheme) {  // light, dark, or the system's choice
  document.documentElement.style.colorScheme = scheme;
  document.body.dataset.theme = scheme;
}

function stored(scheme) {  // storage may be blocked on file: pages
  try { if (scheme) localStorage.setItem("numbat-theme", scheme); return localStorage.getItem("numbat-theme"); } catch { return scheme; }
}

function changeTheme() {
  const dark = (document.body.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  dress(dark ? "light" : "dark");
  stored(dark ? "light" : "dark");
}

const isMistake = (p, i) => i > at && (p.word === "mistake" || p.word === "blunder");
const actions = {
  first: () => step ? go(at, 1, branch) : go(0), last: () => step ? go(at, Infinity, branch) : go(Infinity),
  back: () => step ? go(at, step - 1, branch) : go(at - 1), forward: () => step ? go(at, step + 1, branch) : go(at + 1),
  next: () => { const found = game.plies.findIndex(isMistake); if (found > 0) go(found); },
  flip: turn, theme: changeTheme,
};
const keys = {ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", " ": "next", f: "flip", t: "theme"};

document.onkeydown = event => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (lesson || $("one").hidden && event.key !== "t") return;
  const users = event.key === " " ? "button, select, input, a, summary" : "select, input";  // these handle the key themselves
  if (event.target.closest?.(users)) return;
  if (event.key === "b" || event.key === "p") {
    const name = event.key === "b" ? "line" : "reply";
    go(at, step && branch === name ? 0 : 1, name);
  }
  else if (event.key === "Escape") go(at);
  else if (event.key in keys) actions[keys[event.key]]();
  else return;
  event.preventDefault();
};

$("pieces").innerHTML = data.pieces;
$("pieces").hidden = false;
draw(draw($("pieces").firstChild.firstChild, "radialGradient", {id: "danger"}), "stop", {offset: "0%", "stop-color": "#ff0000"});
draw($("danger"), "stop", {offset: "60%", "stop-color": "#e70000", "stop-opacity": .75});
draw($("danger"), "stop", {offset: "100%", "stop-color": "#9e0000", "stop-opacity": 0});
offer("download-all", games);
for (const [id, action] of Object.entries(actions)) $(id).onclick = action;
$("graph").onclick = event => go(plyAt(event));
$("graph").onmousemove = hover;
$("graph").onmouseleave = leave;
if (["light", "dark"].includes(stored())) dress(stored());
