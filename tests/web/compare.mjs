// Same scene, same bits: runs tests/web/scene_hash.c as it was compiled for this machine and for WebAssembly, and
// compares the state hash of every shipped scene.
//
//     node tests/web/compare.mjs NATIVE WASM [STEPS [SCENE]]
//
// 1,000 steps when none are given, or the scene's own run if that is shorter, and of scenes that take a person's patience
// those in `fewer`.
// Times are told for those who look; they fail nothing. Ends with `N passed, M failed`.
import { execFile } from "node:child_process";
import { readFileSync, writeSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { WASI } from "node:wasi";

const fewer = { "domino-run": 100 };
const [native, wasm, ...rest] = process.argv.slice(2);

// This file runs itself for the second program, so that both run at a time.
if (native === "--run") {
    const wasi = new WASI({ version: "preview1", args: ["scene_hash", ...rest], returnOnExit: true });
    const module = await WebAssembly.compile(readFileSync(wasm));
    const imports = { wasi_snapshot_preview1: wasi.wasiImport };
    process.exit(wasi.start(await WebAssembly.instantiate(module, imports)));
}

function run(program, words) {
    return new Promise((resolve) => {
        execFile(program, words, { maxBuffer: 1 << 24 }, (error, output, complaints) => {
            const rows = new Map();
            for (const line of output.trim().split("\n")) {
                const [name, steps, hash, time, policy] = line.split(" ");
                rows.set(name, { line, steps, hash, time: Number(time), policy });
            }
            resolve({ rows, complaints, code: error ? error.code : 0 });
        });
    });
}

const self = fileURLToPath(import.meta.url);
const words = rest.length > 0 ? rest : ["1000", ...Object.entries(fewer).map(([name, steps]) => `${name}=${steps}`)];
const [here, there] = await Promise.all([
    run(native, words),
    run(process.execPath, ["--no-warnings", self, "--run", wasm, ...words]),
]);
let passed = 0;
let failed = here.code === 0 && there.code === 0 && here.rows.size === there.rows.size ? 0 : 1;
for (const [name, row] of here.rows) {
    const other = there.rows.get(name);
    if (other && other.hash === row.hash && other.steps === row.steps) {
        passed += 1;
        const ratio = (other.time / Math.max(row.time, 0.1)).toFixed(2);
        console.log(`${name}: ${row.hash} in both, ${row.steps} steps (${row.policy}), time ${ratio} of native`);
    } else {
        failed += 1;
        console.log(`${name} differs:\n    native       ${row.line}\n    WebAssembly  ${other?.line}`);
    }
}
writeSync(1, there.complaints + here.complaints);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
