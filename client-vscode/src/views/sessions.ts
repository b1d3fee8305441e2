/** The sessions of all agents in the project, each with its memory preset (H1). */
import type { Ibid } from "../context";
import * as wire from "../protocol";
import { sessionRow } from "../records";
import { here, Tree } from "./tree";

export function createSessions(ibid: Ibid): Tree<wire.Session> {
  return new Tree<wire.Session>(ibid, {
    id: "ibid.sessions",
    follows: ["turns", "policy"],
    async fetch(offset, limit) {
      const page = await ibid.ask(wire.session.list, { offset, limit });
      return { rows: page.sessions, total: page.total };
    },
    arrange: (values) => values.map((value) => ({ row: sessionRow(value, here(ibid)), value })),
  });
}
