// The first view of a page of several games: a player's report, if the page is made for one, and all games.

function overview(shown) {
  $("overview").hidden = !shown;
  $("one").hidden = $("download").hidden = shown;
  $("download-all").hidden = !shown;
  for (const tool of document.querySelectorAll(".of-many")) tool.hidden = shown || games.length < 2;
}

function fillOverview() {
  const report = data.report;
  if (report) {
    const many = (count, word) => `${count} ${word}${+count === 1 ? "" : "s"}`;
    $("coach").textContent = report.differences.join(" ");
    $("advice").textContent = report.advice.join(" ");
    $("figures").textContent = `${many(report.points, "point")} from ${many(report.games, "game")}, accuracy ${report.accuracy}, average loss ${report.loss} centipawns. `
      + "Click a count to see its positions.";
    for (const {name, places} of report.lessons) addLesson($("lessons"), `Learn: ${name || "all bad moves"} (${places.length})`, places);
    for (const table of report.tables) addTable(table);
    add($("report"), "h2", {textContent: "Games"});
  }
  const own = (game, side) => report && game.sides[side].name === report.player;
  const head = add($("all"), "tr"), marks = data.grades.filter(grade => grade.bad);
  for (const name of ["", "players", "points", "accuracy", ...marks.map(grade => grade.glyph)]) add(head, "th", {textContent: name});
  games.forEach((game, number) => {
    const row = add($("all"), "tr");
    add(row, "td", {textContent: number + 1});
    const players = add(add(row, "td"), "a", {href: address(number, 0)});
    const both = (parent, text) => game.sides.forEach((side, i) => add(parent, "div", {textContent: text(side, i), className: own(game, i) ? "own" : ""}));
    both(players, (side, i) => `${i ? "●" : "○"} ${side.name}${side.elo && ` (${side.elo})`}`);
    add(players, "div", {className: "small", textContent: [game.opening, game.date].filter(text => text).join(", ")});
    both(add(row, "td"), (_, i) => ({"1-0": "10", "0-1": "01", "1/2-1/2": "½½"})[game.result]?.[i] ?? "");
    both(add(row, "td"), side => side.accuracy);
    data.grades.forEach((grade, i) => { if (grade.bad) both(add(row, "td"), side => side.counts[i]); });
  });
}

function addLesson(parent, textContent, places) {
  add(parent, "button", {textContent, onclick: () => teachOver(places)});
}

function addTable({title, columns, counted, rows}) {
  const section = add($("report"), "section");
  add(section, "h2", {textContent: title});
  const table = add(section, "table"), places = add($("report"), "div", {className: "moments"}), head = add(table, "tr");
  for (const name of ["", ...columns, counted]) add(head, "th", {textContent: name});
  for (const {name, cells, places: found} of rows) {
    const row = add(table, "tr");
    for (const text of [name, ...cells]) add(row, "td", {textContent: text});
    const cell = add(row, "td");
    if (!found.length) { cell.textContent = 0; continue; }
    const button = add(cell, "button", {textContent: found.length, title: `${title}: ${name}`, ariaExpanded: false});
    button.onclick = () => {
      const open = button.ariaExpanded === "true";
      for (const other of table.querySelectorAll("button")) other.ariaExpanded = false;
      places.replaceChildren();
      if (open) return;
      button.ariaExpanded = true;
      for (const [number, ply] of found) {
        const moment = addMoment(places, number, ply, games[number].sides[1].name === data.report.player);
        add(moment, "p", {className: "small", textContent: games[number].title});
      }
      if (counted === "bad moves") addLesson(places, `Learn from these (${found.length})`, found);
    };
  }
}

function showOverview() {
  if (lesson) leaveLesson();
  overview(true);
  nameEngine(games);
  $("title").textContent = document.title = data.report ? data.report.player : `${games.length} games`;
  document.body.dataset.view = "games";
}

function visitAddress() {  // such as #game=2&ply=34&step=1
  const parts = new URLSearchParams(location.hash.slice(1)), part = name => parseInt(parts.get(name)) || 0;
  if (games.length > 1 && !parts.has("game") && !parts.has("ply")) showOverview();
  else choose(Math.min(Math.max(0, part("game") - 1), games.length - 1), part("ply"), part("step"));
}
