// The vazas of a deal, one a row, each card a way to correct it.

import { byId, fill, h } from "./dom.js";
import { clock, t } from "./i18n.js";
import { openCorrection, openMissing } from "./correct.js";
import { playButton } from "./cards.js";
import { seatName } from "./store.js";

const SEATS = ["S", "E", "N", "W"];

export function drawHistory(state, deal, choose) {
  fill(byId("deals"), state.deals.length > 1 ? state.deals.map((one) => dealButton(one, deal, choose)) : []);
  fill(byId("history"), deal && deal.tricks.length ? table(state, deal) : h("p.quiet-text", {}, t("no_tricks")));
  fill(byId("notices"), notices(state));
}

function dealButton(one, deal, choose) {
  return h(
    "button.quiet",
    { type: "button", "data-key": `deal-${one.number}`, "aria-pressed": String(one.number === deal.number), onclick: () => choose(one.number) },
    t("deal_n", { n: one.number }),
  );
}

function table(state, deal) {
  return h(
    "table",
    {},
    h("thead", {}, h("tr", {},
      h("th", { scope: "col" }, h("abbr", { title: t("trick") }, "#")),
      SEATS.map((seat) => h("th", { scope: "col" }, seatName(state, seat))),
      h("th.number", { scope: "col" }, h("abbr", { title: t("card_points") }, t("points_short"))),
    )),
    h("tbody", {}, [...deal.tricks].reverse().map((trick) => row(state, deal, trick))),
  );
}

function row(state, deal, trick) {
  const over = trick.number < deal.tricks.length || deal.ended;
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, String(trick.number)),
    SEATS.map((seat) => cell(state, deal, trick, seat, over)),
    h("td.number", {}, trick.points === null ? "" : String(trick.points)),
  );
}

function cell(state, deal, trick, seat, over) {
  const plays = trick.plays.filter((play) => play.seat === seat);
  const name = seatName(state, seat);
  const missing = over && plays.length === 0;
  return h(
    `td${trick.winner === seat ? ".won" : ""}`,
    {},
    h("div.cell", {},
      plays.map((play) => playButton(play, name, { small: true, key: `row-${play.play_id}`, onopen: () => openCorrection(state, play) })),
      trick.leader === seat ? h("span.led", { title: t("led"), role: "img", "aria-label": t("led") }, "▸") : null,
      missing
        ? h("button.gap.small", {
            type: "button", "data-key": `row-gap-${trick.number}-${seat}`,
            "aria-label": t("add_play_of", { name }), title: t("add_play_of", { name }),
            onclick: () => openMissing(state, deal, trick.number, seat),
          }, "+")
        : null,
    ),
  );
}

function notices(state) {
  if (!state.notices.length) return [];
  return [
    h("h3", {}, t("notices")),
    h("ul.notices", {}, state.notices.map((notice) => h("li", {}, `${clock(notice.t)} · ${notice.text}`))),
  ];
}
