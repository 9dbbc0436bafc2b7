// Card points of both pairs, and the cross of each with its bolinhas.

import { byId, fill, h, svg } from "./dom.js";
import { t } from "./i18n.js";
import { teamName } from "./store.js";

const TEAMS = ["NS", "EW"];
// Where the bolinhas of a cross of four lie: the ends of its arms, in the order they are drawn.
const ENDS = [[50, 14], [86, 50], [50, 86], [14, 50]];

export function drawScore(state, deal) {
  const match = state.matches[deal?.match ?? 0];
  fill(
    byId("score"),
    h("div.teams", {}, TEAMS.map((team) => teamBox(state, deal, match, team))),
    result(state, deal, match),
  );
}

function teamBox(state, deal, match, team) {
  const points = deal?.points?.[team] ?? null;
  const total = deal?.total ?? 120;
  return h(
    `div.team.team-${team.toLowerCase()}`,
    { "data-team": team },
    h("h3", {}, teamName(state, team)),
    h("div.team-row", {},
      h("div.points", {},
        h("output", { class: "big" }, points === null ? "–" : String(points)),
        h("span.unit", {}, points === null && deal ? t("counted_at_end") : t("card_points")),
      ),
      cross(match, team),
    ),
    h("div.bar120", { "aria-hidden": "true", title: t("over_half", { half: total / 2 }) },
      h("span.bar-fill", { style: { width: `${points === null ? 0 : (100 * points) / total}%` } }),
      h("span.bar-half"),
    ),
    h("p.tricks-won", {}, deal ? t("tricks_won", { n: deal.tricks_won[team] }) : ""),
  );
}

function cross(match, team) {
  const won = match[team];
  const { target, pending } = match;
  const label = t("cross_label", { n: won, target: target ?? "∞" });
  if (target !== 4) {
    return h("p.tally", { role: "img", "aria-label": label }, h("span.big", {}, String(won)), target ? ` / ${target}` : "");
  }
  return svg(
    "svg",
    { viewBox: "0 0 100 100", class: "cruz", role: "img", "aria-label": label },
    svg("path", { d: "M50 14V86M14 50H86", class: "arms" }),
    ...ENDS.map(([cx, cy], index) => svg("circle", { cx, cy, r: 11, class: bead(index, won, pending) })),
  );
}

// A bolinha pending after a tie waits on both crosses: it goes to whoever wins the next deal.
function bead(index, won, pending) {
  if (index < won) return "bead won";
  return index < won + pending ? "bead pending" : "bead";
}

function result(state, deal, match) {
  const lines = [];
  const { winner, title, pending } = match;
  if (winner) lines.push(h("p.result.match", {}, t(title ? `match_won_${title}` : "match_won", { pair: teamName(state, winner) })));
  if (deal?.game_points && deal.complete) {
    const winners = TEAMS.find((team) => deal.game_points[team] > 0);
    lines.push(h("p.result", {}, winners
      ? t("deal_won", { pair: teamName(state, winners), n: deal.game_points[winners] })
      : t("deal_tied")));
  }
  if (pending && !winner) lines.push(h("p.result.quiet-text", {}, t("pending", { n: pending })));
  return lines;
}
