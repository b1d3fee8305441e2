/** The real surroundings for `locate.ts`: files, settings, the Python extension. */
import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { homedir } from "node:os";
import * as vscode from "vscode";

import type { Surroundings } from "./locate";

export function surroundings(log: vscode.LogOutputChannel): Surroundings {
  return {
    setting: ownSetting(),
    trusted: vscode.workspace.isTrusted,
    folders: (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath),
    platform: process.platform,
    home: homedir(),
    env: process.env,
    isExecutable,
    interpreter: () => selectedInterpreter(log),
    hasServer,
  };
}

/* The person's own value alone: right after installation, before the setting is known
   to be machine-scoped, a workspace's value would be among the effective ones. */
function ownSetting(): string {
  const values = vscode.workspace.getConfiguration("ibid").inspect<string>("server.path");
  return typeof values?.globalValue === "string" ? values.globalValue.trim() : "";
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, process.platform === "win32" ? constants.F_OK : constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

interface PythonApi {
  environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(
      path: unknown,
    ): Promise<{ executable: { uri: vscode.Uri | undefined } } | undefined>;
  };
}

async function selectedInterpreter(log: vscode.LogOutputChannel): Promise<string | undefined> {
  const python = vscode.extensions.getExtension<PythonApi>("ms-python.python");
  if (python === undefined) return undefined;
  try {
    const { environments } = await python.activate();
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const selected = await environments.resolveEnvironment(environments.getActiveEnvironmentPath(folder));
    return selected?.executable.uri?.fsPath;
  } catch (error) {
    log.warn(`The Python extension named no interpreter: ${String(error)}`);
    return undefined;
  }
}

/* `-I` keeps the workspace off the module path, `-c` starts nothing of the server. */
function hasServer(python: string): Promise<boolean> {
  const probe = "import importlib.util, sys; sys.exit(importlib.util.find_spec('ibid.faces') is None)";
  return new Promise((resolve) => {
    execFile(python, ["-I", "-c", probe], { timeout: 10_000, windowsHide: true }, (error) => {
      resolve(error === null);
    });
  });
}
