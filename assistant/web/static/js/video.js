// The camera's picture, and over it the cards found in it.
//
// A frame is one binary message: four bytes with the length of a JSON header (big-endian), the
// header, a JPEG. Outlines are drawn on a canvas of their own at the screen's full resolution, so
// that they stay sharp whatever the size of the picture.

import { clock, percent, t } from "./i18n.js";
import { act, say } from "./store.js";
import { byId } from "./dom.js";
import { cardName, isRed, rankText } from "./cards.js";

const GLYPHS = { S: "♠", H: "♥", D: "♦", C: "♣" };
const SURE = 0.9; // below, an outline is dashed: the same bound as the server's for a play
const STEP = 0.01; // an arrow key moves the cross by this part of the picture
let latest = null;
let marking = null; // while the table is being marked: the corners so far and the keyboard's cross
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
  byId("mark-table").disabled = false;
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
  if (marking) {
    drawMarks(context, unit);
    return;
  }
  if (latest.table) drawTable(context, latest.table, unit);
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

const middle = (quad) => [0, 1].map((axis) => quad.reduce((sum, point) => sum + point[axis], 0) / quad.length);

/** Where a card's label goes: on the side away from the other cards, so that it covers none. */
function labelPlace(card, width, height) {
  const [x, y] = middle(card.quad);
  const others = latest.cards.filter((one) => one !== card && one.face === "up").map((one) => middle(one.quad));
  const [cx, cy] = others.length ? middle(others) : [x, y + 1];
  const length = Math.hypot(x - cx, y - cy) || 1;
  const [dx, dy] = [(x - cx) / length, (y - cy) / length];
  const reach = Math.max(...card.quad.map((point) => (point[0] - x) * dx + (point[1] - y) * dy));
  const out = reach + Math.abs(dx) * width * 0.5 + Math.abs(dy) * height * 0.5 + height * 0.2;
  const keep = (value, size, room) => Math.min(Math.max(0, value - size / 2), room - size);
  return [keep(x + dx * out, width, latest.width), keep(y + dy * out, height, latest.height)];
}

function drawLabel(context, card, unit) {
  const sure = card.p >= SURE;
  const known = card.label.length === 2;
  const text = (known ? rankText(card.label) + GLYPHS[card.label[1]] : "?") + (sure ? "" : ` ${percent(card.p)}`);
  context.font = `600 ${15 * unit}px system-ui, sans-serif`;
  const [width, height] = [context.measureText(text).width + 10 * unit, 21 * unit];
  const [x, y] = labelPlace(card, width, height);
  context.fillStyle = "#fffaf0";
  context.fillRect(x, y, width, height);
  context.fillStyle = known && isRed(card.label) ? "#a61b1b" : "#17211b";
  context.textBaseline = "middle";
  context.fillText(text, x + 5 * unit, y + height / 2 + unit);
}

function drawTable(context, table, unit) {
  context.setLineDash([]);
  context.lineWidth = 1.5 * unit;
  context.strokeStyle = "#ffffffb3";
  trace(context, table);
  context.closePath();
  context.stroke();
}

function trace(context, points) {
  context.beginPath();
  points.forEach(([x, y], index) => (index ? context.lineTo(x, y) : context.moveTo(x, y)));
}

function drawMarks(context, unit) {
  context.setLineDash([]);
  context.strokeStyle = "#ffd34d";
  context.fillStyle = "#ffd34d";
  context.lineWidth = 2 * unit;
  trace(context, marking.corners);
  context.stroke();
  for (const [x, y] of marking.corners) {
    context.beginPath();
    context.arc(x, y, 6 * unit, 0, 7);
    context.fill();
  }
  const [x, y] = marking.cross;
  context.beginPath();
  context.moveTo(x - 14 * unit, y);
  context.lineTo(x + 14 * unit, y);
  context.moveTo(x, y - 14 * unit);
  context.lineTo(x, y + 14 * unit);
  context.stroke();
}

/** Let the person mark the table's corners: four taps, or arrow keys and Enter. */
export function prepareMarking() {
  const canvas = byId("overlay");
  byId("mark-table").addEventListener("click", () => (marking ? endMarking() : beginMarking()));
  canvas.addEventListener("click", (event) => {
    if (!marking) return;
    const box = canvas.getBoundingClientRect();
    addCorner([
      ((event.clientX - box.left) / box.width) * latest.width,
      ((event.clientY - box.top) / box.height) * latest.height,
    ]);
  });
  canvas.addEventListener("keydown", (event) => {
    if (marking && markingKey(event.key)) event.preventDefault();
  });
}

function markingKey(key) {
  const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  if (move) {
    const room = [latest.width, latest.height];
    marking.cross = marking.cross.map((at, axis) =>
      Math.min(room[axis], Math.max(0, at + move[axis] * STEP * room[axis])));
    redrawOverlay();
  } else if (key === "Enter") addCorner([...marking.cross]);
  else if (key === "Escape") endMarking();
  else return false;
  return true;
}

function beginMarking() {
  marking = { corners: [], cross: [latest.width / 2, latest.height / 2] };
  const canvas = byId("overlay");
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-label", t("mark_table"));
  canvas.classList.add("marking");
  canvas.focus({ preventScroll: true });
  byId("mark-table").textContent = t("cancel");
  hint();
  redrawOverlay();
}

function endMarking() {
  marking = null;
  const canvas = byId("overlay");
  for (const name of ["tabindex", "role", "aria-label"]) canvas.removeAttribute(name);
  canvas.classList.remove("marking");
  byId("mark-table").textContent = t("mark_table");
  byId("mark-hint").hidden = true;
  redrawOverlay();
}

function hint() {
  byId("mark-hint").hidden = false;
  byId("mark-hint").textContent = t("mark_hint", { n: marking.corners.length + 1 });
}

async function addCorner(point) {
  marking.corners.push(point);
  redrawOverlay();
  if (marking.corners.length < 4) {
    hint();
    return;
  }
  const { corners } = marking;
  const size = [latest.width, latest.height];
  endMarking();
  const entry = await act("table", "POST", { corners, size });
  if (entry) say(t("table_marked"), entry);
}
