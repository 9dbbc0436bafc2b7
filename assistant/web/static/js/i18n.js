// The page's words: one catalogue a language in /static/locale, the same keys in each.

import { byId } from "./dom.js";

const LANGUAGES = ["pt-PT", "pt-BR", "es", "en"];
let words = {};
let current = "pt-PT";

function preferred() {
  const stored = localStorage.getItem("language");
  const asked = new URLSearchParams(location.search).get("lang");
  for (const wish of [asked, stored, ...navigator.languages]) {
    if (!wish) continue;
    const exact = LANGUAGES.find((language) => language.toLowerCase() === wish.toLowerCase());
    const near = LANGUAGES.find((language) => language.split("-")[0] === wish.split("-")[0].toLowerCase());
    if (exact || near) return exact || near;
  }
  return "pt-PT";
}

export const language = () => current;

/** The text of `key`, with `{name}` filled in from `values`. */
export function t(key, values = {}) {
  const text = words[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** Load `wish` (or what the person prefers) and put its words on the page. */
export async function useLanguage(wish) {
  current = LANGUAGES.includes(wish) ? wish : preferred();
  if (wish) localStorage.setItem("language", current);
  const answer = await fetch(`/static/locale/${current}.json`);
  words = await answer.json();
  document.documentElement.lang = current;
  for (const node of document.querySelectorAll("[data-t]")) node.textContent = t(node.dataset.t);
  byId("language").value = current;
}

export const percent = (p) =>
  new Intl.NumberFormat(current, { style: "percent", maximumFractionDigits: p > 0.99 ? 1 : 0 }).format(p);

/** Seconds from the start of the source as minutes and seconds. */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const minutes = Math.floor(whole / 60) % 60;
  const hours = Math.floor(whole / 3600);
  const two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}
