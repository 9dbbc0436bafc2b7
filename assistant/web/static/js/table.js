// The table as seen from above: four seats, the vaza, the trump card.

import { act, seatName, store, teamOf } from "./store.js";
import { alternatives, inlineCard, playButton } from "./cards.js";
import { byId, fill, h } from "./dom.js";
import { openCorrection, openDealer, openMissing, openTrump } from "./correct.js";
import { t } from "./i18n.js";

const SEATS = ["S", "E", "N", "W"];
const seats = new Map();

function buildSeat(seat) {
  const place = document.querySelector(`.seat[data-seat="${seat}"]`);
  const input = h("input", {
    type: "text", maxlength: 24, autocomplete: "off", spellcheck: "false", "data-key": `name-${seat}`,
    onchange: (event) => act("players", "POST", { [seat]: event.target.value.trim() }),
    onkeydown: (event) => { if (event.key === "Enter") event.target.blur(); },
  });
  const dealer = h("button.dealer", { type: "button", onclick: () => store.state.deals.length && openDealer(store.deal) });
  const turn = h("span.turn");
  place.replaceChildren(input, h("span.marks", {}, dealer, turn));
  seats.set(seat, { place, input, dealer, turn });
}

export function drawTable(state, deal) {
  for (const seat of SEATS) {
    if (!seats.has(seat)) buildSeat(seat);
    drawSeat(state, deal, seat);
  }
  const trick = shownTrick(deal);
  fill(byId("vaza"), trick ? slots(state, deal, trick) : h("p.empty", {}, t("table_empty")));
  byId("vaza").classList.toggle("done", Boolean(trick?.winner));
  byId("trick-number").textContent = trick ? t("trick_n", { n: trick.number }) : "";
  fill(byId("trump"), trumpBox(deal));
  byId("said").textContent = sentence(state, deal, trick);
}

function drawSeat(state, deal, seat) {
  const { place, input, dealer, turn } = seats.get(seat);
  if (document.activeElement !== input) input.value = state.players[seat] ?? "";
  input.placeholder = t(`seat_${seat}`);
  input.setAttribute("aria-label", t("name_of", { seat: t(`seat_${seat}`) }));
  const deals = deal?.dealer === seat;
  const unknown = deal && !deal.dealer && seat === "S";
  dealer.hidden = !deals && !unknown;
  dealer.textContent = t(unknown ? "dealer_unknown" : "dealer");
  dealer.title = t("dealer_change");
  const plays = deal?.turn === seat;
  turn.hidden = !plays;
  turn.textContent = t("to_play");
  place.classList.toggle("playing", plays);
  place.classList.toggle("team-ns", teamOf(seat) === "NS");
}

/** The vaza on the table: the latest, until a new one begins. */
function shownTrick(deal) {
  return deal?.tricks.at(-1) ?? null;
}

function slots(state, deal, trick) {
  return SEATS.map((seat) => {
    const plays = trick.plays.filter((play) => play.seat === seat);
    const missing = trick.number < deal.tricks.length || trick.plays.length >= 4 || deal.ended;
    return h(
      `div.slot.slot-${seat}`,
      {},
      plays.map((play) => [
        playButton(play, seatName(state, seat), { key: `vaza-${play.play_id}`, onopen: () => openCorrection(state, play) }),
        play.unsure ? alternatives(play) : null,
      ]).flat(),
      plays.length === 0
        ? h("button.gap", {
            type: "button", "data-key": `gap-${seat}`, "aria-label": t("add_play_of", { name: seatName(state, seat) }),
            title: t("add_play_of", { name: seatName(state, seat) }),
            class: missing ? "gap missing" : "gap",
            onclick: () => openMissing(state, deal, trick.number, seat),
          }, "+")
        : null,
    );
  });
}

function trumpBox(deal) {
  if (!deal) return null;
  return h(
    `button.trump-box${deal.trump?.unsure ? ".unsure" : ""}`,
    { type: "button", "data-key": "trump", title: t("trump_change"), onclick: () => openTrump(deal) },
    h("span.label", {}, t("trump")),
    deal.trump ? inlineCard(deal.trump.card) : h("span.label", {}, t("trump_unknown")),
    deal.trump?.unsure ? h("span.badge", { "aria-hidden": "true" }, "?") : null,
  );
}

function sentence(state, deal, trick) {
  if (!deal || !trick) return "";
  if (deal.ended) return t("deal_over");
  if (trick.winner) {
    const name = seatName(state, trick.winner);
    return trick.points === null ? t("trick_won", { name }) : t("trick_won_points", { name, points: trick.points });
  }
  return deal.turn ? t("turn_of", { name: seatName(state, deal.turn) }) : "";
}
