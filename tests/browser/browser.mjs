// What the tests stand on: Chromium, the two engines' servers, and a page with an ear on its engine (tap.js).
import { spawn } from "node:child_process";
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
const require = createRequire(join(root, "web/package.json"));
const { chromium } = require("playwright-core");
const sharp = require("sharp");
const tapScript = readFileSync(new URL("tap.js", import.meta.url), "utf8");

export const patience = 45000; // ms: machines that test are busy

const flags = [
    "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
    "--disable-background-networking", "--no-first-run", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
    "--autoplay-policy=no-user-gesture-required",
];

// Chromium whose microphone plays that file, over and over.
export function startBrowser(sound) {
    return chromium.launch({
        executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true,
        args: [...flags, `--use-file-for-fake-audio-capture=${sound}`],
    });
}

const cookies = new Map(); // by address: contexts are browsers of their own, and a token lets only one in

// `sinew view` on a free port, or on the one given. `printed` is its address with the token, `address` the one without,
// for contexts that have its cookie; `enters: false` leaves the token to be used.
export class NativeServer {
    log = [];
    lines = [];

    static async start(scene, { port = 0, folder, enters = true, more = [] } = {}) {
        const server = new NativeServer();
        server.process = spawn(join(root, "build/release/sinew"),
            ["view", "--no-open", "--port", String(port), ...more, ...(scene ? [scene] : [])],
            { stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, XDG_RUNTIME_DIR: folder } });
        server.ended = new Promise((done) => server.process.on("exit", done));
        createInterface({ input: server.process.stderr }).on("line", (line) => server.log.push(line));
        createInterface({ input: server.process.stdout }).on("line", (line) => server.print(line));
        server.printed = await server.nextLine();
        server.port = Number(new URL(server.printed).port);
        server.address = `http://127.0.0.1:${server.port}/`;
        if (enters) {
            const answer = await fetch(server.printed, { redirect: "manual" });
            const [name, value] = answer.headers.getSetCookie()[0].split(";")[0].split("=");
            cookies.set(server.address, { name, value, url: server.address, httpOnly: true, sameSite: "Strict" });
        }
        return server;
    }

    print(line) {
        this.lines.push(line);
    }

    nextLine() {
        return new Promise((done, fail) => {
            if (this.lines.length > 0) {
                done(this.lines.shift());
                return;
            }
            this.print = done;
            this.process.on("exit", () => fail(new Error(`sinew view ended: ${this.log.join("\n")}`)));
        }).finally(() => {
            delete this.print;
        });
    }

    // Has it said that in its terminal, now or soon?
    async logged(pattern) {
        for (let waited = 0; waited < patience && !this.log.some((line) => pattern.test(line)); waited += 50) {
            await new Promise((done) => setTimeout(done, 50));
        }
        return this.log.some((line) => pattern.test(line));
    }

    // What it prints when somebody presses Enter in its terminal.
    anotherAddress() {
        this.process.stdin.write("\n");
        return this.nextLine();
    }

    async end() {
        this.process.kill("SIGINT");
        const late = setTimeout(() => this.process.kill("SIGKILL"), patience);
        await this.ended;
        clearTimeout(late);
    }
}

const types = {
    ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml",
    ".wasm": "application/wasm", ".webp": "image/webp",
};

// Any file server will do for the static site; this is one.
export class StaticServer {
    // `patch` may change the text of a script on its way.
    static async start(folder, patch = null) {
        const server = new StaticServer();
        server.http = createServer((request, response) => {
            const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
            const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
            if (!file.startsWith(folder) || !existsSync(file) || !statSync(file).isFile()) {
                response.writeHead(404).end();
                return;
            }
            response.writeHead(200, { "Content-Type": types[extname(file)] ?? "application/octet-stream" });
            if (patch && extname(file) === ".js") {
                response.end(patch(path, readFileSync(file, "utf8")));
                return;
            }
            createReadStream(file).pipe(response);
        });
        await new Promise((done) => server.http.listen(0, "127.0.0.1", done));
        server.address = `http://127.0.0.1:${server.http.address().port}/`;
        return server;
    }

    end() {
        this.http.closeAllConnections();
        return new Promise((done) => this.http.close(done));
    }
}

export const small = { width: 660, height: 400 }; // narrower ones are phones

export class View {
    complaints = []; // of the console

    static async open(browser, address, { hash = "", size = small, ...more } = {}) {
        const view = new View();
        view.size = size;
        view.context = await browser.newContext({
            viewport: size, permissions: ["microphone", "clipboard-read", "clipboard-write"], acceptDownloads: true,
            colorScheme: "light", ...more,
        });
        if (cookies.has(address)) {
            await view.context.addCookies([cookies.get(address)]);
        }
        view.page = await view.context.newPage();
        view.page.setDefaultTimeout(patience);
        await view.page.addInitScript(tapScript);
        view.page.on("pageerror", (error) => view.complaints.push(String(error)));
        view.page.on("console", (message) => {
            // SwiftShader's own remarks about reading pixels are not the page's.
            if (message.type() === "error" || (message.type() === "warning" && !/GPU stall|GL Driver/.test(message.text()))) {
                view.complaints.push(message.text());
            }
        });
        await view.page.goto(address + hash);
        return view;
    }

    close() {
        return this.context.close();
    }

    id(name) {
        return this.page.getByTestId(name);
    }

    // Until that is true in the page; what: for the message when it never is.
    async until(what, condition, argument, timeout = patience) {
        try {
            await this.page.waitForFunction(condition, argument, { timeout, polling: 30 });
        } catch (error) {
            throw new Error(`waited in vain until ${what}`, { cause: error });
        }
    }

    get(read, argument) {
        return this.page.evaluate(read, argument);
    }

    sleep(milliseconds) {
        return this.page.waitForTimeout(milliseconds);
    }

    // What the page tells now; the engine may tell of other things at the same time.
    notices() {
        return this.page.getByTestId("notice").allTextContents();
    }

    async told(piece) {
        await this.until(`it is told: ${piece}`, (wanted) => window.tap.news.some((news) => news.includes(wanted)), piece);
        await this.get(() => {
            window.tap.news = [];
        });
    }

    // The tap hears the engine before there is a page that could show a scene, or take what is done to it.
    async there() {
        await this.until("the page shows a scene", () => window.tap.frame !== null && document.body.dataset.scene !== undefined);
    }

    // Opens a scene by the address bar and waits until its time has gone on.
    async scene(name, rest = "") {
        await this.there();
        const count = await this.get(() => window.tap.texts.length);
        await this.get((hash) => {
            if (location.hash === hash) {
                window.dispatchEvent(new HashChangeEvent("hashchange")); // the browser sees no change
            }
            location.hash = hash;
        }, `#scene=${name}${rest}`);
        await this.until(`${name} is there`, ([wanted, from]) =>
            window.tap.texts.slice(from).some((text) => text.is === "scene" && text.name === wanted) && window.tap.frame !== null &&
            document.body.dataset.scene === wanted, [name, count]);
    }

    // From one look to the next: what was shown before may have been another scene, at a later time.
    async running(what = "time goes on") {
        await this.there();
        await this.get(() => {
            window.tap.seen = Infinity;
        });
        await this.until(what, () => {
            const time = window.tap.frame?.time ?? 0;
            const grows = time > window.tap.seen;
            window.tap.seen = time;
            return grows;
        });
    }

    // The last frame may be from before it played.
    async pause() {
        if (await this.get(() => window.tap.status?.playing ?? window.tap.frame.playing)) {
            await this.id("play").click();
        }
        await this.until("it is paused", () => window.tap.status?.playing === false);
    }

    async play() {
        if (await this.get(() => window.tap.status?.playing === false)) {
            await this.id("play").click();
        }
        await this.until("it plays", () => window.tap.status?.playing === true);
    }

    // Where a point of the world is on the canvas, seen from the camera of a link (`at`): the eye is at `eye`, looks along +y,
    // and what bars cover is left out of the middle.
    async project(point, eye) {
        const { fov, right, bottom, width, height } = await this.get(() => {
            const canvas = document.getElementById("canvas");
            const panel = document.getElementById("panel");
            const narrow = matchMedia("(max-width: 640px)").matches;
            return {
                fov: window.tap.scene.camera.field_of_view, width: canvas.clientWidth, height: canvas.clientHeight,
                right: narrow || panel.hidden ? 0 : panel.offsetWidth,
                bottom: narrow ? 110 + (panel.hidden ? 0 : panel.offsetHeight) : 76,
            };
        });
        const scale = 0.5 * height / Math.tan(0.5 * fov) / (point[1] - eye[1]);
        return [0.5 * (width - right) + scale * (point[0] - eye[0]), 0.5 * (height - bottom) - scale * (point[2] - eye[2])];
    }

    // Where on the canvas the frame of that body is.
    async place(name, eye) {
        return this.project(await this.get((wanted) => {
            const body = window.tap.scene.bodies.find((candidate) => candidate.name === wanted);
            return [...window.tap.frame.poses.slice(7 * body.id, 7 * body.id + 3)];
        }, name), eye);
    }

    // Where the mouse can take that body, near its frame. The pointer says so.
    async graspable(name, eye) {
        const [x, y] = await this.place(name, eye);
        for (let i = 0; i < 60; ++i) {
            const at = [x + 3 * Math.sqrt(i) * Math.cos(2.4 * i), y + 3 * Math.sqrt(i) * Math.sin(2.4 * i)];
            await this.page.mouse.move(...at);
            await this.get(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
            if (await this.get(() => document.getElementById("canvas").style.cursor) === "grab") {
                return at;
            }
        }
        throw new Error(`${name} cannot be taken at ${x}, ${y}`);
    }

    // That part of the page, byte by byte.
    async pixels(clip) {
        const picture = await this.page.screenshot({ clip });
        const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
        return { data, width: info.width, height: info.height, channels: info.channels };
    }

    // How many pixels of that part of the page are near a colour.
    async pixelsNear(colour, clip, reach = 40) {
        const { data, channels } = await this.pixels(clip);
        let count = 0;
        for (let i = 0; i < data.length; i += channels) {
            if (colour.every((value, k) => Math.abs(value - data[i + k]) < reach)) {
                count += 1;
            }
        }
        return count;
    }

    // Of the bluish pixels of that part of the page: how many, and how much their brightness varies, of 255.
    async blues(clip) {
        const { data, channels } = await this.pixels(clip);
        const lights = [];
        for (let i = 0; i < data.length; i += channels) {
            if (data[i + 2] > data[i] + 50) {
                lights.push((data[i] + data[i + 1] + data[i + 2]) / 3);
            }
        }
        const mean = lights.reduce((sum, value) => sum + value, 0) / lights.length;
        return { count: lights.length, varies: Math.sqrt(lights.reduce((sum, value) => sum + (value - mean) ** 2, 0) / lights.length) };
    }

    // Of the pictures in a video.
    videoSize(bytes) {
        return this.get((text) => new Promise((done, fail) => {
            const video = document.createElement("video");
            video.onloadedmetadata = () => done({ width: video.videoWidth, height: video.videoHeight });
            video.onerror = () => fail(new Error("the video cannot be played"));
            video.src = URL.createObjectURL(new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]));
        }), bytes.toString("base64"));
    }

    // Where the camera stands and what it looks at, as the link to share tells.
    async camera() {
        await this.get(() => navigator.clipboard.writeText(""));
        await this.id("share").click();
        let link = "";
        for (let i = 0; i < 100 && !link.includes("at="); ++i) {
            await this.sleep(30);
            link = await this.get(() => navigator.clipboard.readText());
        }
        const numbers = decodeURIComponent(/[&#]at=([^&]*)/.exec(link)[1]).split(",").map(Number);
        return { position: numbers.slice(0, 3), target: numbers.slice(3) };
    }

    // The canvas as it is shown, without what lies over it, three bytes a pixel.
    async canvasPixels() {
        const picture = await this.page.locator("#canvas").screenshot({
            style: "#top, #side, #transport, #hint, #labels { visibility: hidden !important; }",
        });
        const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
        return { data, width: info.width, height: info.height };
    }

    // How many colours the canvas has: an empty one has few.
    async colours() {
        const picture = await this.page.locator("#canvas").screenshot();
        const { data } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
        const seen = new Set();
        for (let i = 0; i < data.length; i += 3) {
            seen.add((data[i] >> 3) << 10 | (data[i + 1] >> 3) << 5 | data[i + 2] >> 3);
        }
        return seen.size;
    }

    async download(click) {
        const [download] = await Promise.all([this.page.waitForEvent("download"), click()]);
        return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
    }
}

// Of two pictures of the same size, in any channel of any square of 8 x 8 pixels: a busy machine draws with fewer pixels,
// which changes edges, but not means.
export async function largestDifference(one, other) {
    const [a, b] = await Promise.all([one, other].map(async (picture) => {
        const { width, height } = await sharp(picture).metadata();
        return sharp(picture).removeAlpha().resize(Math.round(width / 8), Math.round(height / 8), { fit: "fill", kernel: "linear" }).raw().toBuffer();
    }));
    return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);
}

// Two recordings of a microphone after each other, 16 bits, one channel, the same rate.
export function joinSounds(...files) {
    const sounds = files.map((file) => readFileSync(file));
    const data = Buffer.concat(sounds.map((sound) => sound.subarray(44)));
    const head = Buffer.from(sounds[0].subarray(0, 44));
    head.writeUInt32LE(36 + data.length, 4);
    head.writeUInt32LE(data.length, 40);
    return Buffer.concat([head, data]);
}
