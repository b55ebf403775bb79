// Figures that are promised: printed always, checked with slack, for machines that test are busy.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { root, View } from "./browser.mjs";

const slack = 4; // times what is promised, where only the speed of the machine is in question

function median(values) {
    return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function allFiles(folder) {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? allFiles(join(folder, entry.name)) : [join(folder, entry.name)]);
}

// A browser that has painted something, so that its own start is not counted as the page's.
async function settle(browser) {
    const page = await browser.newPage();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await page.close();
}

async function firstMotion(view) {
    await view.until("time goes on", () =>
        window.tap.shown.some((entry) => entry.at !== null && entry.time > window.tap.shown[0].time));
    const running = await view.get(() => window.tap.shown.find((entry) => entry.at !== null && entry.time > window.tap.shown[0].time).at / 1000);
    await view.until("something has moved", () => window.tap.first.shownAt !== null);
    await view.until("there are bars", () => window.tap.barsAt !== null);
    return { running, ...await view.get(() => ({ moved: window.tap.first.shownAt / 1000, bars: window.tap.barsAt / 1000 })) };
}

// Milliseconds that the engine works for a step, over the same steps whatever the engine, faster than real time.
async function costOfStep(view, scene, first, last) {
    await view.scene(scene);
    await view.until(`${scene} has taken ${last} steps`, (count) => window.tap.frame?.step >= count, last);
    return view.get(([from, to]) => {
        const { steps, engine } = window.tap;
        const start = steps.findIndex((step) => step >= from);
        const end = steps.findIndex((step) => step >= to);
        return engine.slice(start + 1, end + 1).reduce((sum, value) => sum + value, 0) / (steps[end] - steps[start]);
    }, [first, last]);
}

// First and last step that count. Before the first a browser is still compiling what runs often, ever better.
const compared = { "steel-fish": [6000, 12000], "box-pile": [30, 60] };

export async function figures(world, engine, check) {
    const { browser, servers } = world;
    const told = world.figures;
    await settle(browser);
    const view = await View.open(browser, servers[engine].address);
    const { running, moved, bars } = await firstMotion(view);
    told[`${engine}: after opening the page`] =
        `time runs after ${running.toFixed(2)} s, something is seen to have moved after ${moved.toFixed(2)} s, bars are there after ${bars.toFixed(2)} s`;
    check("first motion within 3 s", running < 3 * slack && moved < 3 * slack, { running, moved });

    await view.scene("steel-fish");
    await view.sleep(500);
    await view.get(() => {
        window.tap.engine.length = window.tap.steps.length = window.tap.arrivals.length = 0;
    });
    await view.sleep(2000);
    const { engineTimes, arrivals, reached } = await view.get(() => ({
        engineTimes: window.tap.engine, arrivals: window.tap.arrivals, reached: window.tap.status.reached,
    }));
    const rate = (arrivals.length - 1) / ((arrivals.at(-1) - arrivals[0]) / 1000);
    const share = median(engineTimes);
    told[`${engine}: Steel Fish at real time`] =
        `${rate.toFixed(0)} frames a second, ${share.toFixed(2)} ms of the engine's for each (mean ` +
        `${(engineTimes.reduce((sum, value) => sum + value, 0) / engineTimes.length).toFixed(2)}), ${reached?.toFixed(2)} times real time`;
    check("frames come at 60 a second", rate > 60 / slack / 1.5 && rate < 100, rate);
    check("the engine's share of a frame is below 2 ms", share < 2 * slack, share);

    world.costs[engine] = {};
    for (let factor = 1; factor < 64; factor *= 2) {
        await view.page.keyboard.press("=");
    }
    for (const [scene, [first, last]] of Object.entries(compared)) {
        world.costs[engine][scene] = await costOfStep(view, scene, first, last);
    }
    for (let factor = 1; factor < 64; factor *= 2) {
        await view.page.keyboard.press("-");
    }
    await view.close();
    if (engine === "wasm") {
        for (const scene of Object.keys(compared)) {
            const native = world.costs.native?.[scene];
            if (native) {
                const ratio = world.costs.wasm[scene] / native;
                told[`wasm: ${scene}`] = `${world.costs.wasm[scene].toFixed(3)} ms a step, ${ratio.toFixed(2)} times the native ${native.toFixed(3)} ms`;
                check(`WebAssembly is at most 2.5 times slower on ${scene}`, ratio < 2.5 * slack, ratio);
            }
        }
        const site = join(root, "build/web");
        const size = allFiles(site).filter((file) => statSync(file).isFile())
            .reduce((sum, file) => sum + gzipSync(readFileSync(file), { level: 9 }).length, 0);
        told["wasm: the whole site"] = `${(size / 1024).toFixed(0)} kB compressed`;
        check("the site has at most 2 MB compressed", size <= 2 * 1024 * 1024, size);
    }
}
