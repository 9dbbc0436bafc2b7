// The list of games kept in the games folder.

import { byId, fill, h } from "./dom.js";
import { t, useLanguage } from "./i18n.js";

function row(game) {
  const names = ["S", "N", "E", "W"].map((seat) => game.players[seat] || t(`seat_${seat}`));
  const url = `/game/${encodeURIComponent(game.name)}`;
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, h("a", { href: url }, game.name), game.live ? h("span.pill.on", {}, t("live")) : null),
    h("td", {}, game.fault ?? `${names[0]} & ${names[1]} – ${names[2]} & ${names[3]}`),
    h("td.number", {}, game.fault ? "" : t("deals_count", { n: game.deals })),
    h("td", {}, game.fault ? null : h("a", { href: `/api/games/${encodeURIComponent(game.name)}/record`, download: true }, t("record"))),
  );
}

async function draw() {
  const answer = await fetch("/api/games");
  const games = await answer.json();
  fill(byId("games"), games.length
    ? h("table.games", {}, h("tbody", {}, games.map(row)))
    : h("p.quiet-text", {}, t("no_games")));
}

await useLanguage(null);
byId("language").addEventListener("change", async (event) => {
  await useLanguage(event.target.value);
  await draw();
});
await draw();
