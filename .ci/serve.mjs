// `.ci/serve` runs this: a run that is watched in Chromium, and one that is started and changed there.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const [executablePath, bakeoff, folder] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const patience = { timeout: 60_000 };
let browser;
try {
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
} catch (error) {
  console.log(`serve: SKIPPED: Chromium does not start: ${String(error).split("\n")[0]}`);
  process.exit(0);
}
const serve = async (...more) => {
  const server = spawn(bakeoff, ["serve", folder, ...more], { stdio: ["ignore", "pipe", "inherit"] });
  process.on("exit", () => server.kill("SIGKILL"));
  const address = await new Promise((resolve) => createInterface(server.stdout).once("line", resolve));
  return [server, address];
};
let [server, address] = await serve();
const run = () => spawn(bakeoff, ["run", `${folder}/watched`, "--quiet"], { stdio: "ignore" });

const problems = [];
const open = async (options) => {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const { origin } = new URL(address);
  const isOwn = (url) => url.startsWith(`${origin}/`) || url.startsWith("data:");
  page.on("request", (request) => isOwn(request.url()) || problems.push(request.url()));
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  await page.goto(address);
  return page;
};
// A page that is there shows it by itself: nobody loads it again.
const appears = (page, id, text) => page.locator(id, { hasText: text }).waitFor(patience);

const page = await open({ viewport: { width: 1280, height: 900 } });
assert.ok(!page.url().includes("token"), "the address has no token any more");
await appears(page, "#list", "No experiment has results yet");
let running = run();
await appears(page, "#list", "runs now");

// By keyboard alone.
await page.keyboard.press("Tab");
await page.keyboard.press("Enter");
await page.waitForURL(/runs/, patience);
const other = await open({ viewport: { width: 420, height: 900 }, colorScheme: "dark" });
await other.goto(page.url());
for (const viewer of [page, other]) {
  await appears(viewer, "#state", "goes on");
  await appears(viewer, "#standings", "leads after");
  // A level line has no height, and is not visible to playwright.
  await viewer.locator("svg .earlier").first().waitFor({ state: "attached", ...patience });
}
const lines = () => page.locator("#log li").count();
const before = await lines();
await page.waitForFunction((before) => document.querySelectorAll("#log li").length > before, before, patience);

// Without scripts it is loaded again every few seconds, and says the same.
const plain = await open({ javaScriptEnabled: false });
await plain.goto(page.url());
await appears(plain, "#standings", "leads after");
assert.equal(await plain.locator("noscript, meta[http-equiv=refresh]").count() > 0, true);
await plain.context().close();

running.kill("SIGKILL");
for (const viewer of [page, other]) await appears(viewer, "#state", "Nobody works on run");
running = run();
for (const viewer of [page, other]) await appears(viewer, "#state", "goes on");
for (const viewer of [page, other]) await appears(viewer, "#state", "is finished");
await appears(page, "#log", "the run is finished");
assert.equal(await page.locator("#log li", { hasText: "the run is finished" }).count(), 1);

let checked = 0;
async function check(...places) {
  for (const width of [420, 1600]) {
    for (const colorScheme of ["light", "dark"]) {
      // axe is put into the page by the test, which its policy refuses otherwise.
      const viewer = await open({ viewport: { width, height: 900 }, colorScheme, bypassCSP: true });
      for (const place of [address, ...places]) {
        if (place !== address) await viewer.goto(place);
        const wide = await viewer.evaluate("document.documentElement.scrollWidth");
        assert.ok(wide <= width, `${place} is ${wide} pixels wide on a screen of ${width}`);
        await viewer.evaluate(axe);
        const { violations } = await viewer.evaluate("axe.run()");
        assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
        checked += 1;
      }
      await viewer.context().close();
    }
  }
}
await check(page.url());

await appears(page, "#answer", "Answer");
const said = await page.locator("#answer .answer p").first().textContent();
await page.locator("#to-report").click();
await page.waitForURL(/\/report\//, patience);
assert.ok((await page.locator("#answer").textContent()).includes(said.trim().slice(0, 20)), said);
assert.ok((await page.locator("#answer p").textContent()).length > 10);
// Before their server ends, which they would say.
for (const viewer of [page, other]) await viewer.context().close();
server.kill();

// With leave: a run is started by a form, and an approach is added to it.
[server, address] = await serve("--allow-run");
const own = await open({ viewport: { width: 1280, height: 900 } });
await own.locator("#list a[id^=to-]").first().click();
await own.locator("#to-change").click();
await own.locator("#in-budget").fill("8 s");
await own.locator("input[name=fresh]").check();
await own.locator("#do-run").click();
await appears(own, "#controls", "The run was started.");
await appears(own, "#log", "replica 1 is stored");
await own.locator("#to-change").click();
// A form that is refused comes back with what was typed.
const typed = "\n// </textarea>\n";
await own.locator("#in-name").fill("one");
await own.locator("#source").fill(typed);
await own.locator("#do-add").click();
await own.locator("[role=alert]", { hasText: "there is an approach one already" }).waitFor(patience);
assert.deepEqual([await own.locator("#in-name").inputValue(), await own.locator("#source").inputValue()], ["one", typed]);
assert.ok(problems.pop().includes("422"), "the browser says that it was refused");
await own.locator("#in-name").fill("pasted");
await own.locator("#source").fill(readFileSync(`${folder}/watched/one.rs`, "utf8").replace("one", "pasted"));
await own.locator("#do-add").click();
await appears(own, "#controls", "The run was stopped for that, and goes on");
await appears(own, "#state", "is finished");
await appears(own, "#standings", "pasted");

// Another page of this machine has the same cookies, and here even the address; it has no token of this server's pages.
const target = `${own.url().replace("/runs/", "/change/")}withdraw`;
const foreign = createServer((request, response) => {
  response.setHeader("Content-Type", "text/html");
  response.end(`<form id="form" method="post" action="${target}"><input name="name" value="pasted"></form>`);
}).listen(0, "127.0.0.1");
const otherPage = await own.context().newPage();
await otherPage.goto(`http://127.0.0.1:${foreign.address().port}/`);
await otherPage.evaluate(async (target) => {
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const body = "name=pasted&token=0";
  await fetch(target, { method: "POST", mode: "no-cors", credentials: "include", headers, body }).catch(() => {});
}, target);
const [answer] = await Promise.all([
  otherPage.waitForNavigation(patience),
  otherPage.evaluate("document.getElementById('form').submit()"),
]);
assert.equal(answer.status(), 403);
await otherPage.close();
foreign.close();
assert.ok(readFileSync(`${folder}/watched/bakeoff.toml`, "utf8").includes("pasted"));

// Forms work without scripts.
const scriptless = await open({ javaScriptEnabled: false });
await scriptless.goto(own.url());
await scriptless.locator("#to-change").click();
await scriptless.locator("select[name=name]").selectOption("pasted");
await scriptless.locator("#do-withdraw").click();
await appears(scriptless, "#controls", "pasted was withdrawn; its file stays.");
await scriptless.context().close();
await check(own.url(), own.url().replace("/runs/", "/change/"));

assert.deepEqual(problems, []);
await browser.close();
server.kill();
console.log(`serve: a run watched by two, killed and gone on with, one started and changed; ${checked} pages through axe`);
process.exit(0);
