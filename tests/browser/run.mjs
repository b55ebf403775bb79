// The live view as a visitor uses it, in Chromium, with both engines.
//
//     node tests/browser/run.mjs [native|wasm]... [PART]...
//
// Parts: scenes steer files hands breath edit own unframed dropped door phone drops counters leftovers follow bending look hang loud figures, and
// pictures of the main views for somebody to look at, which are only taken when asked for. Ends with `N passed, M failed`.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { joinSounds, NativeServer, root, startBrowser, StaticServer } from "./browser.mjs";
import { bending, counters, drops, follow, hang, leftovers, loud } from "./corners.mjs";
import { figures } from "./figures.mjs";
import { look } from "./look.mjs";
import { door, edit, files, scenes, steer } from "./page.mjs";
import { dropped, own, unframed } from "./own.mjs";
import { pictures } from "./pictures.mjs";
import { breath, hands, phone } from "./touch.mjs";

const parts = {
    scenes, steer, files, hands, breath, edit, own, unframed, dropped, door, phone, drops, counters, leftovers, follow, bending, look, hang, loud,
    figures, pictures,
};
const wanted = process.argv.slice(2);
const engines = ["native", "wasm"].filter((name) => !wanted.some((word) => ["native", "wasm"].includes(word)) || wanted.includes(name));
const unasked = Object.keys(parts).filter((name) => name !== "pictures");
const names = wanted.some((word) => word in parts) ? Object.keys(parts).filter((name) => wanted.includes(name)) : unasked;
for (const word of wanted) {
    if (!(word in parts) && !["native", "wasm"].includes(word)) {
        console.log(`there is no part '${word}', expected native, wasm or one of: ${Object.keys(parts).join(" ")}`);
        process.exit(2);
    }
}

let passed = 0;
let failed = 0;

// One check of a part; `seen` is shown when it fails.
function checker(where) {
    return (what, good, seen) => {
        passed += good ? 1 : 0;
        failed += good ? 0 : 1;
        if (!good) {
            const text = seen === undefined ? "" : `: ${typeof seen === "string" ? seen : JSON.stringify(seen)}`;
            console.log(`FAILED  ${where}: ${what}${text.slice(0, 600)}`);
        }
    };
}

const folder = mkdtempSync(join(tmpdir(), "sinew-browser-"));
const pictureFolder = join(root, "build/browser");
mkdirSync(pictureFolder, { recursive: true });
const sound = join(folder, "silence-then-blow.wav");
const breaths = join(root, "scenes/breaths");
writeFileSync(sound, joinSounds(join(breaths, "silence.wav"), join(breaths, "hard-blow.wav")));

const world = { folder, pictureFolder, figures: {}, servers: {}, costs: {} };
const browsers = {}; // one for each engine, so that both can be used at a time
// Parts that measure time or look, and one whose engine takes a whole core, with those it kept waiting.
const alone = ["phone", "drops", "hang", "breath", "loud", "figures", "pictures"];

// What the page looked like when a part failed; pages left open are closed.
async function photograph(browser, path) {
    for (const context of browser.contexts()) {
        const page = context.pages()[0];
        await page?.screenshot({ path, timeout: 10000 }).catch(() => {});
        const told = await page?.evaluate(() => document.getElementById("errors")?.innerText).catch(() => "");
        if (told) {
            console.log(`the page said: ${told}`);
        }
        await context.close().catch(() => {});
    }
}

async function run(name, engine) {
    const start = performance.now();
    const check = checker(`${engine} ${name}`);
    try {
        await parts[name]({ ...world, browser: browsers[engine] }, engine, check);
    } catch (error) {
        await photograph(browsers[engine], join(pictureFolder, `failed-${engine}-${name}.png`));
        check("goes through", false, `${error.message} ${error.stack?.split("\n").find((line) => line.includes("tests/browser/")) ?? ""}`);
    }
    console.log(`${engine} ${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

let ending = null;
async function end() {
    ending ??= (async () => {
        await Promise.all(Object.values(browsers).map((browser) => browser.close().catch(() => {})));
        await Promise.all(Object.values(world.servers).map((server) => server.end()));
        rmSync(folder, { recursive: true, force: true });
    })();
    await ending;
}
process.on("SIGTERM", () => void end().then(() => {
    console.log("it took too long");
    console.log(`${passed} passed, ${failed + 1} failed`);
    process.exit(1);
}));

try {
    world.servers.native = await NativeServer.start("steel-fish", { folder });
    world.servers.wasm = await StaticServer.start(join(root, "build/web"));
    for (const engine of engines) {
        browsers[engine] = await startBrowser(sound);
    }
    await Promise.all(engines.map(async (engine) => {
        for (const name of names.filter((part) => !alone.includes(part))) {
            await run(name, engine);
        }
    }));
    for (const name of names.filter((part) => alone.includes(part))) {
        for (const engine of engines) {
            await run(name, engine);
        }
    }
} catch (error) {
    console.log(`FAILED  ${error.stack}`);
    failed += 1;
} finally {
    await end();
}
for (const [what, value] of Object.entries(world.figures)) {
    console.log(`figure: ${what}: ${value}`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
