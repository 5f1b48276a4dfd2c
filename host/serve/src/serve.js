"use strict";
// Puts what the server sends into its place. It computes nothing: without it, the page is loaded anew instead.
(() => {
  const main = document.querySelector("main[data-events]");
  if (!main) return;
  const LINES_MAX = 500;
  const connection = document.getElementById("connection");
  const log = document.getElementById("log");
  const view = log?.parentElement;
  const address = new URL(main.dataset.events, location.href);
  let source = null;

  // The server escaped it, the policy of the page lets nothing in it run, and a parsed document runs no script either.
  function put(part) {
    const place = document.getElementById(part.id);
    if (!place) return;
    const focused = document.activeElement;
    const id = focused && place.contains(focused) ? focused.id : "";
    const parsed = new DOMParser().parseFromString(part.html, "text/html");
    place.replaceChildren(...parsed.body.childNodes);
    if (id) document.getElementById(id)?.focus();
  }

  function add(line) {
    if (!log || line.text === null) return;
    const isAtEnd = view.scrollTop + view.clientHeight >= view.scrollHeight - 8;
    const item = document.createElement("li");
    const time = document.createElement("span");
    time.className = "soft";
    time.textContent = `${line.seconds.toFixed(1)} s`;
    item.append(time, " ", line.text);
    log.append(item);
    while (log.children.length > LINES_MAX) log.firstElementChild.remove();
    if (isAtEnd) view.scrollTop = view.scrollHeight;
  }

  function open() {
    source = new EventSource(address);
    source.onopen = () => { connection.textContent = ""; };
    source.onerror = () => {
      connection.textContent = source.readyState === EventSource.CLOSED
        ? "The server does not answer any more: start `bakeoff serve` again, and open the address that it prints."
        : "The server does not answer; trying again.";
    };
    source.addEventListener("line", (event) => {
      // Where this page goes on after it slept.
      address.searchParams.set("after", event.lastEventId);
      add(JSON.parse(event.data));
    });
    source.addEventListener("part", (event) => put(JSON.parse(event.data)));
    source.addEventListener("reset", () => location.reload());
  }

  // A browser has few connections to one server: a page that nobody sees gives its own back.
  function follow() {
    if (document.hidden) {
      source?.close();
      source = null;
    } else if (!source || source.readyState === EventSource.CLOSED) {
      open();
    }
  }

  if (view) view.scrollTop = view.scrollHeight;
  document.addEventListener("visibilitychange", follow);
  window.addEventListener("pagehide", () => { source?.close(); source = null; });
  window.addEventListener("pageshow", follow);
  follow();
})();
