// What can be done with the page by buttons, keys and files.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { largestDifference, NativeServer, root, View } from "./browser.mjs";

// Every shipped scene comes up, moves and says nothing bad.
export async function scenes({ browser, servers }, engine, check) {
    const view = await View.open(browser, servers[engine].address, { hash: "#scene=pendulum", size: { width: 320, height: 240 } });
    await view.running();
    const names = await view.get(() => window.tap.texts.find((text) => text.is === "welcome").scenes.map((scene) => scene.name));
    check("all shipped scenes are offered", names.length > 35 && names.includes("steel-fish"), names);
    for (const name of names) {
        const before = view.complaints.length;
        try {
            await view.scene(name);
            const drawn = await view.get(() => Number(document.body.dataset.frames ?? 0));
            await view.running(`${name} moves on`);
            await view.until(`${name} is drawn`, (count) => Number(document.body.dataset.frames ?? 0) > count, drawn);
            const state = await view.get(() => ({
                error: document.querySelector(".error-card")?.textContent ?? null, bodies: window.tap.scene.bodies.length,
                finite: window.tap.frame.poses.every(Number.isFinite), frames: Number(document.body.dataset.frames),
            }));
            check(`${name} runs and is drawn`, state.error === null && state.bodies > 0 && state.finite && state.frames > 0, state);
        } catch (error) {
            check(`${name} runs and is drawn`, false, error.message);
        }
        check(`${name} leaves the console empty`, view.complaints.length === before, view.complaints.slice(before));
    }
    await view.close();
}

// The keys as the source has them, to compare with what the help shows.
function keyTable() {
    const text = readFileSync(join(root, "web/src/keys.ts"), "utf8");
    return [...text.matchAll(/\{ action: "(\w+)", keys: \[(.*?)\], group: "\w+", does: "(.*?)"/g)]
        .map(([, action, keys, does]) => ({ action, keys: JSON.parse(`[${keys}]`), does }));
}

// On a busy machine bars may come in and move the button from under the pointer: then again.
async function pressSlowly(view) {
    const { x, y, width, height } = await view.id("play").boundingBox();
    await view.page.mouse.move(x + width / 2, y + height / 2);
    await view.page.mouse.down();
    const told = await view.get(() => window.tap.status);
    await view.until("the engine tells more", (before) => window.tap.status.time > before.time + 0.3, told);
    await view.page.mouse.up();
    const after = await view.id("play").boundingBox();
    return Math.abs(after.x - x) < width / 2 && Math.abs(after.y - y) < height / 2;
}

async function playAndStep(view, check) {
    for (let tries = 0; tries < 3 && !await pressSlowly(view); ++tries) {
        await view.sleep(500);
    }
    await view.until("a slow press pauses", () => window.tap.status.playing === false);
    await view.play();
    await view.pause();
    const paused = await view.get(() => window.tap.frame.step);
    await view.sleep(250);
    check("paused it stands still", await view.get(() => window.tap.frame.step) === paused);
    const poses = await view.get(() => [...window.tap.frame.poses]);
    await view.id("step").click();
    await view.until("a step is taken", (step) => window.tap.frame.step === step, paused + 1);
    await view.id("back").click();
    await view.until("a step is taken back", (step) => window.tap.frame.step === step, paused);
    check("one step back is the same to the bit", JSON.stringify(await view.get(() => [...window.tap.frame.poses])) === JSON.stringify(poses));
    await view.page.locator("#canvas").focus();
    await view.page.keyboard.press("ArrowLeft");
    await view.until("the key steps back", (step) => window.tap.frame.step === step, paused - 1);
    await view.page.keyboard.press("ArrowRight");
    await view.until("the key steps forward", (step) => window.tap.frame.step === step, paused);
    await view.page.keyboard.press(" ");
    await view.until("the key plays", (step) => window.tap.frame.step > step, paused + 5);
    check("playing and stepping", true);
}

async function scrub(view, check) {
    await view.until("there is some history", () => window.tap.frame.time > 1);
    await view.pause();
    const box = await view.id("history").boundingBox();
    const end = await view.get(() => window.tap.status.history.to);
    await view.page.mouse.click(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
    await view.until("the past is shown", () => window.tap.frame.past);
    const middle = await view.get(() => window.tap.frame.time);
    check("a click on the bar goes to the middle of the history", middle > 0.3 * end && middle < 0.7 * end, { middle, end });
    check("the clock tells that time", Math.abs(parseFloat(await view.id("time").textContent()) - middle) < 0.02);
    check("the way on is offered", await view.id("continue").isVisible());
    await view.id("continue").click();
    await view.until("it goes on from there", () => !window.tap.frame.past && window.tap.frame.playing);
    const first = await view.get(() => window.tap.status.history.to);
    check("what came after is forgotten", first < end + 0.5, { first, end });
    await view.running();
}

async function speeds(view, check) {
    const reads = [];
    for (const key of ["=", "+", "-", "-"]) {
        const count = await view.get(() => window.tap.sent.speed ?? 0);
        await view.page.keyboard.press(key);
        await view.until("the speed is asked for", (before) => window.tap.sent.speed > before, count);
        const factor = await view.get(() => window.tap.lastSent.speed.factor);
        await view.until("the engine takes it", (asked) => window.tap.status.speed === asked, factor);
        reads.push(factor);
    }
    check("+ and = double, - halves", reads.join() === "2,4,2,1", reads);
}

async function turnParam(view, check) {
    await view.id("tab-params").click();
    const slider = view.id("param-friction");
    await slider.focus();
    await view.page.keyboard.press("End");
    await view.until("the param is sent", () => window.tap.lastSent.param?.name === "friction" && window.tap.lastSent.param.value === 1);
    await view.until("the address bar has it", () => location.hash.includes("friction=1"));
    await view.running();
    // Friction of 1 N m s/rad on a pendulum of 1 kg and 1 m takes most of its energy within seconds.
    const box = await slider.boundingBox();
    await view.page.mouse.click(box.x + 0.25 * box.width, box.y + 0.5 * box.height);
    await view.until("the mouse slides it", () => Math.abs(window.tap.lastSent.param.value - 0.25) < 0.05);
    const shown = await view.page.locator(".param", { has: slider }).locator("input[type=number]").inputValue();
    check("the number shows what was set", Math.abs(Number(shown) - 0.25) < 0.05, shown);
    await view.page.keyboard.press("Control+z");
    await view.until("undo is sent", () => window.tap.lastSent.param.value !== undefined);
}

async function plotsAndInspect(view, check) {
    await view.id("tab-plots").click();
    await view.until("plots are drawn", () => document.querySelectorAll(".plot canvas").length >= 2);
    await view.running();
    await view.until("the legend has values", () => [...document.querySelectorAll(".plot .u-value")].filter((value) => /\d/.test(value.textContent)).length >= 4);
    const inked = await view.get(() => [...document.querySelectorAll(".plot canvas")].map((canvas) => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let coloured = 0;
        for (let i = 0; i < data.length; i += 4) {
            coloured += data[i + 3] > 128 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 60 ? 1 : 0;
        }
        return coloured;
    }));
    check("the plots have curves", inked.length >= 2 && inked.every((count) => count > 30), inked);
    await view.id("tab-inspect").click();
    const body = await view.get(() => window.tap.scene.bodies.find((candidate) => !candidate.static));
    await view.id("body").selectOption(String(body.id));
    await view.until("it is inspected", () => /kg/.test(document.querySelector("[data-testid=inspect] .facts")?.textContent ?? ""));
    const facts = await view.id("inspect").innerText();
    check("inspect shows the name", (await view.id("body").locator("option:checked").textContent()) === body.name, body.name);
    const mass = Number(/Mass\s+([\d.e+-]+) kg/.exec(facts)?.[1]);
    check("inspect shows the mass", Math.abs(mass - body.mass) < 1e-3 * body.mass, { facts: facts.slice(0, 200), mass: body.mass });
    await view.id("tab-inspect").click();
}

async function helpAndKeys(view, check) {
    const table = keyTable();
    await view.page.locator("#canvas").focus();
    await view.page.keyboard.press("F1");
    await view.until("the help is open", () => document.getElementById("help").open);
    const text = await view.page.locator("#help").innerText();
    const missing = table.filter((row) => !text.includes(row.does)).map((row) => row.does);
    check("the help has every key of the table", table.length > 40 && missing.length === 0, missing);
    await view.page.keyboard.press("F1");
    await view.until("the help is closed", () => !document.getElementById("help").open);
    const opposite = { light: "dark", dark: "light" };
    const theme = await view.get(() => document.documentElement.dataset.theme);
    await view.page.keyboard.press("d");
    check("D changes the theme", await view.get(() => document.documentElement.dataset.theme) === opposite[theme]);
    await view.page.keyboard.press("d");
    await view.page.keyboard.press("c");
    await view.until("contacts are asked for", () => window.tap.lastSent.show?.contacts === true);
    await view.page.keyboard.press("c");
    const before = view.complaints.length;
    const spared = ["fullscreen", "video", "screenshot", "blow", "help", "gallery", "reload"];
    for (const { action, keys } of table.filter((row) => !spared.includes(row.action))) {
        await view.page.keyboard.press(keys[0] === " " ? "Space" : keys[0].replace("Ctrl", "Control"));
        if (await view.get(() => document.querySelector("dialog[open]") !== null)) {
            check(`${action} opens no dialog`, false);
            await view.page.keyboard.press("Escape");
        }
    }
    await view.sleep(200);
    check("no key leaves anything in the console", view.complaints.length === before, view.complaints.slice(before));
}

export async function steer({ browser, servers }, engine, check) {
    const view = await View.open(browser, servers[engine].address, { hash: "#scene=pendulum", size: { width: 640, height: 440 } });
    await view.scene("pendulum", "&start=100"); // a change, so that the scene starts anew whatever ran before
    await view.until("it has run a little", () => window.tap.frame.step > 20);
    await playAndStep(view, check);
    await scrub(view, check);
    await speeds(view, check);
    await turnParam(view, check);
    if (engine === "native") { // the page alone, which is the same
        await plotsAndInspect(view, check);
        await helpAndKeys(view, check);
    }
    await view.play();
    await view.id("reset").click();
    await view.until("it starts again", () => window.tap.frame.time < 1);
    check("the canvas is not empty", await view.colours() > 40, await view.colours());
    check("nothing is in the console", view.complaints.length === 0, view.complaints);
    await view.close();
}

// Gallery, links, downloads.
export async function files({ browser, servers }, engine, check) {
    const view = await View.open(browser, servers[engine].address, { hash: "#scene=pendulum&friction=0.5", size: { width: 640, height: 441 } });
    await view.until("the link's scene has the link's param", () =>
        window.tap.scene?.name === "pendulum" && window.tap.scene.params.find((param) => param.name === "friction").value === 0.5);
    await view.running();
    await view.page.keyboard.press("g");
    await view.until("the gallery is open", () => document.getElementById("gallery").open);
    const cards = await view.page.locator("#gallery .card").count();
    const listed = await view.get(() => window.tap.texts.find((text) => text.is === "welcome").scenes.length);
    check("the gallery has all scenes", cards === listed, { cards, listed });
    await view.until("pictures are there", () => [...document.querySelectorAll("#gallery img")].slice(0, 2).every((image) => image.complete && image.naturalWidth > 0));
    await view.id("gallery-search").fill("crank");
    check("searching finds", await view.page.locator("#gallery .card").count() < 6 && await view.id("scene-slider-crank").isVisible());
    await view.id("scene-slider-crank").click();
    await view.until("the chosen scene runs", () => document.body.dataset.scene === "slider-crank" && window.tap.frame?.time > 0);

    await view.scene("pendulum", "&friction=0.25");
    await view.running();
    await view.id("share").click();
    await view.told("link is in the clipboard");
    const link = await view.get(() => navigator.clipboard.readText());
    check("the link has scene, param and camera", /#scene=pendulum&friction=0.25&at=/.test(link), link);
    const other = await view.context.newPage();
    await other.goto(new URL(link).origin + new URL(link).pathname + new URL(link).hash);
    await other.waitForFunction(() => document.body.dataset.scene === "pendulum" && location.hash.includes("friction=0.25"));
    check("the link opens with its param", true);
    await other.close();

    const save = async (id) => {
        await view.id("save").click();
        return view.download(() => view.id(id).click());
    };
    const state = await save("file-state.csv");
    const lines = state.bytes.toString().trim().split("\n");
    check("states as CSV", /\.csv$/.test(state.name) && lines.length > 5 && /time/.test(lines.find((line) => !line.startsWith("#"))), lines.slice(0, 3));
    const energy = await save("file-energy.csv");
    check("energies as CSV", energy.bytes.toString().split("\n").length > 5, energy.name);
    const recording = await save("file-recording");
    check("a recording", recording.bytes.length > 500, recording.name);
    const scene = await save("file-scene");
    check("the scene, with its param", /pendulum/i.test(scene.name) && scene.bytes.length > 500, scene.name);
    const picture = await save("screenshot");
    check("a picture", picture.bytes.subarray(1, 4).toString() === "PNG" && picture.bytes.length > 4000, { name: picture.name, bytes: picture.bytes.length });
    // A busy machine may have recorded nothing yet; then the page says so.
    let video = null;
    for (let time = 1500; video === null && time < 20000; time *= 3) {
        await view.page.keyboard.press("v");
        await view.sleep(time);
        const empty = view.told("video is empty");
        video = await Promise.race([view.download(() => view.page.keyboard.press("v")).catch(() => null), empty.then(() => null, () => null)]);
    }
    const size = await view.videoSize(video.bytes);
    check("the video has all pixels of the canvas, in even numbers", size.width === 640 && size.height === 440, size);
    check("the picture has them, too", picture.bytes.readUInt32BE(16) === 640 && picture.bytes.readUInt32BE(20) === 440,
        [picture.bytes.readUInt32BE(16), picture.bytes.readUInt32BE(20)]);
    check("a video", /\.(webm|mp4)$/.test(video.name) && video.bytes.length > 1000, { name: video.name, bytes: video.bytes.length });

    // A scene of one's own, broken and whole.
    const before = await view.get(() => ({ step: window.tap.frame.step, generation: window.tap.frame.generation }));
    await view.page.locator("#gallery input[type=file]").setInputFiles({
        name: "broken.json", mimeType: "application/json", buffer: Buffer.from('{\n  "sinew": 1,\n  "bodies": [ { "name": "a", "mas": 1 } ]\n}\n'),
    });
    await view.until("the mistake is shown", () => document.querySelector("[data-testid=error-place]") !== null);
    const place = await view.page.locator("[data-testid=error-place]").first().textContent();
    check("a broken file is shown with line and column", /broken\.json:3:\d+/.test(place), place);
    await view.until("the old world is paused", () => window.tap.status.playing === false);
    const after = await view.get(() => ({ step: window.tap.frame.step, generation: window.tap.frame.generation }));
    check("nothing of the old world is lost", after.generation === before.generation && after.step >= before.step, { before, after });
    await view.page.locator("#gallery input[type=file]").setInputFiles(join(root, "scenes/gyroscope.json"));
    await view.until("a good file runs", () => window.tap.scene.name.startsWith("gyroscope") && window.tap.frame?.time > 0);
    check("the mistake is gone", await view.page.locator(".error-card").count() === 0);
    check("nothing is in the console", view.complaints.length === 0, view.complaints);
    await view.close();
}

// Edits of the file that is shown: only a server can watch files, the static site has none.
export async function edit({ browser, folder }, engine, check) {
    if (engine !== "native") {
        return;
    }
    const file = join(folder, "mine.json");
    const text = readFileSync(join(root, "scenes/pendulum.json"), "utf8").replace(/\s*"\$schema".*\n/, "\n");
    writeFileSync(file, text);
    let server = await NativeServer.start(file, { folder });
    try {
        const view = await View.open(browser, server.address);
        await view.until("the file runs", () => window.tap.frame?.time > 0.5);
        await view.pause();
        const picture = () => view.page.screenshot({ clip: { x: 60, y: 60, width: 300, height: 160 } });
        await view.sleep(800);
        const first = await picture();
        // The view is turned by hand: a drag in a corner, beside things.
        await view.page.mouse.move(30, 180);
        await view.page.mouse.down();
        await view.page.mouse.move(60, 200, { steps: 3 });
        await view.page.mouse.up();
        await view.sleep(800);
        const look = await picture();
        const turned = await largestDifference(first, look);
        check("a drag turns the view", turned > 32, turned);
        const before = await view.get(() => ({ time: window.tap.frame.time, generation: window.tap.scene.generation, poses: [...window.tap.frame.poses] }));
        writeFileSync(file, text.replace('"label": "Friction in the hinge"', '"label": "Friction of the nail"'));
        await view.until("it is read again", (old) => window.tap.scene.generation > old && window.tap.frame !== null, before.generation);
        const after = await view.get(() => ({ time: window.tap.frame.time, keeps: window.tap.scene.keeps, poses: [...window.tap.frame.poses] }));
        check("saving keeps the state", after.keeps && after.time === before.time && JSON.stringify(after.poses) === JSON.stringify(before.poses), after);
        await view.sleep(800);
        const change = await largestDifference(look, await picture());
        check("saving keeps the camera", change < 16, change); // of 255: light is computed anew
        await view.id("tab-params").click();
        check("the new label is shown", /Friction of the nail/.test(await view.id("params").innerText()));
        await view.id("tab-params").click();

        await view.play();
        await view.running();
        const running = await view.get(() => window.tap.frame.time);
        const lines = text.split("\n");
        const line = lines.findIndex((row) => row.includes('"friction"')) + 1;
        writeFileSync(file, text.replace('"unit": "N m s/rad"', '"unit": "bananas"'));
        await view.until("the mistake is shown", () => document.querySelector("[data-testid=error-place]") !== null);
        const place = await view.page.locator("[data-testid=error-place]").first().textContent();
        check("it is shown as file:line:column", new RegExp(`mine\\.json:${line}:\\d+$`).test(place), place);
        await view.until("it is paused", () => window.tap.status.playing === false);
        const kept = await view.get(() => ({ time: window.tap.frame.time, from: window.tap.status.history.from, to: window.tap.status.history.to }));
        check("nothing is lost", kept.time >= running && kept.to > kept.from, { running, kept });
        await view.page.screenshot({ path: join(root, "build/browser/error-small.png") });
        await view.page.reload();
        await view.there();
        check("who comes later is shown it as well", await view.id("error-place").count() > 0);
        writeFileSync(file, text);
        await view.until("the mistake is gone", () => document.querySelector(".error-card") === null && window.tap.frame !== null);
        check("mended it has the same time", await view.get(() => window.tap.frame?.time ?? -1) >= kept.time - 1e-9);
        await view.running("it runs on, as it did before");
        check("nothing is in the console", view.complaints.length === 0, view.complaints);

        // The server ends and comes back on its port.
        await server.end();
        await view.until("the page tells that it is lost", () => document.body.dataset.link === "lost" && !document.getElementById("link").hidden);
        const frames = await view.get(() => window.tap.frames);
        server = await NativeServer.start(file, { folder, port: server.port });
        await view.until("the page is back", (count) => document.body.dataset.link === "open" && window.tap.frames > count + 5, frames, 40000);
        check("it is back after a restart of the server", await view.page.locator("#link").isHidden());
        await view.close();
    } finally {
        await server.end();
    }
}

// The printed address lets one browser in, once; its pages come and go as they like, another browser needs another one.
export async function door({ browser, folder }, engine, check) {
    if (engine !== "native") {
        return;
    }
    const server = await NativeServer.start("pendulum", { folder: join(folder, "nowhere"), enters: false });
    try {
        const view = await View.open(browser, server.printed);
        await view.running();
        check("the token is gone from the address", !/token/.test(await view.get(() => location.href)));
        check("no script can read the cookie", await view.get(() => document.cookie) === "");
        await view.page.reload();
        await view.running("it runs again after the page was loaded anew");
        const second = await view.context.newPage();
        await second.goto(server.address);
        await second.waitForFunction(() => Number(document.body.dataset.frames ?? 0) > 3);
        await second.goto(server.printed);
        await second.waitForFunction(() => Number(document.body.dataset.frames ?? 0) > 3);
        check("further windows of that browser need no token", !/token/.test(second.url()));
        await second.close();

        const other = await browser.newContext();
        const page = await other.newPage();
        const answer = await page.goto(server.printed);
        const text = await page.locator("body").innerText();
        check("another browser is refused, and told why and what to do",
            answer.status() === 403 && /used already/.test(text) && /press Enter/.test(text), text);
        await page.screenshot({ path: join(root, "build/browser/refused.png") });
        await page.goto(await server.anotherAddress());
        await page.waitForFunction(() => Number(document.body.dataset.frames ?? 0) > 3);
        check("with the address that Enter prints it is let in", true);
        await other.close();
        await view.running("the first one goes on");
        check("nothing is in the console", view.complaints.length === 0, view.complaints);
        await view.close();
    } finally {
        await server.end();
    }
}
