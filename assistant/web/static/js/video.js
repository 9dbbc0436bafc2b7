// The camera's picture, and over it the cards found in it.
//
// A frame is one binary message: four bytes with the length of a JSON header (big-endian), the
// header, a JPEG. Outlines are drawn on a canvas of their own at the screen's full resolution, so
// that they stay sharp whatever the size of the picture.

import { clock, percent, t } from "./i18n.js";
import { byId } from "./dom.js";
import { cardName, isRed, rankText } from "./cards.js";

const GLYPHS = { S: "♠", H: "♥", D: "♦", C: "♣" };
const SURE = 0.9; // below, an outline is dashed: the same bound as the server's for a play
let latest = null;
let decoding = false;
let waiting = null;

export async function drawFrame(data) {
  if (decoding) { waiting = data; return; } // only the newest is worth drawing
  decoding = true;
  try {
    const length = new DataView(data).getUint32(0);
    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
    if (data.byteLength > 4 + length) {
      const blob = new Blob([new Uint8Array(data, 4 + length)], { type: "image/jpeg" });
      const picture = await createImageBitmap(blob);
      show(picture, { ...header, width: header.width ?? picture.width, height: header.height ?? picture.height });
    }
    byId("status").textContent = statusText(header);
  } catch (error) {
    console.warn("a frame could not be shown", error);
  } finally {
    decoding = false;
    const next = waiting;
    waiting = null;
    if (next) drawFrame(next);
  }
}

function show(picture, header) {
  const canvas = byId("picture");
  if (canvas.width !== picture.width || canvas.height !== picture.height) {
    canvas.width = picture.width;
    canvas.height = picture.height;
    byId("video").style.setProperty("aspect-ratio", `${picture.width} / ${picture.height}`);
  }
  canvas.getContext("2d").drawImage(picture, 0, 0);
  picture.close();
  byId("no-picture").hidden = true;
  latest = header;
  redrawOverlay();
  const names = header.cards.filter((card) => card.face === "up" && card.label.length === 2).map((card) => cardName(card.label));
  canvas.removeAttribute("aria-hidden");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", t("picture_label", { n: header.cards.length }));
  byId("found").textContent = names.join(", ");
}

function statusText(header) {
  const known = t(`status_${header.status}`);
  const state = known.startsWith("status_") ? header.status : known;
  return [clock(header.t), state].filter(Boolean).join(" · ");
}

export function redrawOverlay() {
  const canvas = byId("overlay");
  const { width, height } = canvas.getBoundingClientRect();
  const density = devicePixelRatio || 1;
  canvas.width = Math.round(width * density);
  canvas.height = Math.round(height * density);
  if (!latest || !width) return;
  const context = canvas.getContext("2d");
  context.scale((width * density) / latest.width, (height * density) / latest.height);
  const unit = latest.width / width; // one CSS pixel in picture pixels
  for (const card of latest.cards) drawOutline(context, card, unit);
  for (const card of latest.cards) if (card.face === "up") drawLabel(context, card, unit);
}

function drawOutline(context, card, unit) {
  const up = card.face === "up";
  const sure = card.p >= SURE;
  context.lineWidth = 2.5 * unit;
  context.setLineDash(sure ? [] : [6 * unit, 4 * unit]);
  context.strokeStyle = !up ? "#9fb8ac" : sure ? "#ffd34d" : "#ff9d42";
  context.beginPath();
  card.quad.forEach(([x, y], index) => (index ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.closePath();
  context.stroke();
}

function drawLabel(context, card, unit) {
  const sure = card.p >= SURE;
  const known = card.label.length === 2;
  const text = (known ? rankText(card.label) + GLYPHS[card.label[1]] : "?") + (sure ? "" : ` ${percent(card.p)}`);
  const top = card.quad.reduce((a, b) => (b[1] < a[1] ? b : a));
  context.font = `600 ${15 * unit}px system-ui, sans-serif`;
  const width = context.measureText(text).width + 10 * unit;
  const x = Math.min(Math.max(0, top[0] - width / 2), latest.width - width);
  const y = Math.max(0, top[1] - 24 * unit);
  context.fillStyle = "#fffaf0";
  context.fillRect(x, y, width, 21 * unit);
  context.fillStyle = known && isRed(card.label) ? "#a61b1b" : "#17211b";
  context.textBaseline = "middle";
  context.fillText(text, x + 5 * unit, y + 11 * unit);
}
