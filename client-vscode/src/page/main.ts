/**
 * The net's page (P2, P3): figures in, elements out.  Runs in a frame of its own with
 * no network; every word of the server's is set as text.
 */
import { chart, spanName } from "./chart";
import { drawn, element, type Child } from "./elements";
import { spansOf, sumsOf, type Figures, type Line, type Span } from "./figures";
import type { FromPage, ToPage } from "./messages";
import { plain, wordsOf, type Words } from "./words";

declare function acquireVsCodeApi(): { postMessage(message: FromPage): void };

const editor = acquireVsCodeApi();

window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
  const words = wordsOf(data.words, data.locale, Date.now());
  const page = document.querySelector("main");
  if (page === null) return;
  const open = page.querySelector("details")?.open === true;
  const focused = document.activeElement?.id ?? "";
  page.replaceChildren(...body(data, words));
  const details = page.querySelector("details");
  if (details !== null) details.open = open;
  if (focused !== "") document.getElementById(focused)?.focus();
});
editor.postMessage({ kind: "ready" });

function body({ figures, project, trouble }: ToPage, words: Words): Child[] {
  const { t } = words;
  const heading = element("h1", {}, t("Net of cost and saving"));
  const about = element("p", { class: "about" }, plain(project), " · ", t("tokens, estimated by {0}", plain(figures.estimator) || "–"));
  const refresh = element("button", { id: "refresh", class: "quiet" }, t("Refresh"));
  refresh.addEventListener("click", () => {
    editor.postMessage({ kind: "refresh" });
  });
  const header = element("header", {}, element("div", {}, heading, about), refresh);
  const said = trouble === "" ? [] : [element("p", { class: "trouble", role: "alert" }, plain(trouble))];
  if (figures.lines.length === 0) {
    const nothing = t("Nothing was given or withheld yet. Each cost and each measured saving is summed up here.");
    return [header, ...said, element("p", { class: "empty" }, nothing)];
  }
  return [header, ...said, tiles(figures, words), ...demoted(figures, words), ...overTime(figures, words), features(figures, words), legend(figures, words)];
}

// -- the sums --------------------------------------------------------------------

function tiles({ lines }: Figures, words: Words): HTMLElement {
  const { t } = words;
  const sums = sumsOf(lines);
  const tile = (name: string, value: string, kind = ""): HTMLElement =>
    element("div", { class: `tile ${kind}` }, element("dt", {}, name), element("dd", {}, value));
  return element(
    "dl",
    { class: "tiles" },
    tile(t("Measured saving"), words.count(sums.saved)),
    tile(t("Its cost"), words.count(sums.cost)),
    tile(t("Net"), words.signed(sums.net), sums.net < 0 ? "loss" : "gain"),
    tile(t("Cost without a measure"), words.count(sums.unmeasured), "unknown"),
  );
}

// -- what was switched off -------------------------------------------------------

function demoted({ lines }: Figures, words: Words): Child[] {
  const off = lines.filter((line) => line.state === "demoted");
  if (off.length === 0) return [];
  const heading = element("h2", { id: "off" }, words.t("Switched off, because it cost more than it saved"));
  const list = element("ul", { class: "demoted" }, ...off.map((line, at) => demotedItem(line, at, words)));
  return [element("section", { "aria-labelledby": "off" }, heading, list)];
}

function demotedItem(line: Line, at: number, words: Words): HTMLElement {
  const { t } = words;
  const name = element("strong", {}, `${plain(line.feature)} · ${roleName(line, words)}`);
  const facts = [
    line.at === null ? "" : t("since {0}", words.date(line.at)),
    line.lower === null ? "" : t("net of a sample at least {0}", words.signed(line.lower)),
    plain(line.reason),
  ].filter((fact) => fact !== "");
  const button = element("button", { id: `enable-${at}`, "aria-label": t("Turn {0} back on for {1}", plain(line.feature), roleName(line, words)) }, t("Turn back on"));
  button.addEventListener("click", () => {
    button.disabled = true;
    editor.postMessage({ kind: "enable", role: line.role, feature: line.feature });
  });
  return element("li", {}, element("div", {}, name, element("p", {}, facts.join(" · "))), button);
}

function roleName(line: Line, words: Words): string {
  return plain(line.role) || words.t("all roles");
}

// -- over time -------------------------------------------------------------------

function overTime({ days }: Figures, words: Words): Child[] {
  const spans = spansOf(days);
  if (spans.length === 0) return [];
  const { t } = words;
  const key = (kind: string, name: string): HTMLElement => element("li", {}, swatch(kind), name);
  return [
    element(
      "section",
      { "aria-labelledby": "time" },
      element("h2", { id: "time" }, t("Cost against saving over time")),
      chart(spans, words),
      element("ul", { class: "key" }, key("saved", t("saved")), key("cost", t("cost")), key("net", t("net"))),
      element("details", {}, element("summary", { id: "figures" }, t("The figures as a table")), spanTable(spans, words)),
    ),
  ];
}

function swatch(kind: string): SVGElement {
  const thin = kind === "net" ? { y: 4, height: 4 } : { height: 12 };
  const shape = drawn("rect", { class: kind, width: 12, ...thin });
  return drawn("svg", { class: "swatch", viewBox: "0 0 12 12", "aria-hidden": "true" }, shape);
}

function spanTable(spans: readonly Span[], words: Words): HTMLElement {
  const { t } = words;
  const row = (span: Span): HTMLElement =>
    element("tr", {}, element("th", { scope: "row" }, spanName(span, words)), ...[words.count(span.saved), words.count(span.cost), words.signed(span.net)].map(figure));
  return scrolled(t("Cost against saving over time"), [
    headings([t("Day"), t("Saved"), t("Cost"), t("Net")]),
    element("tbody", {}, ...spans.filter((span) => span.saved !== 0 || span.cost !== 0).map(row)),
  ]);
}

// -- by role and feature ---------------------------------------------------------

function features({ lines }: Figures, words: Words): HTMLElement {
  const { t } = words;
  const names = [t("Feature"), t("Gross"), t("Bounced"), t("Cost"), t("Net"), t("Samples"), t("State")];
  const widest = Math.max(1, ...lines.filter((line) => !line.unknown).map((line) => Math.abs(line.net)));
  const roles = [...new Set(lines.map((line) => line.role))];
  const groups = roles.map((role) => {
    const own = lines.filter((line) => line.role === role);
    const title = own[0] === undefined ? "" : roleName(own[0], words);
    const head = element("tr", {}, element("th", { scope: "rowgroup", colspan: String(names.length), class: "role" }, title));
    return element("tbody", {}, head, ...own.map((line) => featureRow(line, widest, words)));
  });
  return element(
    "section",
    { "aria-labelledby": "features" },
    element("h2", { id: "features" }, t("By agent and feature")),
    scrolled(t("By agent and feature"), [headings(names), ...groups]),
  );
}

function featureRow(line: Line, widest: number, words: Words): HTMLElement {
  const { t } = words;
  const unknown = t("unknown");
  const net = line.unknown
    ? element("td", { class: "figure unknown" }, unknown)
    : element("td", { class: `figure ${line.net < 0 ? "loss" : "gain"}` }, bar(line.net / widest), element("span", { class: "net-figure" }, words.signed(line.net)));
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, plain(line.feature)),
    figure(line.unknown ? unknown : words.count(line.gross)),
    figure(line.bounced === 0 ? "0" : words.signed(-line.bounced)),
    figure(words.count(line.cost)),
    net,
    figure(words.count(line.samples)),
    element("td", { class: "state" }, stateName(line, words), ...why(line, words)),
  );
}

function why({ reason, estimate }: Line, words: Words): HTMLElement[] {
  const compared =
    estimate === null
      ? ""
      : words.t(
          "by the control group: net {0} a session, between {1} and {2}",
          words.signed(estimate.net),
          words.signed(estimate.low),
          words.signed(estimate.high),
        );
  return [plain(reason), compared].filter((line) => line !== "").map((line) => element("span", { class: "why" }, line));
}

/* Only shows again what the figure beside it says. */
function bar(part: number): SVGElement {
  const wide = Math.max(1, Math.abs(part) * 40);
  const rect = drawn("rect", { class: part < 0 ? "cost" : "saved", x: part < 0 ? 40 - wide : 40, width: wide, height: 10 });
  const zero = drawn("line", { class: "zero", x1: 40, x2: 40, y1: 0, y2: 10 });
  return drawn("svg", { class: "bar", viewBox: "0 0 80 10", "aria-hidden": "true" }, rect, zero);
}

function stateName(line: Line, { t }: Words): string {
  const names: Partial<Record<string, string>> = { on: t("on"), measuring: t("measuring only"), demoted: t("switched off") };
  return names[line.state] ?? plain(line.state);
}

function legend({ control }: Figures, { t }: Words): HTMLElement {
  const lines = [
    t("Gross is text that was withheld or need not be asked for again; bounced is what was asked for again all the same; cost is every text that Ibid added, times the requests that carry it."),
    t("What has no counterfactual counts as no saving, and is called unknown. Only a measured loss switches a feature off."),
    control > 0 ? t("Control group: {0} % of sessions go without a feature, to compare.", control) : t("No control group: nothing is withheld to compare."),
  ];
  return element("footer", {}, ...lines.map((line) => element("p", {}, line)));
}

// -- tables ----------------------------------------------------------------------

/* A wide table scrolls by itself, by keyboard too. */
function scrolled(name: string, children: readonly HTMLElement[]): HTMLElement {
  return element("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": name }, element("table", {}, element("caption", {}, name), ...children));
}

function headings(names: readonly string[]): HTMLElement {
  const cell = (name: string, at: number): HTMLElement =>
    element("th", { scope: "col", class: at === 0 || at === 6 ? undefined : "figure" }, name);
  return element("thead", {}, element("tr", {}, ...names.map(cell)));
}

function figure(value: string): HTMLElement {
  return element("td", { class: "figure" }, value);
}
