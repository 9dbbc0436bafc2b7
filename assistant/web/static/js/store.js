// What the parts of the page share: the state last received, and the way to say something to it.

import { t } from "./i18n.js";

export const store = { state: null, deal: null };

let game = "";
let tell = () => {};

export function configure(name, say) {
  game = name;
  tell = say;
}

export const say = (text, entry) => tell(text, entry);

export const evidenceUrl = (pointer, view) =>
  `/evidence/${encodeURIComponent(game)}/${encodeURIComponent(pointer)}/${view}`;

/** Send a person's word; where it was taken, its number (true where it has none), else false. The new state
 * comes over the WebSocket. */
export async function act(path, method, body) {
  try {
    const answer = await fetch(`/api/games/${encodeURIComponent(game)}/${path}`, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (answer.ok) return answer.headers.get("x-entry") ?? true;
    const { detail } = await answer.json();
    tell(typeof detail === "string" ? detail : t("refused"));
  } catch {
    tell(t("connection_lost"));
  }
  return false;
}

export const teamOf = (seat) => ("NS".includes(seat) ? "NS" : "EW");

export const seatName = (state, seat) => state.players[seat] || t(`seat_${seat}`);

/** "Ana e Eva": a pair by its players' names. */
export const teamName = (state, team) =>
  t("pair", { a: seatName(state, team === "NS" ? "S" : "E"), b: seatName(state, team === "NS" ? "N" : "W") });
