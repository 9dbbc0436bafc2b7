// Decks: learn one from photographs, put its cards right in two taps, choose one for the table.

import { cardName, face, isRed } from "./cards.js";
import { byId, fill, h } from "./dom.js";
import { t, useLanguage } from "./i18n.js";
import { sheet } from "./sheet.js";

const WIDEST = 2200; // pixels of a photograph sent: cards of a dozen a picture are then 200 and more long
const QUALITY = 0.92;
const TOAST_MS = 8000;

let shelf = { decks: [], chosen: null };
let photographs = []; // {url, data}: what is shown, and the JPEG in base64 that is sent
let found = null; // {cards: [{card, crop, url, doubtful, said}], again, strangers}
let problem = null; // what the last try came to, as the server told it
let removing = null; // the deck whose removal is to be confirmed

async function send(method, path, body) {
  try {
    const answer = await fetch(`/api/decks${path}`, {
      method,
      headers: { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    return { ok: answer.ok, status: answer.status, body: text ? JSON.parse(text) : null };
  } catch {
    return { ok: false, status: 0, body: { detail: t("connection_lost") } };
  }
}

function say(text) {
  clearTimeout(say.timer);
  byId("toast").textContent = text;
  byId("toast").hidden = false;
  say.timer = setTimeout(() => { byId("toast").hidden = true; }, TOAST_MS);
}

function busy(text) {
  byId("busy").hidden = !text;
  byId("busy").textContent = text ?? "";
  for (const button of document.querySelectorAll("#find, #keep, #add")) {
    button.disabled = Boolean(text) || (button.id === "find" && !photographs.length);
  }
}

function trouble(text) {
  byId("trouble").hidden = !text;
  byId("trouble").textContent = text ?? "";
}

// ---- the decks there are ----

async function readShelf() {
  const { ok, body } = await send("GET", "");
  if (ok) shelf = body;
  else say(body.detail);
  drawShelf();
}

function shelfItem(name) {
  const used = shelf.chosen === name;
  return h("li.game", { "data-deck": name ?? "" },
    h("h2", {}, name ?? t("deck_any"), used ? h("span.pill.used", {}, t("deck_chosen")) : null),
    h("div.actions", {},
      used ? null : h("button.quiet", { type: "button", "data-key": `use-${name}`, onclick: () => choose(name) }, t("deck_choose")),
      name === null ? null : removeButton(name)));
}

function removeButton(name) {
  const sure = removing === name;
  return h("button.danger", {
    type: "button", "data-key": `remove-${name}`,
    onclick: () => { if (sure) remove(name); else { removing = name; drawShelf(); } },
  }, t(sure ? "deck_remove_sure" : "deck_remove"));
}

function drawShelf() {
  fill(byId("decks"), shelf.decks.length
    ? h("ul.games", {}, [...shelf.decks, null].map(shelfItem))
    : h("p.quiet-text", {}, t("no_decks")));
}

async function choose(name) {
  removing = null;
  const { ok, body } = await send("POST", "/chosen", { name });
  say(ok ? (name === null ? t("deck_any_now") : t("deck_now", { name })) : body.detail);
  await readShelf();
}

async function remove(name) {
  removing = null;
  const { ok, body } = await send("DELETE", `/${encodeURIComponent(name)}`);
  say(ok ? t("deck_removed", { name }) : body.detail);
  await readShelf();
}

// ---- photographs ----

/** A photograph as a JPEG no larger than is of use, upright as the telephone meant it. */
async function prepared(file) {
  const picture = await createImageBitmap(file);
  const scale = Math.min(1, WIDEST / Math.max(picture.width, picture.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(picture.width * scale);
  canvas.height = Math.round(picture.height * scale);
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  const blob = await new Promise((done) => { canvas.toBlob(done, "image/jpeg", QUALITY); });
  const read = new FileReader();
  const data = await new Promise((done) => {
    read.onload = () => done(read.result.split(",")[1]);
    read.readAsDataURL(blob);
  });
  return { url: URL.createObjectURL(blob), data };
}

async function add(files) {
  trouble(null);
  for (const file of files) {
    try {
      photographs.push(await prepared(file));
    } catch {
      trouble(t("photograph_unreadable", { name: file.name }));
    }
  }
  drawPhotographs();
}

function takeOut(index) {
  URL.revokeObjectURL(photographs[index].url);
  photographs.splice(index, 1);
  drawPhotographs();
}

function drawPhotographs() {
  fill(byId("photographs"), photographs.map(({ url }, index) => {
    const n = index + 1;
    return h("li", {},
      h("img", { src: url, alt: t("photograph_n", { n }) }),
      h("span.photo-number", { "aria-hidden": "true" }, n),
      h("button.close", { type: "button", "aria-label": t("photograph_out", { n }), onclick: () => takeOut(index) }, "×"));
  }));
  byId("find").disabled = !photographs.length;
}

async function find() {
  problem = null;
  trouble(null);
  busy(t("finding"));
  const { ok, body } = await send("POST", "/found", { photographs: photographs.map(({ data }) => data) });
  busy(null);
  if (ok) {
    found = { ...body, cards: body.cards.map((one) => ({ ...one, url: picture(one.crop), said: false })) };
  } else {
    found = null;
    problem = body;
  }
  drawFound();
  if (ok) byId("check").focus({ preventScroll: true });
}

function picture(png) {
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
  return URL.createObjectURL(new Blob([bytes], { type: "image/png" }));
}

function problemText() {
  if (!problem) return null;
  if (!problem.kind) return problem.detail;
  return t(`learn_error_${problem.kind}`, {
    photos: problem.photos.join(", "), seen: problem.seen, cards: problem.cards.map(cardName).join(", "),
  });
}

// ---- the cards found ----

function drawFound() {
  trouble(problemText());
  if (!found) {
    fill(byId("found"));
    return;
  }
  const unsure = found.cards.filter((one) => one.doubtful && !one.said);
  const sure = found.cards.filter((one) => !unsure.includes(one));
  const name = byId("deck-name")?.value ?? "";
  fill(byId("found"),
    h("h3", { id: "check", tabindex: "-1" }, t("learn_check")),
    found.again + found.strangers ? h("p.quiet-text", {}, t("learn_left_out", found)) : null,
    unsure.length ? h("h3.unsure-title", {}, t("learn_unsure", { n: unsure.length })) : null,
    unsure.length ? h("div.crops", { id: "unsure" }, unsure.map(crop)) : null,
    h("div.crops", { id: "sure" }, sure.map(crop)),
    h("form.keep", { onsubmit: (event) => { event.preventDefault(); keep(false); } },
      h("label", { for: "deck-name" }, t("deck_name")),
      h("input", { id: "deck-name", maxlength: 60, autocomplete: "off", value: name }),
      h("button.quiet.main-action", { id: "keep" }, t("deck_keep"))),
    h("div.actions", { id: "again" }));
}

function crop(one) {
  const classes = ["found-card", ...(one.doubtful && !one.said ? ["unsure"] : [])];
  return h(`button.${classes.join(".")}`, {
    type: "button", "data-named": one.card, "data-key": one.card, onclick: () => correct(one),
    "aria-label": `${cardName(one.card)}, ${t("photograph_n", { n: one.photo })}`,
  },
  h("img", { src: one.url, alt: "" }),
  h(`span.crop-name${isRed(one.card) ? ".red" : ".black"}`, { "aria-hidden": "true" }, face(one.card)[0]));
}

function correct(one) {
  const dialog = byId("correct");
  const pick = (card) => {
    dialog.close();
    rename(one, card);
  };
  fill(dialog,
    h("div.dialog-head", {},
      h("h2", { id: "correct-title" }, t("which_card")),
      h("button.close", { type: "button", "aria-label": t("close"), onclick: () => dialog.close() }, "×")),
    h("div.reading", {}, h("img.crop-large", { src: one.url, alt: t("picture_of_card") })),
    sheet(new Set(), one.card, pick));
  dialog.showModal();
  dialog.querySelector("[data-first]")?.focus();
}

/** Each card is there once: the picture that bore the name takes the old one of this. */
function rename(one, card) {
  const other = found.cards.find((any) => any.card === card);
  if (other !== one) {
    other.card = one.card;
    other.doubtful = true;
    say(t("changed_places", { a: cardName(one.card), b: cardName(card) }));
  }
  one.card = card;
  one.said = true;
  drawFound();
}

async function keep(replace) {
  const name = byId("deck-name").value.trim();
  if (!name) {
    trouble(t("deck_unnamed"));
    byId("deck-name").focus();
    return;
  }
  trouble(null);
  fill(byId("again"));
  busy(t("keeping"));
  const cards = found.cards.map(({ card, crop }) => ({ card, crop }));
  const { ok, status, body } = await send("POST", "", { name, cards, replace });
  busy(null);
  if (ok) kept(name);
  else if (status === 409) {
    trouble(t("deck_exists", { name }));
    fill(byId("again"), h("button.danger", { type: "button", id: "replace", onclick: () => keep(true) }, t("deck_replace", { name })));
  } else trouble(status === 422 ? t("deck_unnamed") : body.detail);
}

async function kept(name) {
  found = null;
  photographs = [];
  drawPhotographs();
  drawFound();
  await readShelf();
  say(t("deck_kept", { name }));
}

await useLanguage(null);
byId("add").addEventListener("change", async (event) => {
  const files = [...event.target.files];
  event.target.value = ""; // so that the same file can be given again
  await add(files);
});
byId("find").addEventListener("click", find);
byId("correct").addEventListener("click", (event) => { if (event.target === event.currentTarget) event.currentTarget.close(); });
byId("language").addEventListener("change", async (event) => {
  await useLanguage(event.target.value);
  drawShelf();
  drawPhotographs();
  drawFound();
});
await readShelf();
