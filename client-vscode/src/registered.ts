/**
 * Whether an editor's list of MCP servers has Ibid's already, under whatever name.
 * Pure: the caller reads files and settings.
 */

/** Whether a configuration file, JSON with comments, starts Ibid's MCP server. */
export function startsIbid(text: string): boolean {
  return hasIbid(parseLoose(text));
}

/** Whether one of the servers of a parsed configuration is Ibid's. */
export function hasIbid(config: unknown): boolean {
  if (!isRecord(config)) return false;
  const nested = isRecord(config.mcp) ? [config.mcp.servers] : [];
  const lists = [config.servers, config.mcpServers, ...nested].filter(isRecord);
  return lists.some((servers) => Object.values(servers).some(isIbid));
}

/* By what it runs, for a name says nothing: `ibid mcp`, `uvx … ibid mcp`, `python -m ibid mcp`. */
function isIbid(server: unknown): boolean {
  if (!isRecord(server)) return false;
  const args = Array.isArray(server.args) ? server.args : [];
  const words = [server.command, ...(args as unknown[])].filter((word) => typeof word === "string");
  const at = words.findIndex((word) => /(?:^|[\\/])ibid(?:-memory)?(?:\.exe)?$/i.test(word));
  return at >= 0 && words.slice(at + 1).includes("mcp");
}

/** Reads JSON with comments and trailing commas; undefined if it is none. */
export function parseLoose(text: string): unknown {
  const bare = text.replace(/^\ufeff/, "").replace(tokens, (found) => (found.startsWith("/") ? " " : found));
  try {
    return JSON.parse(bare.replace(trailing, (found) => (found.startsWith(",") ? found.slice(1) : found)));
  } catch {
    return undefined;
  }
}

/* Strings come first, so that what looks like a comment in one is left alone.  What is
   never closed ends with the text: each character is looked at once. */
const string = `"(?:[^"\\\\\\n]|\\\\.)*"?`;
const tokens = new RegExp(`${string}|//[^\\n]*|/\\*[^]*?(?:\\*/|$)`, "g");
const trailing = new RegExp(`${string}|,\\s*[}\\]]`, "g");

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
