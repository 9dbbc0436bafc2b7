// The sheet of 40 cards to choose one from.

import { RANKS, SUITS, cardName, face, isRed } from "./cards.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";

/** `chosen` is marked, those in `played` are dimmed but can be chosen; `pick(card)` is called. */
export function sheet(played, chosen, pick) {
  return h(
    "div.sheet",
    { role: "group", "aria-label": t("choose_card") },
    SUITS.map((suit) => h("div.sheet-row", {}, RANKS.map((rank) => {
      const card = rank + suit;
      const classes = ["card", "small", isRed(card) ? "red" : "black"];
      if (played.has(card)) classes.push("played");
      if (card === chosen) classes.push("chosen");
      return h(
        `button.${classes.join(".")}`,
        {
          type: "button", "data-card": card, "data-first": card === chosen,
          "aria-label": cardName(card) + (played.has(card) && card !== chosen ? `, ${t("already_played")}` : ""),
          "aria-pressed": String(card === chosen),
          onclick: () => pick(card),
        },
        ...face(card),
      );
    }))),
  );
}
