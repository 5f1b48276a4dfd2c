// `.ci/page` runs this: a page of a report in Chromium.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [executablePath, file] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const address = pathToFileURL(file).href;
let browser;
try {
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
} catch (error) {
  console.log(`page: SKIPPED: Chromium does not start: ${String(error).split("\n")[0]}`);
  process.exit(0);
}

const open = async (options) => {
  // axe is put into the page by the test, which its policy refuses otherwise.
  const context = await browser.newContext({ bypassCSP: false, ...options });
  const page = await context.newPage();
  const requests = [];
  const errors = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.goto(address);
  return { page, context, requests, errors };
};

let checked = 0;
for (const width of [420, 1280]) {
  for (const colorScheme of ["light", "dark"]) {
    const view = { viewport: { width, height: 900 }, colorScheme };
    const { page, context, requests, errors } = await open(view);
    await page.waitForSelector("#explore:not([hidden])");
    await page.locator("#sides details").evaluateAll((all) => all.forEach((one) => (one.open = true)));
    const answer = () => page.locator("#answer p").textContent();
    const cells = () => page.locator("#matrix tbody").innerText();
    const before = [await answer(), await cells()];

    // Keyboard only: the first slider to its end, which is its maximum.
    await page.locator("#slider-0").focus();
    await page.keyboard.press("Home");
    const moved = [await answer(), await cells()];
    assert.notDeepEqual(moved, before, "a slider moves nothing");
    assert.ok((await page.evaluate("location.hash")).startsWith("#w="));
    const link = await page.evaluate("location.href");
    assert.ok(await page.locator("#changed").isVisible());

    // The link shows the same.
    const again = await context.newPage();
    await again.goto(link);
    await again.waitForSelector("#explore:not([hidden])");
    assert.equal(await again.locator("#answer p").textContent(), moved[0]);
    assert.equal(await again.locator("#matrix tbody").innerText(), moved[1]);
    await again.close();

    // Sorting and filtering, by keyboard.
    await page.locator("#matrix thead button").first().focus();
    await page.keyboard.press("Enter");
    const names = await page.locator("#matrix tbody th").allTextContents();
    assert.deepEqual(names, [...names].sort());
    await page.locator("#filter").fill(names[0]);
    assert.ok((await page.locator("#matrix tbody tr").count()) < names.length);
    await page.locator("#filter").fill("");
    await page.locator("#number-0").fill("-1");
    assert.match(await page.locator("#wrong").textContent(), /0 or more/);
    await page.locator("#reset").focus();
    await page.keyboard.press("Enter");
    assert.equal(await answer(), before[0]);

    // Nothing of what matters is off screen.
    const wide = await page.evaluate("document.documentElement.scrollWidth");
    assert.ok(wide <= width, `${wide} is wider than ${width}`);
    for (const part of ["#answer", "#explore input", "#matrix td", "#matrix th"]) {
      for (const box of await page.locator(part).all()) {
        const { x, width: span } = await box.boundingBox();
        assert.ok(x >= 0 && x + span <= width + 0.5, `${part} ends at ${x + span} of ${width}`);
      }
    }

    // No two texts of a chart overprint each other, and none leaves its chart.
    const overprinted = await page.evaluate(() => {
      const found = [];
      for (const chart of document.querySelectorAll("svg.bk")) {
        const whole = chart.getBoundingClientRect();
        const texts = [...chart.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
        texts.forEach(([text, a], index) => {
          if (a.left < whole.left || a.right > whole.right || a.bottom > whole.bottom) found.push(`${text} leaves`);
          for (const [other, b] of texts.slice(index + 1)) {
            const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            // The boxes of two lines touch; their letters do not.
            if (across > 0 && down > 3) found.push(`${text} over ${other}`);
          }
        });
      }
      return found;
    });
    assert.deepEqual(overprinted, []);
    const points = await page.locator("#replicas-t ~ circle title").allTextContents();
    assert.ok(points.length > 1 && points.every((text) => /^.+, replica \d+: \d/.test(text)), "a point does not tell its replica");

    // From point to point by keyboard; below the chart stands what the point tells.
    for (const chart of await page.locator("svg.bk:has([tabindex])").all()) {
      await chart.locator("[tabindex='0']").focus();
      await page.keyboard.press("End");
      const last = chart.locator(":is(circle, rect, polygon):has(> title)").last();
      const shown = chart.locator("xpath=../following-sibling::output[1]");
      assert.equal(await shown.textContent(), await last.locator("title").textContent());
      assert.equal(await chart.locator("[tabindex='0']").count(), 1);
    }
    for (const box of await page.locator("#sides table").all()) {
      const { x, width: span } = await box.boundingBox();
      assert.ok(x >= 0 && x + span <= width + 0.5, "sources side by side leave the screen");
    }
    assert.deepEqual(errors, []);
    assert.deepEqual(requests.filter((url) => !url.startsWith("data:") && url !== address), []);
    await context.close();

    const second = await open({ ...view, bypassCSP: true });
    await second.page.waitForSelector("#explore:not([hidden])");
    await second.page.locator("details").evaluateAll((all) => all.forEach((one) => (one.open = true)));
    await second.page.addScriptTag({ content: axe });
    const { violations } = await second.page.evaluate("axe.run()");
    const shown = violations.map(({ id, nodes }) => `${id}: ${nodes.map((n) => n.html).slice(0, 3).join(" ")}`);
    assert.deepEqual(shown, [], "axe");
    await second.context.close();

    const plain = await open({ ...view, javaScriptEnabled: false });
    assert.ok(await plain.page.locator("#explore").isHidden());
    assert.equal(await plain.page.locator("#answer p").textContent(), before[0]);
    await plain.context.close();
    checked += 1;
  }
}
await browser.close();
console.log(`page: ${checked} views: no violation, no request, keyboard, links, sorting, points, labels, without scripts`);
