// Bundles the extension with its language client into one file.
import { build } from "esbuild";

await build({
  entryPoints: ["src/extension.ts"],
  outfile: "out/extension.js",
  bundle: true,
  external: ["vscode"],
  format: "cjs",
  platform: "node",
  target: "node20",
  minify: true,
  sourcemap: process.argv.includes("--sourcemap"),
  legalComments: "linked",
  logLevel: "warning",
});
