// The page of one game: keeps the connection, hands the state to its parts.

import { act, configure, store } from "./store.js";
import { byId, fill, h } from "./dom.js";
import { drawFlags } from "./flags.js";
import { drawHistory } from "./history.js";
import { language, t, useLanguage } from "./i18n.js";
import { letters } from "./cards.js";
import { drawScore } from "./score.js";
import { drawTable } from "./table.js";
import { drawFrame, prepareMarking, redrawOverlay } from "./video.js";

const RETRY_FIRST_MS = 500;
const RETRY_MOST_MS = 5000;
const TOAST_MS = 8000;
let retry = RETRY_FIRST_MS;
let socket = null;

const game = decodeURIComponent(location.pathname.split("/").pop());
configure(game, say);

function connect() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const mine = new WebSocket(`${scheme}://${location.host}/ws/${encodeURIComponent(game)}?lang=${language()}`);
  mine.binaryType = "arraybuffer";
  socket = mine;
  mine.onmessage = ({ data }) => {
    retry = RETRY_FIRST_MS;
    if (typeof data === "string") take(JSON.parse(data));
    else drawFrame(data);
  };
  mine.onopen = () => connected(true);
  mine.onclose = () => {
    if (socket !== mine) return;
    connected(false);
    setTimeout(connect, retry);
    retry = Math.min(RETRY_MOST_MS, retry * 2);
  };
}

function connected(yes) {
  document.body.classList.toggle("offline", !yes);
  byId("banner").hidden = yes;
  byId("banner").textContent = yes ? "" : t("connection_lost");
}

function take(state) {
  const latest = store.state?.deals.at(-1)?.number;
  const newest = state.deals.at(-1)?.number ?? null;
  // Whoever looks at an older deal stays there until a new one begins.
  if (store.deal === null || newest !== latest) store.deal = newest;
  store.state = state;
  draw();
}

export function draw() {
  const { state } = store;
  if (!state) return;
  const deal = state.deals.find((one) => one.number === store.deal) ?? state.deals.at(-1) ?? null;
  document.title = title(state);
  byId("where").textContent = where(state, deal);
  const pill = byId("connection");
  pill.textContent = t(state.live ? "live" : "review");
  pill.classList.toggle("on", state.live);
  byId("undo").disabled = !state.undo;
  byId("camera").hidden = !state.live;
  if (byId("troubles").textContent !== state.troubles.join("")) { // told aloud only when they change
    fill(byId("troubles"), state.troubles.map((text) => h("li", {}, text)));
  }
  placeFlags(state.live);
  byId("download").href = recordUrl(state, deal);
  byId("counting").checked = state.counting === "end";
  drawTable(state, deal);
  drawScore(state, deal);
  drawFlags(state, deal);
  drawHistory(state, deal, (number) => { store.deal = number; draw(); });
}

/** Beside the table while the camera has its place; where the camera was in a review. */
function placeFlags(live) {
  const flags = document.querySelector(".flags");
  if (live && flags.parentElement.id !== "left") byId("table").after(flags);
  if (!live && flags.parentElement.id !== "right") byId("right").append(flags);
}

/** The record of the match that the deal on show belongs to. */
function recordUrl(state, deal) {
  const match = deal && state.matches.length > 1 ? `&match=${deal.match + 1}` : "";
  return `/api/games/${encodeURIComponent(state.game)}/record?lang=${language()}${match}`;
}

function title(state) {
  const { NS, EW } = state.matches.at(-1);
  return state.deals.length ? `${NS}–${EW} · Sueca à Mesa` : "Sueca à Mesa";
}

function where(state, deal) {
  if (!deal) return t("waiting_for_cards");
  const text = t("where", { deal: deal.number, rules: rulesName(state.matches[deal.match].rules) });
  return state.live ? text : `${state.game} · ${text}`;
}

function rulesName(rules) {
  const name = t(`rules_${rules}`);
  return name.startsWith("rules_") ? rules : name;
}

/** A short message at the foot of the page, with a way back from the word of that number, where it is given:
 * another page may have said something since, and that is not to be taken back. */
function say(text, entry = null) {
  const toast = byId("toast");
  clearTimeout(say.timer);
  toast.replaceChildren(text);
  if (entry !== null) {
    const back = document.createElement("button");
    back.type = "button";
    back.textContent = t("undo");
    back.addEventListener("click", () => undo(entry));
    toast.append(back);
  }
  toast.hidden = false;
  say.timer = setTimeout(() => { toast.hidden = true; }, TOAST_MS);
}

async function undo(entry = null) {
  const only = entry === null ? "" : `?entry=${encodeURIComponent(entry)}`;
  if (await act(`undo${only}`, "POST", {})) say(t("undone"));
}

function showLetters() {
  byId("letters").value = letters();
}

async function start() {
  await useLanguage(null);
  showLetters();
  byId("undo").addEventListener("click", () => undo());
  byId("counting").addEventListener("change", (event) =>
    act("counting", "POST", { counting: event.target.checked ? "end" : "live" }));
  byId("letters").addEventListener("change", (event) => {
    localStorage.setItem("letters", event.target.value);
    draw();
  });
  byId("language").addEventListener("change", async (event) => {
    await useLanguage(event.target.value);
    showLetters();
    const old = socket;
    connect(); // the flags' sentences come from the server, in the language asked for
    old?.close();
  });
  addEventListener("resize", redrawOverlay);
  prepareMarking();
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  }
  connect();
}

start();
