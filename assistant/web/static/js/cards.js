// Card faces of our own: rank and suit, drawn in CSS and four SVG shapes.

import { h, svg } from "./dom.js";
import { language, percent, t } from "./i18n.js";

export const SUITS = ["S", "H", "D", "C"];
export const RANKS = ["A", "7", "K", "J", "Q", "6", "5", "4", "3", "2"];

const SHAPES = {
  S: "M50 4C60 24 94 40 94 66a21 21 0 0 1-38 12c1 9 4 14 10 18H34c6-4 9-9 10-18A21 21 0 0 1 6 66C6 40 40 24 50 4z",
  H: "M50 94C40 78 6 58 6 32A23 23 0 0 1 50 22 23 23 0 0 1 94 32c0 26-34 46-44 62z",
  D: "M50 3C59 20 73 36 88 50 73 64 59 80 50 97 41 80 27 64 12 50 27 36 41 20 50 3z",
  C: "M50 4a21 21 0 0 1 18 32 21 21 0 1 1-12 37c1 11 4 18 10 23H34c6-5 9-12 10-23a21 21 0 1 1-12-37A21 21 0 0 1 50 4z",
};
const PORTUGUESE = { K: "R", Q: "D", J: "V" };

/** Which letters the table's deck has on its courts: "KQJ" or "RDV". */
export function letters() {
  return localStorage.getItem("letters") ?? (language() === "pt-PT" ? "RDV" : "KQJ");
}

export const isRed = (card) => "HD".includes(card[1]);

export function rankText(card) {
  return letters() === "RDV" ? (PORTUGUESE[card[0]] ?? card[0]) : card[0];
}

/** A sentence of the server's with its cards in the letters of the table's deck: K♠ → R♠. */
export function localCards(text) {
  return letters() === "RDV" ? text.replace(/([KQJ])(?=[♠♥♦♣])/g, (rank) => PORTUGUESE[rank]) : text;
}

/** The suit as a small picture that takes the colour of its text. */
export function suit(letter) {
  return svg(
    "svg",
    { viewBox: "0 0 100 100", class: "suit", "aria-hidden": "true", focusable: "false" },
    svg("path", { d: SHAPES[letter], fill: "currentColor" }),
  );
}

/** "sete de copas". */
export function cardName(card) {
  return t("card_name", { rank: t(`rank_${card[0]}`), suit: t(`suit_${card[1]}`) });
}

/** A card within a sentence: rank and suit, read out by its name. */
export function inlineCard(card) {
  return h(
    `span.inline-card${isRed(card) ? ".red" : ".black"}`,
    { role: "img", "aria-label": cardName(card) },
    rankText(card),
    suit(card[1]),
  );
}

/** What is drawn on a card's face. */
export function face(card) {
  return [
    h("span.corner", { "aria-hidden": "true" }, rankText(card), suit(card[1])),
    h("span.pip", { "aria-hidden": "true" }, suit(card[1])),
  ];
}

/** What a play's card says when read out: the card, who played it, how sure. */
export function playLabel(play, name) {
  const parts = [t("play_by", { card: cardName(play.card), name })];
  if (play.said) parts.push(t("corrected_by_hand"));
  else if (play.unsure) parts.push(t("unsure_p", { p: percent(play.p) }));
  if (play.revoked) parts.push(t("revoked_here"));
  return parts.join(", ");
}

/** The button that shows a play, marked where it is unsure, corrected or a renúncia. */
export function playButton(play, name, { small = false, key, onopen }) {
  const classes = ["card", isRed(play.card) ? "red" : "black"];
  if (small) classes.push("small");
  if (play.unsure) classes.push("unsure");
  if (play.said) classes.push("by-hand");
  if (play.revoked) classes.push("revoked");
  if (play.winner) classes.push("winner");
  return h(
    `button.${classes.join(".")}`,
    { type: "button", "data-key": key, "data-play": play.play_id, "aria-label": playLabel(play, name), title: playLabel(play, name), onclick: onopen },
    ...face(play.card),
    play.unsure ? h("span.badge", { "aria-hidden": "true" }, "?") : null,
    play.said ? h("span.badge.hand", { "aria-hidden": "true" }, "✓") : null,
  );
}

/** "or 6♦ 21%": what else a doubtful play may have been. */
export function alternatives(play) {
  return h(
    "span.alternatives",
    {},
    play.alternatives.map(([card, p]) => h("span.alternative", {}, t("or"), " ", inlineCard(card), ` ${percent(p)}`)),
  );
}
