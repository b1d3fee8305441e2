/** Words and numbers of the net's page, in the language of the editor. */
import { cleanLines, shortDate, type Translate } from "../labels";

export interface Words {
  readonly t: Translate;
  count(tokens: number): string;
  signed(tokens: number): string;
  /** A day of the form 2026-11-30, or a moment in milliseconds. */
  date(day: string | number): string;
}

/** Makes the words of a language from its translations; what is missing stays English. */
export function wordsOf(translations: Readonly<Record<string, string>>, locale: string, now: number): Words {
  const format = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const count = (tokens: number): string => format.format(tokens);
  return {
    t: (message, ...values) =>
      (translations[message] ?? message).replace(/\{(\d)\}/g, (_, at: string) => String(values[Number(at)] ?? "")),
    count,
    signed: (tokens) => (tokens < 0 ? `−${count(-tokens)}` : tokens > 0 ? `+${count(tokens)}` : "0"),
    date: (day) => shortDate(typeof day === "number" ? day : Date.parse(`${day}T12:00`), now, locale),
  };
}

/** A server's text, one line, without characters that could mislead. */
export function plain(text: string): string {
  return cleanLines(text, 400).replace(/\s+/gu, " ");
}
