/** What a row says of an archived text: what an agent saw, word for word (M2).  Pure. */
import { ago, clean, cleanLines, dotted } from "./labels";
import type { Hit } from "./protocol";
import { belowRoot, documentOf, sessionName, type Here, type Row } from "./rows";

/** A hit in the archive: its title, what matched, and where an agent saw it. */
export function archivedRow(of: Hit, on: Here): Row {
  const { t } = on;
  const [first, text] = headed(of.text);
  const title = belowRoot(first, on.root);
  const { source } = of;
  const at = source?.at ?? null;
  return {
    id: of.id,
    label: clean(title, 160) || t("(empty)"),
    description: dotted(
      kindName(of.category ?? "", on),
      source !== null && sessionName(source, t),
      at !== null && ago(at, on.now, t, on.locale),
    ),
    tooltip: [
      cleanLines(title, 400),
      cleanLines(text, 1200),
      source === null ? "" : t("Seen in turn {0} of “{1}”", source.turn, sessionName(source, t)),
      matchName(of.matched, on),
    ],
    icon: archivedIcon(of.category ?? ""),
    context: "archived",
    open: documentOf(on, "archive", of.handle ?? of.id),
  };
}

/* The server puts the title, if there is one, on a line of its own before the text. */
function headed(text: string): [title: string, rest: string] {
  const end = text.indexOf("\n");
  return end < 0 ? [text, ""] : [text.slice(0, end), text.slice(end + 1)];
}

export function archivedIcon(kind: string): string {
  const icons: Partial<Record<string, string>> = {
    read: "file",
    write: "edit",
    edit: "edit",
    exec: "terminal",
    search: "search",
    web: "globe",
    agent: "hubot",
  };
  return icons[kind] ?? "archive";
}

export function kindName(kind: string, { t }: Here): string {
  const names: Partial<Record<string, string>> = {
    read: t("read"),
    write: t("written"),
    edit: t("edited"),
    exec: t("command"),
    search: t("search"),
    web: t("from the web"),
    agent: t("by a subagent"),
    other: t("other tool"),
  };
  return names[kind] ?? clean(kind, 30);
}

function matchName(matched: Hit["matched"], { t }: Here): string {
  return { all: "", some: t("Has some of the words"), spelling: t("Has similar words") }[matched];
}
