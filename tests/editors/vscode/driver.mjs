// Drives a VS Code in Chromium for a program on standard input: one JSON request a
// line, one JSON answer a line.  Each request names a function of `verbs` below and
// its arguments; what a person would see or do is all these functions know.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const [home, chrome] = process.argv.slice(2);
const { chromium } = createRequire(`${home}/`)("playwright-core");
const patience = 20_000;

const browser = await chromium.launch({
  executablePath: chrome,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
let page;
let name = "first";
const pages = new Map();

const verbs = {
  /** Looks at another of the windows; one that is new is yet to be opened. */
  async window(which) {
    name = which;
    page = pages.get(name);
    await page?.bringToFront();
  },

  /** Opens a workbench in a page of its own. */
  async open(url, width = 1280, height = 800) {
    await page?.context().close();
    const context = await browser.newContext({ viewport: { width, height } });
    page = await context.newPage();
    pages.set(name, page);
    page.setDefaultTimeout(patience);
    await page.goto(url);
    await page.waitForSelector(".monaco-workbench .statusbar");
  },

  /** Loads the window again, as *Reload Window* does; the editor notes first what is open. */
  async reload() {
    await new Promise((done) => setTimeout(done, 3000));
    await page.reload();
    await page.waitForSelector(".monaco-workbench .statusbar");
  },

  /** Puts away what a test may have left open. */
  async tidy() {
    for (let times = 0; times < 3; times++) await page.keyboard.press("Escape");
    await verbs.palette("View: Close All Editors");
    await verbs.palette("Notifications: Clear All Notifications");
  },

  /** Shows the view container of that name. */
  async container(name) {
    const item = page.locator(`.activitybar .action-item a[aria-label^="${name}"]`).first();
    await item.waitFor();
    if ((await page.locator(`.sidebar .composite.title h2:text-is("${name}")`).count()) === 0) await item.click();
    await page.locator(`.sidebar .composite.title`, { hasText: name }).waitFor();
  },

  /** Unfolds a view's pane if it is folded. */
  async unfold(view) {
    const header = paneOf(view).locator(".pane-header");
    if ((await header.getAttribute("aria-expanded")) === "false") await header.click();
  },

  /** The badge on a container's icon. */
  async badge(name) {
    const badge = page.locator(`.activitybar .action-item:has(a[aria-label^="${name}"]) .badge-content`);
    return (await badge.count()) === 0 ? "" : (await badge.first().innerText());
  },

  /** The visible rows of a view, each with label, description and tree level. */
  async rows(view) {
    const rows = paneOf(view).locator(".monaco-list-row");
    return rows.evaluateAll((all) =>
      all
        .map((row) => ({
          at: Number(row.dataset.index),
          label: row.querySelector(".label-name")?.textContent ?? "",
          description: row.querySelector(".label-description")?.textContent ?? "",
          level: Number(row.getAttribute("aria-level")),
          icons: [...row.querySelectorAll(".custom-view-tree-node-item-icon, .label-name .codicon")].map((one) => one.className),
          links: row.querySelectorAll(".label-name a, .label-name img, .label-name b, .label-name strong").length,
        }))
        .sort((a, b) => a.at - b.at),
    );
  },

  /** The message or welcome text of a view, with the names of its buttons. */
  async welcome(view) {
    const shown = paneOf(view).locator(".welcome-view-content, .tree-explorer-viewlet-tree-view .message");
    return (await shown.allInnerTexts()).join("\n");
  },

  /** Clicks a row; double or with the control key if asked. */
  async click(view, label, how = {}) {
    const row = rowOf(view, label);
    await row.scrollIntoViewIfNeeded();
    await row.locator(".label-name").first().click({ modifiers: how.add ? ["ControlOrMeta"] : [] });
  },

  /** Goes to the last row of a view. */
  async end(view) {
    await paneOf(view).locator(".monaco-list").focus();
    await page.keyboard.press("End");
  },

  /** Folds a view's pane, so that others have room. */
  async fold(view) {
    const header = paneOf(view).locator(".pane-header");
    if ((await header.getAttribute("aria-expanded")) === "true") await header.click();
  },

  async expand(view, label) {
    const row = rowOf(view, label);
    if ((await row.getAttribute("aria-expanded")) === "false") await row.locator(".monaco-tl-twistie").click();
  },

  /** Makes the side bar as wide as that, for long sentences. */
  async widen(width) {
    const bar = await page.locator(".part.sidebar").boundingBox();
    const edge = bar.x + bar.width;
    await page.mouse.move(edge, 300);
    await page.mouse.down();
    await page.mouse.move(bar.x + width, 300, { steps: 6 });
    await page.mouse.up();
    await page.mouse.move(700, 600);
  },

  /** Clicks an inline action of a row. */
  async act(view, label, action) {
    const row = rowOf(view, label);
    await row.hover();
    await row.locator(`.actions .action-label[aria-label^="${action}"]`).click();
  },

  /** Chooses from a row's context menu. */
  async menu(view, label, action) {
    await rowOf(view, label).locator(".label-name").first().click({ button: "right" });
    await menuItem(action);
  },

  /** Clicks an action in a view's title. */
  async title(view, action) {
    const pane = paneOf(view);
    await pane.locator(".pane-header").hover();
    await pane.locator(`.pane-header .action-label[aria-label^="${action}"]`).first().click();
  },

  /** What hovering over a row shows, with the elements in it that would be active. */
  async tooltip(view, label) {
    await page.mouse.move(600, 400);
    await page.locator(".workbench-hover").first().waitFor({ state: "hidden" });
    await rowOf(view, label).locator(".label-name").first().hover();
    return hoverText(".workbench-hover");
  },

  /** Runs a command by its name in the palette. */
  async palette(command) {
    await page.keyboard.press("F1");
    await quick().waitFor();
    await quickInput().fill(`>${command}`);
    const first = quick().locator(".monaco-list-row", { hasText: command }).first();
    await first.waitFor();
    await first.click();
    // The command may ask at once, in the same box: it is done when the box is not ours.
    await page.waitForFunction(() => {
      const box = document.querySelector(".quick-input-widget");
      const input = box?.querySelector("input[type=text], .quick-input-filter input");
      return box === null || box.style.display === "none" || !input.value.startsWith(">");
    });
  },

  /** The rows of the quick pick there is. */
  async picks() {
    await quick().waitFor();
    const rows = quick().locator(".monaco-list-row");
    return (await rows.allInnerTexts()).map((row) => row.replace(/\s*\n\s*/g, " | "));
  },

  /** Waits for a row of the quick pick and chooses it. */
  async pick(label) {
    const row = quick().locator(".monaco-list-row", { hasText: label }).first();
    await row.waitFor();
    await row.click();
  },

  /** Types into the quick input, replacing what is there; `enter` accepts it. */
  async type(text, enter = true) {
    await quick().waitFor();
    await quickInput().fill(text);
    if (enter) await page.keyboard.press("Enter");
  },

  async typed() {
    await quick().waitFor();
    return quickInput().inputValue();
  },

  async press(key) {
    await page.keyboard.press(key);
  },

  /** Waits for a message with these words; gives its text and its buttons. */
  async message(words) {
    const toast = page.locator(".notification-toast", { hasText: words }).first();
    await toast.waitFor();
    return {
      text: await toast.locator(".notification-list-item-message").innerText(),
      buttons: await toast.locator(".notification-list-item-buttons-container .monaco-button").allInnerTexts(),
      links: await toast.locator(".notification-list-item-message a").count(),
    };
  },

  async messageButton(words, button) {
    const toast = page.locator(".notification-toast", { hasText: words }).first();
    await toast.waitFor();
    await toast.hover();
    await toast.locator(".monaco-button", { hasText: button }).click();
  },

  /** The modal dialog: its text and buttons; clicks one if named. */
  async dialog(button) {
    const box = page.locator(".monaco-dialog-box");
    await box.waitFor();
    const text = await box.locator(".dialog-message-row").innerText();
    const buttons = await box.locator(".dialog-buttons .monaco-button").allInnerTexts();
    if (button !== undefined) await box.locator(".dialog-buttons").getByText(button, { exact: true }).click();
    return { text, buttons };
  },

  /** The status bar entry of the extension. */
  async status() {
    const item = page.locator('.statusbar-item[id$="ibid.status"]');
    return (await item.count()) === 0
      ? { text: "", classes: "", label: "" }
      : {
          text: (await item.innerText()).trim(),
          classes: (await item.getAttribute("class")) ?? "",
          label: (await item.locator("a").getAttribute("aria-label")) ?? "",
        };
  },

  async statusClick() {
    await page.locator('.statusbar-item[id$="ibid.status"] a').click();
  },

  /** The line above the workbench, which says that a folder is not trusted. */
  async banner() {
    return (await page.locator(".part.banner").allInnerTexts()).join(" ");
  },

  /** Opens a file of the workspace. */
  async file(name) {
    const last = name.split("/").at(-1);
    await page.keyboard.press("ControlOrMeta+p");
    await quick().waitFor();
    await quickInput().fill(name);
    await quick().locator(".monaco-list-row", { hasText: last }).first().waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".tab.active", { hasText: last }).waitFor();
  },

  /** The text on the screen of the active editor, its tab and its language. */
  async editor() {
    const lines = page.locator(".editor-group-container.active .view-lines .view-line");
    const rows = await lines.evaluateAll((all) =>
      all
        .map((line) => [Number.parseFloat(line.style.top), line.textContent.replaceAll("\u00a0", " ")])
        .sort((a, b) => a[0] - b[0])
        .map(([, text]) => text),
    );
    const tab = page.locator(".editor-group-container.active .tab.active");
    return {
      text: rows.join("\n"),
      tab: (await tab.count()) === 0 ? "" : (await tab.first().getAttribute("data-resource-name")) ?? (await tab.first().innerText()),
      language: await page.locator('.statusbar-item[id="status.editor.mode"]').innerText().catch(() => ""),
    };
  },

  /** The lenses on the screen. */
  async lenses() {
    const shown = await page.locator(".codelens-decoration").allInnerTexts();
    return shown.map((text) => text.replaceAll("\u00a0", " ").trim()).filter((text) => text !== "");
  },

  async lens(words) {
    await page.locator(".codelens-decoration a", { hasText: words }).first().click();
  },

  /** What hovering over a word in the editor shows. */
  async hover(word) {
    await page.mouse.move(2, 2);
    const token = page.locator(".editor-group-container.active .view-line span", { hasText: word }).last();
    const box = await token.evaluate((span, text) => {
      const walker = document.createTreeWalker(span, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const at = node.data.indexOf(text);
        if (at < 0) continue;
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + text.length);
        const { x, y, width, height } = range.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      }
      return null;
    }, word);
    await page.mouse.move(box.x - 3, box.y);
    await page.mouse.move(box.x, box.y, { steps: 4 });
    return hoverText(".monaco-hover:not(.hidden)");
  },

  /** Clicks a link in the hover that is shown. */
  async hoverLink(text) {
    await page.locator(".monaco-hover:not(.hidden) a", { hasText: text }).first().click();
  },

  /** What a page of ours in the editor shows, and what in it could act or was drawn. */
  async page() {
    const body = pageFrame().locator("body");
    await body.locator("h1").waitFor();
    return {
      text: await body.innerText(),
      theme: (await body.getAttribute("class")) ?? "",
      pictures: await body.locator("img, a, iframe").count(),
      rows: await body.locator("table").last().locator("tr").evaluateAll((all) =>
        all.map((row) => [...row.cells].map((cell) => cell.innerText.trim())),
      ),
      names: await body.locator("svg[role=img] > title").allTextContents(),
      bars: await body.locator("svg[role=img] rect.saved, svg[role=img] rect.cost").count(),
    };
  },

  /** Presses a button of that page. */
  async pageButton(name) {
    await pageFrame().getByRole("button", { name }).click();
  },

  /** Lets that page try to reach the network and to run what is not its own. */
  async pageEscape(address) {
    return pageFrame().locator("body").evaluate(async (body, url) => {
      const reached = [];
      await fetch(url).then(() => reached.push("fetch"), () => undefined);
      const script = document.createElement("script");
      script.textContent = "window.sprung = true";
      body.append(script);
      if (window.sprung) reached.push("script");
      const picture = new Image();
      await new Promise((done) => {
        picture.onload = () => done(reached.push("picture"));
        picture.onerror = () => done();
        picture.src = url;
      });
      return reached;
    }, address);
  },

  /** Opens the quick fixes of the first line with a word and gives their names; takes one if named. */
  async fixes(word, take) {
    await page.locator(".editor-group-container.active .view-line", { hasText: word }).first().locator("span").first().click();
    await page.keyboard.press("ControlOrMeta+.");
    const rows = page.locator(".action-widget .monaco-list-row.action");
    await rows.first().waitFor({ timeout: 3000 }).catch(() => undefined);
    const names = await rows.allInnerTexts();
    if (names.some((name) => name.includes(take))) await rows.filter({ hasText: take }).first().click();
    else await page.keyboard.press("Escape");
    return names;
  },

  /** The text of the panel, the log for one. */
  async panel() {
    return (await panel().isVisible()) ? panel().innerText() : "";
  },

  /** What the editor's own preview of a larger edit says. */
  async refactoring() {
    await panel().locator(".monaco-list-row").first().waitFor();
    return panel().innerText();
  },

  /** Ticks the preview's first file, for nothing in it is by itself, and applies it. */
  async applyRefactoring() {
    const boxes = panel().locator(".monaco-list-row .monaco-checkbox");
    const allTicked = () => boxes.evaluateAll((all) => all.length > 0 && all.every((box) => box.ariaChecked === "true"));
    for (let times = 0; times < 20 && !(await allTicked()); times++) {
      if (times % 5 === 0) await boxes.first().click();
      await page.waitForTimeout(100);
    }
    await panel().getByText("Apply", { exact: true }).click();
  },

  /** Selects the lines from one with `first` in it to one with `last`. */
  async select(first, last = first) {
    const line = (words) => page.locator(".editor-group-container.active .view-line", { hasText: words }).first();
    const from = await line(first).locator("span").first().boundingBox();
    const to = await line(last).locator("span > span").last().boundingBox();
    await page.mouse.move(from.x + 1, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(to.x + to.width, to.y + to.height / 2, { steps: 5 });
    await page.mouse.up();
  },

  /** Keeps a picture, once what slides in has come to rest. */
  async shot(path) {
    const busy = page.locator(".statusbar-item", { hasText: "Activating Extensions" });
    await busy.waitFor({ state: "hidden" }).catch(() => undefined);
    await page.waitForTimeout(400);
    await page.screenshot({ path });
  },
};

function paneOf(view) {
  return page.locator(".pane", { has: page.locator(`.pane-header[aria-label^="${view}"]`) }).first();
}

function rowOf(view, label) {
  return paneOf(view).locator(".monaco-list-row", { hasText: label }).first();
}

function pageFrame() {
  return page.frameLocator("iframe.webview.ready").frameLocator("#active-frame");
}

function panel() {
  return page.locator(".part.panel");
}

function quick() {
  return page.locator(".quick-input-widget:not([style*='display: none'])");
}

function quickInput() {
  return quick().locator("input[type=text], .quick-input-filter input").first();
}

async function menuItem(action) {
  const item = page.locator(".context-view .action-menu-item, .monaco-menu .action-menu-item", { hasText: action }).first();
  await item.waitFor();
  // A menu takes no click in its first moment, lest the one that opened it chooses.
  await page.waitForTimeout(300);
  await item.click();
  await item.waitFor({ state: "detached" });
}

async function hoverText(selector) {
  const hover = page.locator(selector).last();
  await hover.waitFor();
  // A hover is filled by several providers; the slow ones come a moment later.
  await page.waitForTimeout(400);
  return {
    text: (await hover.innerText()).replaceAll("\u00a0", " "),
    links: await hover.locator("a[data-href]").evaluateAll((all) => all.map((one) => one.dataset.href)),
    pictures: await hover.locator("img").count(),
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { verb, args } = JSON.parse(line);
  let answer;
  try {
    answer = { result: (await verbs[verb](...args)) ?? null };
  } catch (error) {
    answer = { error: String(error.message ?? error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
