// What does not add up, in plain words, with the plays and pictures that show it.

import { act, evidenceUrl, say, seatName, teamName } from "./store.js";
import { byId, fill, h } from "./dom.js";
import { cardName, inlineCard, localCards } from "./cards.js";
import { openEvidence } from "./evidence.js";
import { openAccusation, openCorrection } from "./correct.js";
import { percent, t } from "./i18n.js";

export function drawFlags(state, deal) {
  const flags = deal?.flags ?? [];
  const verdicts = deal?.verdicts ?? [];
  const none = flags.length + verdicts.length === 0;
  byId("accuse").hidden = !deal?.tricks.length;
  byId("accuse").onclick = () => openAccusation(state, deal);
  fill(
    byId("flags"),
    none
      ? h("p.quiet-text", {}, t("no_flags"))
      : h("ul.flag-list", {},
          verdicts.map((verdict) => verdictItem(state, verdict)),
          flags.map((flag) => item(state, deal, flag))),
  );
}

function verdictItem(state, verdict) {
  const names = { accuser: seatName(state, verdict.accuser), accused: seatName(state, verdict.accused) };
  const outcome = verdict.upheld === null ? "open" : verdict.upheld ? "upheld" : "false";
  return h(
    `li.flag${verdict.upheld ? ".proved" : ""}`,
    {},
    h("p.flag-kind", {}, h("strong", {}, t("accusation"))),
    h("p.flag-text", {}, (verdict.flag && localCards(verdict.flag)) ?? t(`accusation_${outcome}`, names),
      verdict.loser && verdict.penalty !== "none" ? ` ${t(`penalty_${verdict.penalty}`, { pair: teamName(state, verdict.loser) })}` : ""),
  );
}

function item(state, deal, flag) {
  return h(
    `li.flag.${flag.status}${flag.ruling === "dismissed" ? ".dismissed" : ""}`,
    {},
    h("p.flag-kind", {},
      h("strong", {}, flag.title),
      ` · ${t(`flag_${flag.status}`)}`,
      flag.p === null || flag.kind !== "revoke" && flag.kind !== "must-trump" || flag.status === "possible" ? null : ` · ${t("sure", { p: percent(flag.p) })}`,
      flag.ruling ? ` · ${t(`ruled_${flag.ruling}`)}` : null,
    ),
    h("p.flag-text", {}, localCards(flag.text)),
    flag.plays.length ? h("div.proofs", {}, flag.plays.map((play) => proof(state, play))) : null,
    h("div.actions", {},
      flag.plays.some((play) => play.evidence)
        ? h("button.quiet", { type: "button", "data-key": `see-${flag.id}`, onclick: () => openEvidence(state, flag.plays, localCards(flag.text)) }, t("see_pictures"))
        : null,
      rule(deal, flag, "upheld"),
      rule(deal, flag, "dismissed"),
    ),
  );
}

function proof(state, play) {
  const name = seatName(state, play.seat);
  return h(
    "figure",
    {},
    play.evidence
      ? h("button.picture", { type: "button", "data-key": `proof-${play.play_id}`, onclick: () => openEvidence(state, [play], "") },
          h("img", { src: evidenceUrl(play.evidence, "crop"), alt: t("picture_of", { card: cardName(play.card) }), loading: "lazy" }))
      : null,
    h("figcaption", {},
      h("button.link", { type: "button", "data-key": `fix-${play.play_id}`, onclick: () => openCorrection(state, play) },
        `${t("trick_n", { n: play.trick })}: ${name} `, inlineCard(play.card)),
    ),
  );
}

function rule(deal, flag, ruling) {
  const pressed = flag.ruling === ruling;
  return h("button.quiet", {
    type: "button", "data-key": `${ruling}-${flag.id}`, "aria-pressed": String(pressed), disabled: pressed,
    onclick: async () => {
      const entry = await act("flags", "POST", { deal: deal.number, flag: flag.id, ruling });
      if (entry) say(t(`ruled_${ruling}`), entry);
    },
  }, t(`rule_${ruling}`));
}
