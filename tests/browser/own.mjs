// A scene of one's own: seen without a camera, first in the gallery, brought back by saving; the clock that waits for the
// page, mistakes, notes, and keys wherever the focus is.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NativeServer, root, View } from "./browser.mjs";

// Two red or blue things over a floor, `unit` large, about `at`; no camera.
function things(unit, at, colour = "red") {
    const place = (x, y, z) => [at[0] + unit * x, at[1] + unit * y, at[2] + unit * z];
    const shape = (given) => ({ colour: colour === "red" ? "#c8321f" : "#1f4fc8", ...given });
    return {
        sinew: 1, gravity: [0, 0, -9.81 * unit],
        bodies: [
            { name: "box", position: place(0, 0, 0.4), shape: shape({ type: "box", size: [0.4 * unit, 0.3 * unit, 0.2 * unit] }) },
            { name: "ball", position: place(0.5, 0, 0.6), shape: shape({ type: "sphere", radius: 0.1 * unit }) },
            { name: "ground", type: "static", position: [0, 0, at[2]], shape: { type: "plane" } },
        ],
    };
}

const falling = {
    ...things(1, [0, 0, 0]), name: "Falling things",
    events: [{ name: "ball passes", of: "ball", quantity: "position.z", threshold: 0.4, direction: "falling" }],
};

// The box of red or blue pixels on the canvas, as shares of it, and how many there are.
async function colourBox(view, colour = "red") {
    const { data, width, height } = await view.canvasPixels();
    const box = { left: 1, right: 0, top: 1, bottom: 0, count: 0 };
    for (let i = 0; i < width * height; ++i) {
        const [r, g, b] = [data[3 * i], data[3 * i + 1], data[3 * i + 2]];
        if (colour === "red" ? r > 70 && r > 1.7 * g && r > 1.7 * b : b > 70 && b > 1.5 * r && b > 1.3 * g) {
            const [x, y] = [(i % width) / width, Math.floor(i / width) / height];
            box.left = Math.min(box.left, x);
            box.right = Math.max(box.right, x);
            box.top = Math.min(box.top, y);
            box.bottom = Math.max(box.bottom, y);
            box.count += 1 / (width * height);
        }
    }
    return box;
}

// A busy machine draws a new scene late, and shows the last one until then, which has the other colour.
async function framedBox(view, colour) {
    let box = await colourBox(view, colour);
    for (let i = 0; i < 40 && !isFramed(box); ++i) {
        await view.sleep(250);
        box = await colourBox(view, colour);
    }
    return box;
}

// All of it in the picture, neither tiny nor cut off, and its shadow on a ground below.
function isFramed(box) {
    return box.left > 0.02 && box.right < 0.98 && box.top > 0.04 && box.bottom < 0.86 && box.count > 0.01 && Math.max(box.right - box.left, box.bottom - box.top) > 0.2;
}

async function drop(view, name, text) {
    const count = await view.get(() => window.tap.texts.length);
    await view.page.locator("#gallery input[type=file]").setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(text) });
    await view.until(`${name} is there`, ([wanted, from]) =>
        window.tap.texts.slice(from).some((text) => text.is === "scene" && text.name === wanted) && window.tap.frame !== null &&
        document.body.dataset.scene === wanted, [name, count]);
    await view.pause();
    await view.get(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

// Scenes without a camera among the code blocks of the documents.
function documentScenes() {
    const found = [];
    for (const name of readdirSync(join(root, "docs")).filter((file) => file.endsWith(".md"))) {
        const text = readFileSync(join(root, "docs", name), "utf8");
        for (const [, block] of text.matchAll(/```jsonc?\n([^]*?)```/g)) {
            if (/^\s*\{\s*"sinew": 1/.test(block) && !block.includes('"camera"') && !block.includes('"file"')) {
                found.push([`${name.replace(".md", "")}-${found.length}.json`, block]);
            }
        }
    }
    return found;
}

const robot = `<?xml version="1.0"?>
<robot name="arm">
  <link name="base"><inertial><mass value="5"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><box size="0.3 0.3 0.1"/></geometry></visual><collision><geometry><box size="0.3 0.3 0.1"/></geometry></collision></link>
  <link name="upper"><inertial><origin xyz="0 0 0.3"/><mass value="1"/><inertia ixx="0.03" iyy="0.03" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 0.3"/><geometry><box size="0.08 0.08 0.6"/></geometry></visual>
    <collision><origin xyz="0 0 0.3"/><geometry><box size="0.08 0.08 0.6"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.05" rpy="0 0.4 0"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="10" velocity="5"/></joint>
</robot>
`;

// Do all bodies that move project into the picture, as the camera of the shared link sees them?
async function bodiesInside(view) {
    const { position, target } = await view.camera();
    return view.get(([eye, at]) => {
        const sub = (a, b) => a.map((value, i) => value - b[i]);
        const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
        const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
        const unit = (a) => a.map((value) => value / Math.hypot(...a));
        const forward = unit(sub(at, eye));
        const right = unit(cross(forward, [0, 0, 1]));
        const up = cross(right, forward);
        const { scene, frame } = window.tap;
        const tangent = Math.tan(0.5 * scene.camera.field_of_view);
        const canvas = document.getElementById("canvas");
        const moving = scene.bodies.filter((body) => !body.static);
        return moving.length > 0 && moving.every(({ id }) => {
            const place = [...frame.poses.slice(7 * id, 7 * id + 3)].map((value, i) => value + scene.origin[i]);
            const away = sub(place, eye);
            const depth = dot(away, forward);
            return depth > 0 && Math.abs(dot(away, up)) < tangent * depth && Math.abs(dot(away, right)) < tangent * depth * canvas.clientWidth / canvas.clientHeight;
        });
    }, [position, target]);
}

// A scene without a camera is framed, wherever and however large it is.
export async function unframed({ browser, servers, pictureFolder }, engine, check) {
    const view = await View.open(browser, servers[engine].address, { hash: "#scene=pendulum" });
    await view.scene("pendulum"); // anew: somebody before may have paused it
    await view.running();
    const kinds = [
        ["near", 1, [0, 0, 0]], ["far", 1, [10000, -5000, 300]], ["millimetres", 0.001, [0, 0, 0]], ["hundreds", 100, [50, 20, 0]], ["remote", 1, [1e6, 0, 1e6]],
    ];
    for (const [i, [name, unit, at]] of (engine === "native" ? kinds : kinds.slice(0, 2)).entries()) {
        const colour = i % 2 === 0 ? "red" : "blue";
        await drop(view, `${name}.json`, JSON.stringify(things(unit, at, colour)));
        const box = await framedBox(view, colour);
        await view.page.screenshot({ path: join(pictureFolder, `own-${name}-${engine}.png`) });
        check(`${name}: what moves is in the picture`, isFramed(box), box);
    }
    await (engine === "native" ? otherViews(view, check) : documents(view, check)); // the page is the same in both
    check("nothing is in the console", view.complaints.length === 0, view.complaints);
    await view.close();
}

async function otherViews(view, check) {
    await view.page.setViewportSize({ width: 660, height: 560 });
    await view.sleep(300);
    const wide = await framedBox(view, "red");
    check("in a picture of another shape, too", isFramed(wide), wide);
    await view.page.setViewportSize(view.size);
    await view.id("tab-show").click();
    await view.id("camera-top").click();
    await view.id("camera-scene").click();
    await view.sleep(900);
    await view.id("tab-show").click();
    await view.sleep(900);
    const again = await framedBox(view, "red");
    check("the scene's view leads back to it", isFramed(again), again);

    // A pull goes where the pointer is, also far from zero.
    await drop(view, "far.json", JSON.stringify(things(1, [10000, -5000, 300], "blue")));
    const box = await framedBox(view, "blue");
    const [x, y] = [view.size.width * (box.left + 0.25 * (box.right - box.left)), view.size.height * (box.top + 0.75 * (box.bottom - box.top))];
    await view.page.mouse.move(x, y);
    await view.page.mouse.down();
    await view.page.mouse.move(x + 20, y - 20, { steps: 3 });
    await view.until("it is held", () => window.tap.frame.grabs.length === 1);
    const held = await view.get(() => ({ to: window.tap.lastSent.drag?.to ?? window.tap.lastSent.grab.to, grab: window.tap.frame.grabs[0], origin: window.tap.scene.origin }));
    check("a hand far from zero is where the thing is", Math.hypot(held.to[0] - 10000, held.to[1] + 5000, held.to[2] - 300) < 3 &&
        Math.hypot(...held.grab.from) < 3, held);
    await view.page.mouse.up();
}

async function documents(view, check) {
    const shown = [...documentScenes(), ["arm.urdf", robot]];
    check("the documents have scenes without a camera", shown.length >= 5, shown.map(([name]) => name));
    for (const [name, text] of shown) {
        await drop(view, name, text);
        check(`${name}: its bodies are in the picture`, await bodiesInside(view));
    }
}

const listed = (view) => view.get(() => [...document.querySelectorAll("#gallery .card")].map((card) => card.dataset.testid));

// The file that the server was started with.
async function gallery(view, file, text, check, pictureFolder) {
    check("the page's title names the scene", await view.page.title() === "Falling things · Sinew", await view.page.title());
    check("there is no way back while it is shown", await view.id("home").isHidden());
    await view.page.keyboard.press("g");
    await view.until("the gallery is open", () => document.getElementById("gallery").open);
    check("the own file is first in the gallery", (await listed(view))[0] === "scene-mine.json", (await listed(view)).slice(0, 3));
    await view.until("with a picture of it", () => document.querySelector("#gallery .card img")?.naturalWidth > 0);
    await view.sleep(200);
    await view.page.screenshot({ path: join(pictureFolder, "own-gallery.png") });
    await view.id("gallery-search").fill("crank");
    await view.id("scene-slider-crank").click();
    await view.until("another scene is there", () => document.body.dataset.scene === "slider-crank");
    check("the title of the page follows", /Sinew$/.test(await view.page.title()) && !/Falling/.test(await view.page.title()));
    check("a way back is offered", await view.id("home").isVisible() && /mine\.json/.test(await view.id("home").innerText()));
    await view.sleep(300);
    await view.page.screenshot({ path: join(pictureFolder, "own-way-back.png") });
    await view.id("home").click();
    await view.until("it leads back", () => document.body.dataset.scene === "mine.json" && window.tap.frame?.time > 0);

    await view.scene("pendulum");
    writeFileSync(file, text);
    await view.until("saving the file brings it back", () => document.body.dataset.scene === "mine.json" && window.tap.frame?.time > 0);
    check("and it runs", await view.get(() => window.tap.status.playing));
}

async function mistakes(view, file, text, check, pictureFolder) {
    const broken = text.replace('"sphere"', '"spere"');
    const shown = () => document.querySelector("[data-testid=error-place]") !== null;
    await view.play();
    writeFileSync(file, broken);
    await view.until("the mistake is shown, the run paused", () => document.querySelector("[data-testid=error-place]") !== null && window.tap.status.playing === false);
    await view.sleep(600);
    await view.page.screenshot({ path: join(pictureFolder, "own-broken.png") });
    const { card, canvas } = await view.get(() => ({
        card: document.querySelector(".error-card").getBoundingClientRect().toJSON(), canvas: document.getElementById("canvas").getBoundingClientRect().toJSON(),
    }));
    check("beside the middle of the picture", card.left > 0.5 * canvas.width || card.top > 0.6 * canvas.height, card);
    const box = await colourBox(view);
    check("which still shows the thing", box.count > 0.005 && box.right * canvas.width < card.left, { box, card });
    writeFileSync(file, text);
    await view.until("mended it runs as before", () => document.querySelector(".error-card") === null && window.tap.status.playing === true);
    await view.running();
    await view.pause();
    writeFileSync(file, broken);
    await view.until("it is shown again", shown);
    writeFileSync(file, text.replace('"spere"', '"sphere"'));
    await view.until("the mistake is gone", () => document.querySelector(".error-card") === null);
    await view.sleep(300);
    check("paused it stays paused", await view.get(() => window.tap.status.playing === false));
}

async function notes(view, check, pictureFolder) {
    await view.id("reset").click();
    await view.play();
    await view.until("the event is told", () => window.tap.texts.some((text) => text.is === "notice" && text.kind === "event"));
    const event = await view.get(() => window.tap.texts.findLast((text) => text.is === "notice" && text.kind === "event"));
    // z = 0.6 - g t^2 / 2 passes 0.4 at sqrt(0.4 / g).
    check("with the time it happened at", Math.abs(event.time - Math.sqrt(0.4 / 9.81)) < 0.01, event);
    await view.until("there is a tick", () => document.querySelectorAll("[data-testid=tick].event").length === 1);
    await view.until("which moves to the left as time goes on", () => window.tap.frame.time > 0.9);
    await view.pause();
    await view.sleep(400);
    const share = await view.get(() => {
        const tick = document.querySelector("[data-testid=tick].event").getBoundingClientRect();
        const line = document.querySelector("[data-testid=ticks]").getBoundingClientRect();
        return (tick.left + tick.width / 2 - line.left) / line.width * window.tap.status.history.to;
    });
    check("the tick is where the time is", Math.abs(share - event.time) < 0.02 * await view.get(() => window.tap.status.history.to), { share, event });
    check("nothing lies over the picture", await view.get(() => {
        const bar = document.getElementById("transport").getBoundingClientRect();
        return [...document.querySelectorAll("[data-testid=notice]")].every((notice) => notice.getBoundingClientRect().top >= bar.top);
    }));
    check("the tab counts what is new", Number(await view.id("badge-notes").innerText()) >= 1);
    await view.id("tab-notes").click();
    await view.until("the list has it", () => [...document.querySelectorAll("[data-testid=note]")].some((note) => /ball passes/.test(note.textContent)));
    check("seen they are not new any more", await view.id("badge-notes").count() === 0);
    await view.sleep(500);
    await view.page.screenshot({ path: join(pictureFolder, "own-notes.png") });
    await view.page.keyboard.press("d");
    await view.sleep(500);
    await view.page.screenshot({ path: join(pictureFolder, "own-notes-dark.png") });
    await view.page.keyboard.press("d");
    await view.page.locator("[data-testid=tick].event").click();
    await view.until("a tick leads to its moment", (time) => window.tap.frame.past && Math.abs(window.tap.frame.time - time) < 0.02, event.time);
    await view.id("tab-notes").click();
    await view.id("reset").click();
    await view.until("from the start it has not happened", () => document.querySelectorAll("[data-testid=tick].event").length === 0);
    await view.id("share").click();
    await view.told("is a file of the server");
    await view.page.keyboard.press("k");
    await view.until("a new note takes the place of the old one", () => {
        const told = [...document.querySelectorAll("[data-testid=notice]")];
        return told.length === 1 && /Select a thing/.test(told[0].textContent);
    });
}

async function keys(view, check) {
    const step = () => view.get(() => window.tap.frame.step);
    const arrows = async (where) => {
        const before = await step();
        await view.page.keyboard.press("ArrowRight");
        await view.until(`the arrow steps with the focus on ${where}`, (wanted) => window.tap.frame.step === wanted, before + 1);
        await view.page.keyboard.press("ArrowLeft");
        await view.until(`and back with the focus on ${where}`, (wanted) => window.tap.frame.step === wanted, before);
        await view.page.keyboard.press("Space");
        await view.until(`Space plays with the focus on ${where}`, () => window.tap.status.playing === true);
        await view.page.keyboard.press("Space");
        await view.until(`and pauses with the focus on ${where}`, () => window.tap.status.playing === false);
        check(`Space and arrows mean time with the focus on ${where}`, true);
    };
    await view.id("reset").click();
    await view.page.keyboard.press("ArrowRight");
    await view.until("a step", () => window.tap.frame.step === 1);
    await view.id("help-open").focus();
    await arrows("a button");
    check("which was not pressed", !(await view.get(() => document.getElementById("help").open)));
    await view.page.keyboard.press("Enter");
    await view.until("Enter presses it", () => document.getElementById("help").open);
    check("the help tells the rule", /wherever the focus is, except in text fields/.test(await view.page.locator("#help").innerText()));
    await arrows("a dialog");
    await view.page.keyboard.press("Escape");
    await view.until("Escape closes it", () => !document.getElementById("help").open);
    await view.id("history").focus();
    await arrows("the time bar");
    await view.id("tab-show").click();
    await arrows("a tab");
    await view.id("show-contacts").focus();
    await arrows("a switch");
    check("which did not turn", !(await view.id("show-contacts").isChecked()));
    await view.page.keyboard.press("Enter");
    await view.until("Enter turns it", () => window.tap.lastSent.show?.contacts === true);
    await view.id("tab-breath").click();
    await view.id("hold-to-blow").focus();
    await arrows("the button to blow");
    check("which did not blow", await view.get(() => !(window.tap.sent.blow > 0)));
    await view.id("tab-inspect").click();
    await view.id("body").focus();
    await arrows("a list");
    await view.id("tab-inspect").click();
    await view.page.keyboard.press("g");
    await view.until("the gallery is open", () => document.getElementById("gallery").open);
    const before = await step();
    await view.id("gallery-search").focus();
    await view.page.keyboard.type("a b");
    check("a text field has its keys to itself", await view.id("gallery-search").inputValue() === "a b" && await step() === before);
    await view.id("gallery-search").fill("");
    await view.id("gallery-close").focus();
    await arrows("the gallery");
    await view.page.keyboard.press("g");
    await view.until("G closes it", () => !document.getElementById("gallery").open);
}

// All of this needs a file that is watched.
export async function own({ browser, folder, pictureFolder }, engine, check) {
    if (engine !== "native") {
        return;
    }
    const file = join(folder, "mine.json");
    const text = JSON.stringify(falling, null, 1);
    writeFileSync(file, text);
    const server = await NativeServer.start(file, { folder });
    try {
        check("the terminal says that it waits", await server.logged(/waiting for a page/));
        await new Promise((done) => setTimeout(done, 1500));
        const view = await View.open(browser, server.address, { size: { width: 900, height: 560 } });
        await view.until("it runs", () => window.tap.frame?.time > 0.1);
        const first = await view.get(() => window.tap.shown[0].time);
        check("the clock starts when the page is open", first === 0, first);
        check("the terminal says that it runs", await server.logged(/clock runs/));
        const steps = [
            () => gallery(view, file, text, check, pictureFolder), () => mistakes(view, file, text, check, pictureFolder),
            () => notes(view, check, pictureFolder), () => keys(view, check),
        ];
        for (const step of steps) {
            await step();
        }
        check("nothing is in the console", view.complaints.length === 0, view.complaints);
        await view.close();
    } finally {
        await server.end();
    }
    const hasty = await NativeServer.start("pendulum", { folder, more: ["--run"] });
    try {
        await new Promise((done) => setTimeout(done, 800));
        const view = await View.open(browser, hasty.address);
        await view.there();
        check("with --run it starts at once", await view.get(() => window.tap.firstTime) > 0.1, await view.get(() => window.tap.firstTime));
        await view.close();
    } finally {
        await hasty.end();
    }
    // A file that is broken from the start: its mistake is shown, not another scene, and mended it runs.
    writeFileSync(join(folder, "wrong.json"), text.replace('"sphere"', '"spere"'));
    const wrong = await NativeServer.start(join(folder, "wrong.json"), { folder });
    try {
        const view = await View.open(browser, wrong.address, { size: { width: 900, height: 560 } });
        await view.until("its mistake is shown", () => /wrong\.json:\d+:\d+/.test(document.querySelector("[data-testid=error-place]")?.textContent ?? ""));
        check("and nothing else is opened", await view.get(() => window.tap.scene === null && (window.tap.sent.open ?? 0) === 0));
        check("the page is named after it", await view.page.title() === "wrong.json · Sinew", await view.page.title());
        await view.page.screenshot({ path: join(pictureFolder, "own-broken-start.png") });
        writeFileSync(join(folder, "wrong.json"), text);
        await view.until("mended it runs", () => document.querySelector(".error-card") === null && window.tap.frame?.time > 0.1);
        check("from its start", await view.get(() => window.tap.shown[0].time) === 0);
        await view.close();
    } finally {
        await wrong.end();
    }
}

// Without a server's file: one that was opened in the page is found again.
export async function dropped({ browser, servers }, engine, check) {
    const view = await View.open(browser, servers[engine].address, { hash: "#scene=pendulum" });
    await view.scene("pendulum"); // anew: somebody before may have paused it
    await view.running();
    await drop(view, "falls.json", JSON.stringify(falling));
    await view.scene("double-pendulum");
    check("a way back to the file is offered", await view.id("home").isVisible() && /falls\.json/.test(await view.id("home").innerText()));
    await view.page.keyboard.press("g");
    await view.until("the gallery is open", () => document.getElementById("gallery").open);
    check("it is first in the gallery", (await listed(view))[0] === "scene-falls.json", (await listed(view)).slice(0, 2));
    await view.id("scene-falls.json").click();
    await view.until("it is opened from there", () => document.body.dataset.scene === "falls.json" && window.tap.frame?.time > 0);
    check("no way back is needed now", await view.id("home").isHidden());
    check("nothing is in the console", view.complaints.length === 0, view.complaints);
    await view.close();
}
