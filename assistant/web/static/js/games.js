// The list of games kept in the games folder.

import { byId, fill, h } from "./dom.js";
import { t, useLanguage } from "./i18n.js";

function item(game) {
  const names = ["S", "N", "E", "W"].map((seat) => game.players[seat] || t(`seat_${seat}`));
  const pairs = [[names[0], names[1]], [names[2], names[3]]].map(([a, b]) => t("pair", { a, b }));
  const url = `/game/${encodeURIComponent(game.name)}`;
  return h(
    "li.game",
    {},
    h("div", {},
      h("h2", {}, h("a", { href: url }, game.name), game.live ? h("span.pill.on", {}, t("live")) : null),
      h("p.quiet-text", {}, game.fault ?? `${pairs.join(" – ")} · ${t("deals_count", { n: game.deals })}`)),
    game.fault ? null : h("a.quiet", { href: `/api/games/${encodeURIComponent(game.name)}/record`, download: true }, t("record")),
  );
}

async function draw() {
  const answer = await fetch("/api/games");
  const games = await answer.json();
  fill(byId("games"), games.length
    ? h("ul.games", {}, games.map(item))
    : h("p.quiet-text", {}, t("no_games")));
}

await useLanguage(null);
byId("language").addEventListener("change", async (event) => {
  await useLanguage(event.target.value);
  await draw();
});
await draw();
