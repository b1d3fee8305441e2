/** What the extension and the net's page say to each other. */
import type { Figures } from "./figures";

export interface ToPage {
  readonly kind: "figures";
  readonly figures: Figures;
  readonly project: string;
  readonly locale: string;
  /** Translations by the English text; what is not in it stays English. */
  readonly words: Readonly<Record<string, string>>;
  /** Why there are no newer figures; "" when all is well. */
  readonly trouble: string;
}

export type FromPage =
  | { readonly kind: "ready" }
  | { readonly kind: "refresh" }
  | { readonly kind: "enable"; readonly role: string; readonly feature: string };

/** Reads what a page sent; undefined for anything that no page of ours sends. */
export function fromPage(value: unknown): FromPage | undefined {
  const { kind, role, feature } = (value ?? {}) as Record<string, unknown>;
  if (kind === "ready" || kind === "refresh") return { kind };
  if (kind !== "enable" || typeof role !== "string" || typeof feature !== "string") return undefined;
  return { kind, role, feature };
}
