// An own scene in the page, as tools/newcomer opens it: it runs by itself, each colour of its file is to be seen, and nothing
// complains. Needs Chromium ($CHROMIUM) and nothing else that is not Node's own.
//
//     node tools/newcomer-page.mjs SCENE.json PICTURE.png
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Chromium } from "./chromium.mjs";

const size = { width: 1120, height: 700 };
const leastPixels = 60; // of each colour
const [scene, picture] = process.argv.slice(2);

// `sinew view` and the address it prints.
async function serve(folder) {
    const server = spawn("build/release/sinew", ["view", "--no-open", "--port", "0", scene],
        { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, XDG_RUNTIME_DIR: folder } });
    const ended = new Promise((done) => server.on("exit", done));
    const address = await new Promise((done, fail) => {
        createInterface({ input: server.stdout }).once("line", done);
        void ended.then(() => fail(new Error("sinew view ended before it printed an address")));
    });
    return { address, end: () => (server.kill("SIGINT"), ended) };
}

// How many pixels of a picture have the hue of each colour, between the bars. Light changes how bright a thing is, not its
// hue; ground, sky and bars are grey. Runs in the browser, which can read PNG.
async function countHues(source, colours) {
    const hue = (r, g, b) => {
        const most = Math.max(r, g, b);
        const range = most - Math.min(r, g, b);
        if (range < 0.3 * most || range < 30) {
            return null;
        }
        const sector = most === r ? (g - b) / range : most === g ? 2 + (b - r) / range : 4 + (r - g) / range;
        return (60 * sector + 360) % 360;
    };
    const image = await createImageBitmap(await (await fetch(source)).blob());
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(20, 80, image.width - 140, image.height - 200);
    const counts = colours.map(() => 0);
    const wanted = colours.map((colour) => hue(...[1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16))));
    for (let i = 0; i < data.length; i += 4) {
        const found = hue(data[i], data[i + 1], data[i + 2]);
        wanted.forEach((value, k) => {
            const apart = found === null ? 180 : Math.abs(found - value);
            counts[k] += Math.min(apart, 360 - apart) < 15 ? 1 : 0;
        });
    }
    return counts;
}

// What is wrong with the page, or nothing.
async function judge(browser, address, colours) {
    const complaints = [];
    const tab = await browser.open(address, size, (event, { entry, exceptionDetails, type, args }) => {
        if (event === "Runtime.exceptionThrown") {
            complaints.push(exceptionDetails.exception?.description ?? exceptionDetails.text);
        } else if (event === "Runtime.consoleAPICalled" && type === "error") {
            complaints.push(args.map((argument) => argument.value ?? argument.description).join(" "));
        } else if (event === "Log.entryAdded" && entry.level === "error") {
            complaints.push(entry.text);
        }
    });
    const errors = `(document.getElementById("errors")?.innerText ?? "")`;
    await tab.until("the page shows a scene or an error", `document.body?.dataset.scene !== undefined || ${errors} !== ""`);
    await tab.until("time goes on", `${errors} !== "" || parseFloat(document.querySelector("[data-testid=time]").textContent) > 1`);
    const bytes = await tab.picture();
    writeFileSync(picture, bytes);
    const said = await tab.get(errors);
    if (said !== "") {
        return `the page shows an error: ${said}`;
    }
    const blank = await browser.open("about:blank", size);
    const source = `data:image/png;base64,${bytes.toString("base64")}`;
    const counts = await blank.get(`(${countHues})(${JSON.stringify(source)}, ${JSON.stringify(colours)})`);
    console.log(`pixels of each colour: ${colours.map((colour, i) => `${colour} ${counts[i]}`).join(", ")}`);
    const unseen = colours.filter((_, i) => counts[i] < leastPixels);
    if (unseen.length > 0) {
        return `what has the colour ${unseen.join(" or ")} is not to be seen`;
    }
    return complaints.length > 0 ? `the console says: ${complaints.join("; ")}` : "";
}

const colours = [...new Set(readFileSync(scene, "utf8").match(/#[0-9a-f]{6}\b/gi))];
if (colours.length === 0) {
    console.error(`${scene} names no colours by which its things could be seen`);
    process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), "sinew-newcomer-"));
const server = await serve(folder);
const browser = new Chromium(process.env.CHROMIUM ?? "chromium");
let wrong = "";
try {
    wrong = await judge(browser, server.address, colours);
} catch (error) {
    wrong = error.message;
} finally {
    await browser.end();
    await server.end();
    rmSync(folder, { recursive: true, force: true });
}
if (wrong !== "") {
    console.error(`${scene} in the page: ${wrong}`);
    process.exit(1);
}
