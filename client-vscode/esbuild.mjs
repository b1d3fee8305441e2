// Bundles the extension with its language client into one file, and the net's page into
// a script and a style sheet.
import { build } from "esbuild";

const shared = {
  bundle: true,
  minify: true,
  sourcemap: process.argv.includes("--sourcemap"),
  legalComments: "linked",
  logLevel: "warning",
};

await build({
  ...shared,
  entryPoints: ["src/extension.ts"],
  outfile: "out/extension.js",
  external: ["vscode"],
  format: "cjs",
  platform: "node",
  target: "node20",
});

await build({
  ...shared,
  entryPoints: ["src/page/main.ts", "src/page/net.css"],
  outdir: "out/page",
  format: "iife",
  platform: "browser",
  target: "es2022",
});
