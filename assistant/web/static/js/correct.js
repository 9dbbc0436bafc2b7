// Corrections in two taps: a card, then what it should have been.

import { cardName, inlineCard } from "./cards.js";
import { act, evidenceUrl, say, seatName, store, teamOf } from "./store.js";
import { byId, fill, h } from "./dom.js";
import { percent, t } from "./i18n.js";
import { openEvidence } from "./evidence.js";
import { sheet } from "./sheet.js";

const SEATS = ["S", "E", "N", "W"];
const dialog = () => byId("correct");

function open(heading, ...children) {
  fill(
    dialog(),
    h("div.dialog-head", {},
      h("h2", { id: "correct-title" }, heading),
      h("button.close", { type: "button", "aria-label": t("close"), onclick: () => dialog().close() }, "×")),
    ...children,
  );
  dialog().showModal();
  dialog().querySelector("[data-first]")?.focus();
}

async function done(path, method, body, text) {
  dialog().close();
  const entry = await act(path, method, body);
  if (entry) say(text, entry);
}

function played(deal) {
  return new Set(deal.tricks.flatMap((trick) => trick.plays.map((play) => play.card)));
}

const dealOf = (state, play) =>
  state.deals.find((deal) => deal.tricks.some((trick) => trick.plays.some((one) => one.play_id === play.play_id)));

export function openCorrection(state, play) {
  const deal = dealOf(state, play);
  if (!deal) return;
  const fix = (change, text) => done(`plays/${play.play_id}`, "PATCH", change, text);
  const card = (card) => (card === play.card
    ? fix({ card }, t("confirmed", { card: cardName(card) }))
    : fix({ card }, t("corrected_to", { card: cardName(card) })));
  open(
    t("correct_title", { n: play.trick, name: seatName(state, play.seat) }),
    h("div.reading", {},
      play.evidence
        ? h("button.picture", { type: "button", onclick: () => openEvidence(state, [play], "") },
            h("img", { src: evidenceUrl(play.evidence, "crop"), alt: t("picture_of_card") }))
        : null,
      h("div", {}, h("p", {}, reading(play)), likely(play, card))),
    h("h3", {}, t("right_card")),
    sheet(played(deal), play.card, card),
    h("h3", {}, t("right_seat")),
    h("div.choices", {}, SEATS.map((seat) => h("button.quiet", {
      type: "button", "data-seat-choice": seat, "aria-pressed": String(seat === play.seat), disabled: seat === play.seat,
      onclick: () => fix({ seat }, t("seat_corrected", { name: seatName(state, seat) })),
    }, seatName(state, seat)))),
    h("h3", {}, t("right_trick")),
    h("div.choices", {},
      nearby(play, deal).map((trick) => h("button.quiet", {
        type: "button", onclick: () => fix({ trick }, t("trick_corrected", { n: trick })),
      }, t("trick_n", { n: trick }))),
      h("button.danger", {
        type: "button",
        onclick: () => done(`plays/${play.play_id}`, "DELETE", {}, t("removed", { card: cardName(play.card) })),
      }, t("not_played"))),
  );
}

function reading(play) {
  if (!play.said) return [t("camera_read"), " ", inlineCard(play.card), ` ${percent(play.p)}`];
  const parts = [t("person_said"), " ", inlineCard(play.card)];
  if (play.camera_card) parts.push(" · ", t("camera_read"), " ", inlineCard(play.camera_card));
  return parts;
}

/** What the camera itself thinks it may have been: the likeliest first, larger than the sheet. */
function likely(play, card) {
  if (!play.alternatives.length) return null;
  const options = play.said ? play.alternatives : [[play.card, play.p], ...play.alternatives];
  return h("div.choices", {}, options.map(([option, p]) => h("button.quiet", {
    type: "button", onclick: () => card(option),
  }, inlineCard(option), ` ${percent(p)}`)));
}

const nearby = (play, deal) =>
  [play.trick - 1, play.trick + 1].filter((trick) => trick >= 1 && trick <= Math.min(10, deal.tricks.length + 1));

/** A play the camera missed. */
export function openMissing(state, deal, trick, seat) {
  open(
    t("missing_title", { n: trick, name: seatName(state, seat) }),
    sheet(played(deal), null, (card) =>
      done("plays", "POST", { deal: deal.number, trick, seat, card }, t("added", { card: cardName(card) }))),
  );
}

export function openTrump(deal) {
  open(
    t("trump_title"),
    deal.trump?.alternatives.length ? h("p", {}, t("camera_read"), " ", inlineCard(deal.trump.card), ` ${percent(deal.trump.p)}`) : null,
    sheet(new Set(), deal.trump?.card ?? null, (card) =>
      done("trump", "POST", { deal: deal.number, card }, t("trump_corrected", { card: cardName(card) }))),
  );
}

export function openDealer(number) {
  const { state } = store;
  const deal = state.deals.find((one) => one.number === number);
  open(
    t("dealer_title"),
    h("div.choices", {}, SEATS.map((seat) => h("button.quiet", {
      type: "button", "data-dealer-choice": seat, "aria-pressed": String(deal.dealer === seat),
      onclick: () => done("dealer", "POST", { deal: number, dealer: seat }, t("dealer_corrected", { name: seatName(state, seat) })),
    }, seatName(state, seat)))),
  );
}

/** A player accuses an opponent of a renúncia: two taps, who and whom. */
export function openAccusation(state, deal) {
  open(
    t("accuse_title"),
    h("p", {}, t("accuse_help")),
    SEATS.map((accuser) => [
      h("h3", {}, t("accuses", { name: seatName(state, accuser) })),
      h("div.choices", {}, SEATS.filter((seat) => teamOf(seat) !== teamOf(accuser)).map((accused) => h("button.quiet", {
        type: "button",
        onclick: () => done("accusations", "POST", { deal: deal.number, accuser, accused },
          t("accused", { accuser: seatName(state, accuser), accused: seatName(state, accused) })),
      }, seatName(state, accused)))),
    ]).flat(),
  );
}
