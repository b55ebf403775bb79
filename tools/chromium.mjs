// Chromium without any package: its DevTools protocol over a pipe (--remote-debugging-pipe: JSON ended by a zero byte, to it on
// file descriptor 3, from it on 4). Enough to open a page, ask it, and take its picture, with the Node of any Debian.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const flags = [
    "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--disable-background-networking", "--no-first-run",
];

export class Chromium {
    #answers = new Map(); // by the call's id
    #listeners = new Map(); // by session
    #calls = 0;
    #rest = Buffer.alloc(0);

    constructor(path) {
        this.profile = mkdtempSync(join(tmpdir(), "sinew-chromium-"));
        this.process = spawn(path, [...flags, `--user-data-dir=${this.profile}`, "about:blank"],
            { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
        this.ended = new Promise((done) => {
            this.process.on("error", (error) => done(`Chromium does not start: ${error.message}`));
            this.process.on("exit", (code) => done(`Chromium ended with ${code}`));
        });
        void this.ended.then((reason) => {
            for (const { fail } of this.#answers.values()) {
                fail(new Error(reason));
            }
            this.#answers.clear();
        });
        this.process.stdio[3].on("error", () => {}); // it ended, which is reported above
        this.process.stdio[4].on("data", (bytes) => this.#read(bytes));
    }

    #read(bytes) {
        this.#rest = Buffer.concat([this.#rest, bytes]);
        for (let end = this.#rest.indexOf(0); end >= 0; end = this.#rest.indexOf(0)) {
            const message = JSON.parse(this.#rest.toString("utf8", 0, end));
            this.#rest = this.#rest.subarray(end + 1);
            const waiting = this.#answers.get(message.id);
            this.#answers.delete(message.id);
            if (message.error) {
                waiting?.fail(new Error(message.error.message));
            } else if (waiting) {
                waiting.done(message.result);
            } else {
                this.#listeners.get(message.sessionId)?.(message.method, message.params);
            }
        }
    }

    call(method, params = {}, sessionId = undefined) {
        const id = ++this.#calls;
        return new Promise((done, fail) => {
            this.#answers.set(id, { done, fail });
            this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
        });
    }

    // A new tab; `listen` hears its events.
    async open(address, { width, height }, listen = () => {}) {
        const { targetId } = await this.call("Target.createTarget", { url: "about:blank" });
        const { sessionId } = await this.call("Target.attachToTarget", { targetId, flatten: true });
        this.#listeners.set(sessionId, listen);
        const tab = new Tab(this, sessionId);
        await tab.call("Runtime.enable");
        await tab.call("Log.enable");
        await tab.call("Page.enable");
        await tab.call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
        await tab.call("Page.navigate", { url: address });
        return tab;
    }

    async end() {
        this.call("Browser.close").catch(() => {});
        const late = setTimeout(() => this.process.kill("SIGKILL"), 10000);
        await this.ended;
        clearTimeout(late);
        rmSync(this.profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    }
}

class Tab {
    constructor(browser, session) {
        this.browser = browser;
        this.session = session;
    }

    call(method, params) {
        return this.browser.call(method, params, this.session);
    }

    // The value of an expression, or of the promise it is, in the page.
    async get(expression) {
        const { result, exceptionDetails } = await this.call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
        if (exceptionDetails) {
            throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
        }
        return result.value;
    }

    async until(what, expression, patience = 45000) {
        for (const start = Date.now(); !(await this.get(expression));) {
            if (Date.now() - start > patience) {
                throw new Error(`waited in vain until ${what}`);
            }
            await new Promise((done) => setTimeout(done, 100));
        }
    }

    // A PNG file's bytes.
    async picture() {
        const { data } = await this.call("Page.captureScreenshot", { format: "png" });
        return Buffer.from(data, "base64");
    }
}
