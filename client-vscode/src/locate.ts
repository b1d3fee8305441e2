/**
 * Where the server is.  Pure: the caller brings the surroundings.
 *
 * 1. The setting `ibid.server.path`.  It is machine-scoped, so no workspace can set
 *    it; if it names nothing, that is said and nothing else is tried.
 * 2. `ibid` on the PATH, then in the places where `uv tool`, `pipx` and
 *    `pip --user` put commands, which a desktop session often has not on its PATH.
 * 3. `python -m ibid` of the interpreter selected in the Python extension, if that
 *    has the package.
 * 4. Nothing: an install command to show, with a button that runs it.
 *
 * In a workspace without trust nothing is taken that lies inside of it, and its
 * interpreter is not asked (the interpreter itself may be the workspace's).
 */

export interface Surroundings {
  readonly setting: string;
  readonly trusted: boolean;
  readonly folders: readonly string[];
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether that path is a file that may be executed. */
  isExecutable(path: string): Promise<boolean>;
  /** The interpreter the Python extension has selected for the workspace. */
  interpreter(): Promise<string | undefined>;
  /** Whether that interpreter can import the server. */
  hasServer(python: string): Promise<boolean>;
}

export interface Found {
  readonly kind: "found";
  readonly command: string;
  readonly args: readonly string[];
  readonly via: "setting" | "path" | "interpreter";
}

export interface Missing {
  readonly kind: "missing";
  /** Set when the setting names something that cannot be started. */
  readonly wrongSetting: string | null;
  /** The command that installs the server, as a person would type it. */
  readonly install: string;
}

/** Resolves the server's command in the order given above. */
export async function locate(around: Surroundings): Promise<Found | Missing> {
  if (around.setting !== "") {
    const command = expandHome(around.setting, around.home);
    return (await around.isExecutable(command))
      ? found(command, [], "setting")
      : { kind: "missing", wrongSetting: command, install: await installCommand(around) };
  }
  const onPath = await which("ibid", around);
  if (onPath !== undefined) return found(onPath, [], "path");
  const python = around.trusted ? await around.interpreter() : undefined;
  if (python !== undefined && (await around.hasServer(python))) {
    return found(python, ["-m", "ibid"], "interpreter");
  }
  return { kind: "missing", wrongSetting: null, install: await installCommand(around) };
}

function found(command: string, before: readonly string[], via: Found["via"]): Found {
  return { kind: "found", command, args: [...before, "lsp"], via };
}

/** The best way to install a Python tool here: uv, else pipx, else pip. */
export async function installCommand(around: Surroundings): Promise<string> {
  if ((await which("uv", around)) !== undefined) return "uv tool install ibid-memory";
  if ((await which("pipx", around)) !== undefined) return "pipx install ibid-memory";
  const python = around.platform === "win32" ? "py" : "python3";
  return `${python} -m pip install --user ibid-memory`;
}

/** Finds a command as a shell would, but never by a relative PATH entry. */
export async function which(name: string, around: Surroundings): Promise<string | undefined> {
  for (const folder of searchFolders(around)) {
    for (const ending of endings(around)) {
      const path = joinPath(around.platform, folder, name + ending);
      if (await around.isExecutable(path)) return path;
    }
  }
  return undefined;
}

function searchFolders(around: Surroundings): string[] {
  const windows = around.platform === "win32";
  const listed = (around.env.PATH ?? around.env.Path ?? "").split(windows ? ";" : ":");
  const usual = [joinPath(around.platform, around.home, ".local", "bin")];
  return [...listed, ...usual].filter(
    (folder) => isAbsolute(around.platform, folder) && (around.trusted || !isInside(folder, around)),
  );
}

function endings(around: Surroundings): string[] {
  if (around.platform !== "win32") return [""];
  // Batch files need a shell to start them, so they do not count.
  return [".exe"];
}

function isInside(folder: string, around: Surroundings): boolean {
  const fold = (path: string): string => {
    const slashed = around.platform === "win32" ? path.replaceAll("\\", "/").toLowerCase() : path;
    return slashed.endsWith("/") ? slashed : `${slashed}/`;
  };
  return around.folders.some((root) => fold(folder).startsWith(fold(root)));
}

function isAbsolute(platform: NodeJS.Platform, path: string): boolean {
  return platform === "win32" ? /^[a-z]:[\\/]|^\\\\/i.test(path) : path.startsWith("/");
}

function joinPath(platform: NodeJS.Platform, ...parts: string[]): string {
  const separator = platform === "win32" ? "\\" : "/";
  return parts.map((part, at) => (at === 0 ? part.replace(/[\\/]+$/, "") : part)).join(separator);
}

function expandHome(path: string, home: string): string {
  return /^~(?=[\\/]|$)/.test(path) ? home + path.slice(1) : path;
}

/** Whether client and server of these versions were made for each other. */
export function sameVersion(client: string, server: string): boolean {
  return client.split(/[-+]/)[0] === server.split(/[-+]/)[0];
}
