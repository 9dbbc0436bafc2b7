// The pictures behind plays: the card as it was cut out, and the whole frame with it outlined.

import { byId, fill, h, svg } from "./dom.js";
import { clock, percent, t } from "./i18n.js";
import { evidenceUrl, seatName } from "./store.js";
import { inlineCard } from "./cards.js";

export function openEvidence(state, plays, text) {
  const dialog = byId("evidence");
  fill(
    dialog,
    h("div.dialog-head", {},
      h("h2", { id: "evidence-title" }, t("evidence")),
      h("button.close", { type: "button", "aria-label": t("close"), onclick: () => dialog.close() }, "×")),
    text ? h("p", {}, text) : null,
    h("div.evidence", {}, plays.map((play) => exhibit(state, play))),
  );
  if (!dialog.open) dialog.showModal();
}

function exhibit(state, play) {
  return h(
    "figure",
    {},
    h("figcaption", {},
      `${t("trick_n", { n: play.trick })} · ${clock(play.t)} · ${seatName(state, play.seat)}: `,
      inlineCard(play.card), ` ${play.said ? t("corrected_by_hand") : percent(play.p)}`),
    play.evidence
      ? h("div.pictures", {},
          framed(play),
          h("img.crop", { src: evidenceUrl(play.evidence, "crop"), alt: t("picture_of_card") }))
      : h("p.quiet-text", {}, t("no_evidence")),
  );
}

function framed(play) {
  const image = h("img", { src: evidenceUrl(play.evidence, "frame"), alt: t("picture_of_frame") });
  const box = h("div.framed", {}, image);
  if (play.quad) {
    image.addEventListener("load", () => {
      box.append(svg(
        "svg",
        { viewBox: `0 0 ${image.naturalWidth} ${image.naturalHeight}`, "aria-hidden": "true" },
        svg("polygon", { points: play.quad.map((point) => point.join(",")).join(" ") }),
      ));
    });
  }
  return box;
}
