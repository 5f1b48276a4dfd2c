// Lets one weigh the criteria anew. All that is shown is worked out by the core (WebAssembly, in this page):
// this moves values between the two. It asks nobody for anything, and text goes in as text.
(async () => {
  "use strict";
  const at = (id) => document.getElementById(id);
  const panel = at("explore");
  if (!self.WebAssembly || !self.DecompressionStream) return;

  const packed = Uint8Array.from(atob(at("core").textContent.trim()), (c) => c.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = await new Response(unpacked).arrayBuffer();
  const core = (await WebAssembly.instantiate(bytes, {})).instance.exports;
  const ask = (call, text) => {
    const sent = new TextEncoder().encode(text);
    const place = core.input(sent.length) >>> 0;
    if (place === 0) return { error: "this is too long for the page" };
    new Uint8Array(core.memory.buffer, place, sent.length).set(sent);
    const length = call() >>> 0;
    const answer = new Uint8Array(core.memory.buffer, core.output() >>> 0, length);
    return JSON.parse(new TextDecoder().decode(answer));
  };

  const text = at("report").textContent;
  if (ask(core.open, text).error) return;
  const names = JSON.parse(text).criteria.map((criterion) => criterion.name);
  const sliders = names.map((_, index) => at("slider-" + index));
  const numbers = names.map((_, index) => at("number-" + index));
  const own = numbers.map((number) => number.defaultValue);
  const heads = [...document.querySelectorAll("#matrix thead th")];
  const titles = heads.map((head) => head.textContent);
  const question = { weights: [], column: null, descending: false, filter: "" };
  let weights = [...own];

  const made = (tag, content) => {
    const element = document.createElement(tag);
    element.textContent = content;
    return element;
  };
  const row = (cells) => {
    const line = document.createElement("tr");
    cells.forEach((content, index) => {
      const cell = made(index === 0 ? "th" : "td", content);
      if (index === 0) cell.scope = "row";
      else cell.className = "number";
      cell.dataset.name = titles[index];
      line.append(cell);
    });
    return line;
  };
  const section = ({ title, sentences }) => {
    const whole = document.createElement("section");
    const list = document.createElement("ul");
    list.append(...sentences.map((sentence) => made("li", sentence)));
    whole.append(made("h2", title), list);
    return whole;
  };

  const update = () => {
    question.weights = names.map((name, index) => name + "=" + weights[index]);
    const found = ask(core.explore, JSON.stringify(question));
    at("wrong").textContent = found.error ?? "";
    if (found.error) return;
    if (at("answer")) {
      const kind = { winner: "winner", nothing: "none" }[found.outcome] ?? "open";
      at("answer").className = "answer " + kind;
      at("answer").firstElementChild.textContent = found.answer;
    }
    const body = document.querySelector("#matrix tbody");
    body.replaceChildren(...found.rows.map(row));
    at("sections")?.replaceChildren(...found.sections.map(section));
    at("changed").hidden = weights.every((weight, index) => weight === own[index]);
  };
  const show = () => {
    weights.forEach((weight, index) => {
      numbers[index].value = weight;
      sliders[index].value = weight;
    });
    update();
  };
  const link = () => {
    const part = (name, index) => encodeURIComponent(name) + "=" + encodeURIComponent(weights[index]);
    const same = weights.every((weight, index) => weight === own[index]);
    history.replaceState(null, "", same ? "#" : "#w=" + names.map(part).join(","));
  };
  const follow = () => {
    weights = [...own];
    const parts = location.hash.startsWith("#w=") ? location.hash.slice(3).split(",") : [];
    for (const part of parts) {
      const [name, weight] = part.split("=");
      try {
        const index = names.indexOf(decodeURIComponent(name));
        if (index >= 0 && weight) weights[index] = decodeURIComponent(weight);
      } catch {
        // Not a link that this page made: that part says nothing.
      }
    }
    show();
  };

  names.forEach((_, index) => {
    sliders[index].addEventListener("input", () => {
      weights[index] = numbers[index].value = sliders[index].value;
      update();
      link();
    });
    numbers[index].addEventListener("input", () => {
      weights[index] = sliders[index].value = numbers[index].value;
      update();
      link();
    });
  });
  at("reset").addEventListener("click", () => {
    weights = [...own];
    show();
    link();
  });
  at("filter").addEventListener("input", () => {
    question.filter = at("filter").value;
    update();
  });
  heads.forEach((head, column) => {
    const button = made("button", head.textContent);
    button.type = "button";
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const again = question.column === column;
      // Names and ranks begin with the least, scores with the best.
      const first = column > 0 && column < heads.length - 1;
      question.descending = again ? !question.descending : first;
      question.column = column;
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", question.descending ? "descending" : "ascending");
      update();
    });
  });
  addEventListener("hashchange", follow);
  at("answer")?.setAttribute("aria-live", "polite");
  panel.hidden = false;
  follow();
})();
