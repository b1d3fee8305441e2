/** Memory used (I1): every injection by session, down to the items and their scores. */
import type { Ibid } from "../context";
import * as wire from "../protocol";
import { itemRow, receiptRow } from "../records";
import { sessionName } from "../rows";
import { clean } from "../labels";
import { leaf, here, Tree, type Node } from "./tree";

export function createReceipts(ibid: Ibid): Tree<wire.Receipt> {
  const titles = new Map<string, string>();
  return new Tree<wire.Receipt>(ibid, {
    id: "ibid.receipts",
    follows: ["receipts"],
    async fetch(offset, limit) {
      const page = await ibid.ask(wire.receipt.list, { offset, limit });
      await learnTitles(ibid, page.receipts, titles);
      return { rows: page.receipts, total: page.total };
    },
    arrange: (values) => bySession(values).map((receipts) => sessionNode(ibid, receipts, titles)),
  });
}

/* Receipts name their session by id; a person knows it by its title. */
async function learnTitles(
  ibid: Ibid,
  receipts: readonly wire.Receipt[],
  titles: Map<string, string>,
): Promise<void> {
  if (receipts.every((receipt) => titles.has(receipt.session))) return;
  const { sessions } = await ibid.ask(wire.session.list, { limit: 200 });
  for (const one of sessions) titles.set(one.session, sessionName(one, here(ibid).t));
}

function bySession(receipts: readonly wire.Receipt[]): (readonly wire.Receipt[])[] {
  const groups = new Map<string, wire.Receipt[]>();
  for (const receipt of receipts) {
    const group = groups.get(receipt.session);
    if (group === undefined) groups.set(receipt.session, [receipt]);
    else group.push(receipt);
  }
  return [...groups.values()];
}

function sessionNode(
  ibid: Ibid,
  receipts: readonly wire.Receipt[],
  titles: ReadonlyMap<string, string>,
): Node {
  const first = receipts[0];
  const session = first?.session ?? "";
  return {
    row: {
      id: `session/${session}`,
      label: titles.get(session) ?? sessionName({ title: null, agent: first?.agent ?? null, session }, here(ibid).t),
      description: clean(first?.agent ?? "", 40),
      icon: "comment-discussion",
    },
    children: () => receipts.map((receipt) => receiptNode(ibid, receipt)),
    expanded: true,
  };
}

function receiptNode(ibid: Ibid, value: wire.Receipt): Node<wire.Receipt> {
  return {
    row: receiptRow(value, here(ibid)),
    value,
    ...(value.items.length === 0
      ? {}
      : { children: () => value.items.map((item) => leaf(itemRow(value.id, item, here(ibid)))) }),
  };
}
