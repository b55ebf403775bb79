// Corners of the page: files that are dropped on it, steps that hold bodies back, what a scene leaves to the next, following a
// body, surfaces that bend, an engine that hangs, noise.
import { join } from "node:path";
import { readFileSync, writeFileSync } from "node:fs";
import { root, startBrowser, StaticServer, View } from "./browser.mjs";

const far = (a, b) => Math.hypot(...a.map((value, i) => value - b[i]));

async function drop(view, name, text) {
    await view.get(([file, content]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([content], file, { type: "application/json" }));
        for (const type of ["dragover", "drop"]) {
            document.body.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
        }
    }, [name, text]);
}

export async function drops({ browser, servers }, engine, check) {
    const view = await View.open(browser, servers[engine].address, { hash: "#scene=pendulum" });
    await view.running();
    const text = readFileSync(join(root, "scenes/double-pendulum.json"), "utf8").replace(/\s*"\$schema".*\n/, "\n");
    await view.get(() => document.body.dispatchEvent(new DragEvent("dragover", { bubbles: true, cancelable: true })));
    check("the page shows that it takes files", await view.get(() => document.body.classList.contains("dropping")));
    await drop(view, "mine.json", text);
    await view.until("the dropped scene runs", () => document.body.dataset.scene === "mine.json" && window.tap.frame?.step > 3);
    check("and no longer afterwards", !(await view.get(() => document.body.classList.contains("dropping"))));
    await drop(view, "broken.json", text.replace('"sinew": 1', '"sinew": 1, "gravitee": 0'));
    await view.until("its mistake is shown", () => document.querySelector("[data-testid=error-place]") !== null);
    const place = await view.page.locator("[data-testid=error-place]").first().textContent();
    check("with its place", /^broken\.json:\d+:\d+$/.test(place), place);
    await view.until("the one before is paused, not lost", () =>
        document.body.dataset.scene === "mine.json" && window.tap.status.playing === false);
    await drop(view, "huge.json", `{"sinew": 1, "name": "${"x".repeat(9 << 20)}"}`);
    await view.until("a huge one is refused", () => /at most 8/.test(document.querySelector(".error-card")?.textContent ?? ""));
    await drop(view, "notes.txt", "no scene at all");
    await view.until("what is no scene is told", () => /notes\.txt/.test(document.querySelector(".error-card")?.textContent ?? ""));
    await view.id("error-close").click();
    await view.play();
    await view.running();
    check("it goes on after all that", true);
    check("nothing is in the console", view.complaints.length === 0, view.complaints);
    await view.close();
}

// A soft cube shot at a post in steps that are far too long.
const shot = `{ "sinew": 1, "materials": { "soft": { "young": "20kPa", "colour": "#c8321f" } },
  "bodies": [
    { "name": "post", "type": "static", "shape": { "type": "box", "size": [0.02, 0.02, 0.4] } },
    { "name": "cube", "type": "elastic", "material": "soft", "position": [0.02, 0, 0.5], "velocity": [0, 0, -20],
      "mesh": { "type": "box", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2] } }],
  "camera": { "position": [0.4, -2.4, 0.5], "target": [0, 0, 0.1] },
  "run": { "step": "=1/60" } }`;

// Steps with counters are counted under the time bar, and each counter is reported: once, and when asked.
export async function counters({ browser, servers, pictureFolder }, engine, check) {
    const view = await View.open(browser, servers[engine].address, { hash: "#scene=pendulum" });
    await view.scene("pendulum"); // anew: somebody before may have paused it
    await view.running();
    check("where no counter counts nothing is reported", !(await view.id("counters").isVisible()));
    await drop(view, "shot.json", shot);
    await view.told("elastic bodies set back before an impact"); // first: the notice goes again
    await view.until("steps are counted", () =>
        window.tap.status?.counters?.list.some((each) => each.name === "restored" && each.steps > 5));
    await view.pause();
    await view.sleep(400);
    await view.page.screenshot({ path: join(pictureFolder, `counters-${engine}.png`) });
    const [label, count] = await view.get(() =>
        [document.querySelector("[data-testid=counters]").textContent, window.tap.status.counters.steps]);
    check("the count stays in view", label === `altered in ${count} steps`, [label, count]);
    await view.until("the notice goes", () => document.querySelector("[data-testid=notice]") === null);
    await view.id("counters").click();
    await view.until("a press lists what it means", () =>
        [...document.querySelectorAll("[data-testid=note]")].some((note) => /elastic bodies set back/.test(note.textContent)));
    check("with a tick where it began", await view.page.locator("[data-testid=tick].warning").count() > 0);
    await view.id("tab-notes").click();
    await view.get(() => {
        window.dispatchEvent(new KeyboardEvent("keydown", { key: "k" })); // which tells to select something first
        const end = performance.now() + 6200; // longer than a notice stays
        while (performance.now() < end) {
            // No picture is drawn meanwhile, as in a page that is hidden or has much to do.
        }
    });
    await view.sleep(500);
    check("a note stays until it was seen", (await view.notices()).some((text) => /Select a thing/.test(text)), await view.notices());
    await view.id("reset").click();
    await view.until("the start has none", () => document.querySelector("[data-testid=counters]").hidden);
    check("nothing is in the console", view.complaints.length === 0, view.complaints);
    await view.close();
}

// What is held, blown or wished for in a scene ends with it.
export async function leftovers({ browser, servers }, engine, check) {
    const view = await View.open(browser, servers[engine].address, { hash: "#scene=pendulum" });
    await view.scene("pendulum", "&start=20&at=0,-4,-0.5,0,0,-0.5");
    await view.until("it runs", () => window.tap.frame.step > 5);
    await view.pause();
    const [x, y] = await view.graspable("bob", [0, -4, -0.5]);
    await view.page.mouse.down();
    await view.page.mouse.move(x + 40, y - 5, { steps: 4 });
    await view.until("a spring is there", () => window.tap.frame.grabs.length === 1);
    await view.scene("double-pendulum"); // of other bodies: the engine lets go as well
    await view.page.mouse.move(x, y, { steps: 4 });
    await view.running();
    check("a hand holds nothing of the next scene", await view.get(() => window.tap.frame.grabs.length === 0));
    const errors = await view.get(() => window.tap.texts.filter((text) => text.is === "error").map((text) => text.text));
    check("and does not go on pulling", errors.length === 0, errors);
    await view.page.mouse.up();

    await view.page.locator("#canvas").focus();
    await view.page.keyboard.down("b");
    await view.until("it blows", () => window.tap.lastSent.blow?.strength > 0 && document.body.classList.contains("blowing"));
    await view.scene("pendulum");
    check("nobody blows at the next scene", await view.get(() =>
        window.tap.lastSent.blow.strength === 0 && !document.body.classList.contains("blowing")));
    await view.page.keyboard.up("b");
    check("nothing is in the console", view.complaints.length === 0, view.complaints);
    await view.close();

    // A server may show the scene of a link already, with other settings than the link has.
    const other = await View.open(browser, servers[engine].address, { hash: "#scene=pendulum&start=33" });
    await other.until("it is as the link says", () => window.tap.scene?.params.some(({ name, value }) => name === "start" && value === 33));
    await other.running();
    const camera = await other.camera();
    await other.page.locator("#canvas").focus();
    await other.page.keyboard.press("0");
    const own = await other.camera();
    check("a link begins where the scene's own camera is", far(camera.position, own.position) < 1e-4 && far(camera.target, own.target) < 1e-4,
        { camera, own });
    if (engine === "wasm") { // where a message can be made up: of a scene that went on while this page was away
        await other.id("tab-params").click();
        await other.page.locator("[data-testid=params] .number").first().fill("25");
        await other.page.keyboard.press("Enter");
        await other.until("a setting is changed", () => window.tap.sent.param === 1);
        await other.until("the engine has said so", () => window.tap.scene.params.some(({ name, value }) => name === "start" && value === 25));
        await other.get(() => window.tap.pretend(JSON.stringify({
            ...window.tap.scene, generation: window.tap.scene.generation + 1, name: "elsewhere", keeps: true,
        })));
        await other.page.locator("#canvas").focus();
        await other.page.keyboard.press("Control+z");
        await other.sleep(300);
        check("a setting of the last scene is not undone in the next", await other.get(() =>
            document.body.dataset.scene === "elsewhere" && window.tap.sent.param === 1));
    }
    check("and nothing is in the console", other.complaints.length === 0, other.complaints);
    await other.close();
}

// The camera goes with a body until it is let go.
export async function follow({ browser, servers }, engine, check) {
    if (engine !== "native") {
        return; // the page is the same
    }
    const view = await View.open(browser, servers[engine].address, { hash: "#scene=pendulum" });
    await view.scene("pendulum", "&start=60&friction=0&at=0,-4,-0.5,0,0,-0.5");
    await view.until("it runs", () => window.tap.frame.step > 5);
    await view.id("tab-inspect").click();
    const body = await view.get(() => window.tap.scene.bodies.find((candidate) => !candidate.static).id);
    await view.id("body").selectOption(String(body));
    const centre = () => view.get((id) => {
        const { poses } = window.tap.frame;
        const [x, y, z] = window.tap.scene.bodies[id].centre; // turned by the body's rotation
        const [px, py, pz, w, a, b, c] = poses.slice(7 * id, 7 * id + 7);
        const t = [2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)];
        return [px + x + w * t[0] + b * t[2] - c * t[1], py + y + w * t[1] + c * t[0] - a * t[2], pz + z + w * t[2] + a * t[1] - b * t[0]];
    }, body);
    await view.page.locator("#canvas").focus();
    const start = await view.camera();
    await view.page.locator("#canvas").focus();
    await view.page.keyboard.press("k");
    const looks = [];
    for (let i = 0; i < 2; ++i) {
        await view.play();
        await view.sleep(700);
        await view.pause();
        await view.sleep(1500); // it glides there
        looks.push({ ...(await view.camera()), body: await centre() });
    }
    check("the camera looks at the body", looks.every(({ target, body: at }) => far(target, at) < 0.05), looks);
    check("and has moved with it", far(looks[0].target, looks[1].target) > 0.02 && far(looks[1].position, start.position) > 0.02, { start, looks });
    const turned = (look) => look.position.map((value, i) => value - look.target[i]);
    check("without turning or zooming", far(turned(looks[0]), turned(looks[1])) < 0.02, looks);
    await view.page.keyboard.press("Escape");
    await view.play();
    await view.sleep(600);
    await view.pause();
    const freed = await view.camera();
    check("let go it stays", far(freed.target, looks[1].target) < 0.02, freed);
    check("nothing is in the console", view.complaints.length === 0, view.complaints);
    await view.close();
}

// Tells the page of a surface as an engine would: a sheet, or a ring with a closed surface, over the ground. From then on
// bend(amount) sends a frame in which it is bent by so much.
function pretendSurface([generation, closed]) {
    const n = 24;
    const body = (id, name, still) => ({ id, name, static: still, mass: 1, centre: [0, 0, 0], shapes: [] });
    window.tap.pretend(JSON.stringify({
        ...window.tap.scene, generation, name: "bent", title: "A bent thing", keeps: false, meshes: 1, floor: { height: 0, colour: "#c9c4b8" },
        bodies: [body(0, "room", true), body(1, "thing", false)], joints: [], lines: [], winds: [], params: [], probes: [],
        surfaces: [{ body: 1, mesh: 0, colour: "#2a5c9a", roughness: 0.6, metallic: 0 }], size: [[-0.5, -0.5, 0], [0.5, 0.5, 0.8]],
        camera: { given: true, position: [0, -2.2, 1.6], target: [0, 0, 0.4], field_of_view: 0.7 },
    }));
    const place = (i, j, bend) => {
        const [u, v] = [2 * Math.PI * i / n, 2 * Math.PI * j / n];
        const x = closed ? (0.38 + 0.12 * Math.cos(v)) * Math.cos(u) : i / (n - 1) - 0.5;
        const y = closed ? (0.38 + 0.12 * Math.cos(v)) * Math.sin(u) : j / (n - 1) - 0.5;
        return [x, y, 0.6 + (closed ? 0.12 * Math.sin(v) : 0) + bend * 0.25 * Math.sin(2 * Math.PI * x)];
    };
    const points = (bend) => Float32Array.from({ length: 3 * n * n }, (_, k) => place(Math.floor(k / 3) % n, Math.floor(k / 3 / n), bend)[k % 3]);
    const triangles = [];
    const edge = closed ? n : n - 1;
    for (let j = 0; j < edge; ++j) {
        for (let i = 0; i < edge; ++i) {
            const [a, b] = [j * n + i, j * n + (i + 1) % n];
            const [c, d] = [(j + 1) % n * n + (i + 1) % n, (j + 1) % n * n + i];
            triangles.push(a, b, c, a, c, d);
        }
    }
    const mesh = new ArrayBuffer(24 + 24 * n * n + 4 * triangles.length);
    new Uint32Array(mesh, 0, 6).set([3, generation, 0, n * n, triangles.length / 3, 1]);
    new Float32Array(mesh, 24).set(points(0));
    new Float32Array(mesh, 24 + 12 * n * n).set(Array.from({ length: 3 * n * n }, (_, i) => (i % 3 === 2 ? 1 : 0)));
    new Uint32Array(mesh, 24 + 24 * n * n).set(triangles);
    window.tap.pretend(mesh);
    window.bend = (amount, vertices = n * n) => {
        const frame = new ArrayBuffer(168 + 12 * vertices);
        const head = new DataView(frame);
        [2, generation].forEach((word, i) => head.setUint32(4 * i, word, true));
        head.setFloat64(8, window.bendTime = (window.bendTime ?? 1) + 1, true);
        [2, 0, 0, 0, 1, 0, 0, 0].forEach((word, i) => head.setUint32(40 + 4 * i, word, true));
        new Float32Array(frame, 104, 14).set([0, 0, 0, 1, 0, 0, 0, 0, 0, 0.6, 1, 0, 0, 0]);
        head.setUint32(164, vertices, true);
        new Float32Array(frame, 168).set(points(amount).subarray(0, 3 * vertices));
        window.tap.pretend(frame);
    };
}

// Surfaces that bend are drawn as frames tell, can be taken, and have shade and shadow.
export async function bending({ browser, servers, pictureFolder }, engine, check) {
    if (engine !== "wasm") {
        return; // the page is the same
    }
    const view = await View.open(browser, servers.wasm.address, { hash: "#scene=pendulum" });
    await view.running();
    await view.pause();
    await view.sleep(300);
    const bend = async (amount, name) => {
        await view.get((value) => window.bend(value), amount);
        await view.sleep(500);
        await view.page.screenshot({ path: join(pictureFolder, `${name}.png`) });
    };
    const middle = { x: 180, y: 45, width: 300, height: 215 };
    await view.get(pretendSurface, [1000, false]);
    await bend(0, "sheet-flat");
    const flat = await view.blues(middle);
    const lit = await view.pixelsNear([0xc9, 0xc4, 0xb8], { x: 280, y: 190, width: 150, height: 50 }, 30);
    check("a surface is drawn", flat.count > 5000 && flat.varies < 6, flat);
    check("and has a shadow", lit < 1500, lit);
    await bend(1, "sheet-bent");
    const bent = await view.blues(middle);
    check("bent it has light and shade", bent.count > 5000 && bent.varies > flat.varies + 4, { flat, bent });

    await view.get(pretendSurface, [1001, true]);
    await bend(0.8, "ring-bent");
    await view.page.mouse.move(329, 60);
    let taken = false;
    for (let y = 60; y < 200 && !taken; y += 8) { // down through the ring's far side
        await view.page.mouse.move(329, y);
        await view.get(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        taken = await view.get(() => document.getElementById("canvas").style.cursor) === "grab";
    }
    check("the pointer finds it", taken);
    await view.page.mouse.down();
    await view.page.mouse.up();
    await bend(-0.8, "ring-selected");
    const outline = await view.pixelsNear([0xd2, 0x39, 0x1f], middle, 60);
    check("selected it has an outline, which bends with it", outline > 150, outline);
    await view.get(() => window.bend(0.5, 3)); // of another size than the surface: left out
    await bend(0.5, "ring-bent");
    // A history that has reached its bound of memory.
    await view.get(() => window.tap.pretend(JSON.stringify({
        ...window.tap.status, time: 20, steps: 1200, history: { from: 7.5, to: 20, at: 20, steps: 750, bytes: 128e6 },
    })));
    check("the time bar tells how far back it goes", await view.id("reach").textContent() === "goes back 13 s");
    await view.page.screenshot({ path: join(pictureFolder, "history.png") });
    await view.get(() => window.tap.pretend(JSON.stringify({
        ...window.tap.status, time: 20, steps: 1200, history: { from: 0, to: 20, at: 20, steps: 1201, bytes: 1e6 },
    })));
    check("but not while it goes back to the start", await view.id("reach").isHidden());
    check("vertices that do not fit leave nothing in the console", view.complaints.length === 0, view.complaints);
    await view.close();
}

// The engine's worker runs into an endless loop: the page says so, and has another one.
export async function hang({ browser, pictureFolder }, engine, check) {
    if (engine !== "wasm") {
        return;
    }
    const loop = 'self.addEventListener("message", (event) => { if (event.data === "hang") { for (;;) {} } });';
    const server = await StaticServer.start(join(root, "build/web"), (path, text) =>
        (/worker-.*\.js$/.test(path) && text.includes("sinew.wasm") ? `${loop}\n${text}` : text));
    try {
        const view = await View.open(browser, server.address, { hash: "#scene=pendulum&friction=0.25" });
        await view.running();
        await view.page.keyboard.press("=");
        await view.page.mouse.move(30, 180);
        await view.page.mouse.down();
        await view.page.mouse.move(90, 200, { steps: 3 });
        await view.page.mouse.up();
        await view.sleep(800);
        const before = await view.camera();
        await view.get(() => window.tap.workers.at(-1).order("hang"));
        await view.until("the page tells that the engine hangs", () =>
            document.body.dataset.link === "stuck" && !document.getElementById("link").hidden);
        await view.page.screenshot({ path: join(pictureFolder, "hang.png") });
        await view.get(() => {
            window.tap.frame = null;
        });
        await view.id("link-action").click();
        await view.until("a new engine runs the scene", () =>
            document.body.dataset.link === "open" && window.tap.frame?.time > 0 && window.tap.workers.length === 2);
        const state = await view.get(() => ({
            name: window.tap.scene.name, friction: window.tap.scene.params.find((param) => param.name === "friction").value,
        }));
        await view.until("at the speed it had", () => window.tap.status?.speed === 2);
        check("with the settings it had", state.name === "pendulum" && state.friction === 0.25, state);
        check("seen as before", far((await view.camera()).position, before.position) < 0.02);
        check("the alarm is gone", await view.page.locator("#link").isHidden());
        check("nothing is in the console", view.complaints.length === 0, view.complaints);
        await view.close();
    } finally {
        await server.end();
    }
}

// A fan beside the microphone: 8 s of rumble at a tenth of full scale, then the blow over it.
function noisySound() {
    const blow = readFileSync(join(root, "scenes/breaths/hard-blow.wav"));
    const rate = blow.readUInt32LE(24);
    const quiet = 8 * rate;
    const samples = Math.floor((blow.length - 44) / 2);
    const sound = Buffer.alloc(44 + 2 * (quiet + samples));
    blow.copy(sound, 0, 0, 44);
    sound.writeUInt32LE(36 + 2 * (quiet + samples), 4);
    sound.writeUInt32LE(2 * (quiet + samples), 40);
    let seed = 1;
    let low = 0;
    for (let i = 0; i < quiet + samples; ++i) {
        seed = (seed * 1103515245 + 12345) % 2147483648;
        low += 0.015 * (seed / 1073741824 - 1 - low); // noise below a hundred hertz or so
        const noise = 0.9 * low + 0.01 * (seed / 1073741824 - 1);
        const breath = i >= quiet ? blow.readInt16LE(44 + 2 * (i - quiet)) / 32768 : 0;
        sound.writeInt16LE(Math.round(32767 * Math.max(-0.99, Math.min(0.99, noise + breath))), 44 + 2 * i);
    }
    return sound;
}

export async function loud({ servers, folder, figures }, engine, check) {
    if (engine !== "native") {
        return; // the same C hears in both
    }
    const file = join(folder, "loud.wav");
    writeFileSync(file, noisySound());
    const browser = await startBrowser(file);
    try {
        const view = await View.open(browser, servers.native.address, { hash: "#scene=pendulum" });
        await view.scene("steel-fish", "&blow=0");
        await view.id("tab-breath").click();
        await view.id("microphone").click();
        await view.until("it listens", () => window.tap.breath !== null && window.tap.microphone.length > 20);
        const before = await view.get(() => window.tap.breath.floor);
        await view.id("calibrate").click();
        await view.until("it is calibrated", () => window.tap.breath.calibrated && window.tap.breath.state === "on");
        const floor = await view.get(() => window.tap.breath.floor);
        check("the noise is taken for silence", floor > 3 * before, { before, floor });
        await view.id("reset").click();
        await view.until("it has begun", () => window.tap.frame.step > 2 && window.tap.frame.time < 1);
        await view.get(() => {
            window.loudest = 0;
            window.tap.watchMotion(1e-5);
        });
        await view.sleep(1200);
        const calm = await view.get(() => ({ speed: window.tap.breath.speed, most: window.tap.motion.most }));
        check("noise alone hardly moves it", calm.speed < 0.3, calm);
        await view.until("a blow over the noise is heard", () => window.tap.breath.speed > 0.5);
        await view.until("and moves it", () => window.tap.motion.most > 1e-3);
        figures["native: calibrated in noise"] = `floor ${floor.toFixed(3)} of full scale, noise alone makes ${calm.speed.toFixed(2)} m/s`;
        await view.close();
    } finally {
        await browser.close();
    }
}
