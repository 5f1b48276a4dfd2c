// Lets one walk through the points of a chart by keyboard, and shows below it what a point tells.
(() => {
  "use strict";
  for (const chart of document.querySelectorAll("svg.bk")) {
    const shapes = [...chart.querySelectorAll("circle, rect, polygon")];
    const points = shapes.filter((shape) => shape.querySelector("title"));
    if (points.length === 0) continue;
    const shown = document.createElement("output");
    shown.className = "point";
    shown.textContent = "Points tell more: point at one, or go to it with Tab and the arrow keys.";
    chart.parentElement.after(shown);
    // Only one of them is in the order of Tab, the one that was visited last.
    chart.setAttribute("role", "group");
    const visit = (place) => {
      points.forEach((point, index) => point.setAttribute("tabindex", index === place ? "0" : "-1"));
      points[place].focus();
    };
    points.forEach((point, place) => {
      const text = point.querySelector("title").textContent;
      point.setAttribute("role", "img");
      point.setAttribute("aria-label", text);
      point.setAttribute("tabindex", place === 0 ? "0" : "-1");
      const tell = () => {
        shown.textContent = text;
      };
      point.addEventListener("focus", tell);
      point.addEventListener("pointerenter", tell);
      point.addEventListener("keydown", (event) => {
        const last = points.length - 1;
        const next = { ArrowRight: place + 1, ArrowDown: place + 1, ArrowLeft: place - 1, ArrowUp: place - 1, Home: 0, End: last };
        if (!(event.key in next)) return;
        event.preventDefault();
        visit(Math.min(Math.max(next[event.key], 0), last));
      });
    });
  }
})();
