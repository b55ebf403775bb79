// Bundles each tests/*.test.ts for node and runs them with node's own test runner: no browser, no DOM.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const names = readdirSync(here).filter((name) => name.endsWith(".test.ts"));
const out = mkdtempSync(join(tmpdir(), "sinew-page-"));
try {
    await build({
        entryPoints: names.map((name) => join(here, name)), outdir: out, bundle: true, platform: "node", format: "esm",
        outExtension: { ".js": ".mjs" }, logLevel: "warning",
    });
    const files = names.map((name) => join(out, name.replace(/\.ts$/, ".mjs")));
    process.exitCode = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" }).status ?? 1;
} finally {
    rmSync(out, { recursive: true, force: true });
}
