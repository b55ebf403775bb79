// Talks to the worker of the built site as the page would: messages in, frames out.
//
//     node tests/web/worker.mjs SITE BUILT     build/web, and build/wasm with engines that die or have little memory
//
// The site comes from a file server of its own. Ends with `N passed, M failed`.
import { createServer } from "node:http";
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

const [site, built] = process.argv.slice(2);
const patience = 120000; // ms: machines that test are busy
let passed = 0;
let failed = 0;

function check(what, good, seen) {
    if (good) {
        passed += 1;
        return;
    }
    failed += 1;
    const text = typeof seen === "string" ? seen : JSON.stringify(seen);
    console.log(`failed: ${what}${seen === undefined ? "" : `: ${text?.slice(0, 400)}`}`);
}

const types = { ".wasm": "application/wasm", ".js": "text/javascript" };
let engineFile = join(site, "sinew.wasm");
let engineType = types[".wasm"];
const server = createServer((request, response) => {
    if (request.url === "/sinew.wasm" && engineFile) {
        response.writeHead(200, engineType ? { "Content-Type": engineType } : {}).end(readFileSync(engineFile));
    } else {
        response.writeHead(404).end();
    }
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));

class Client {
    messages = []; // not yet looked for
    arrived = () => {};
    newest = null; // of the frames

    constructor() {
        const assets = join(site, "assets");
        const script = readdirSync(assets).find((name) => /^worker-.*\.js$/.test(name));
        this.worker = new Worker(new URL("worker_host.mjs", import.meta.url), {
            workerData: {
                script: pathToFileURL(resolve(assets, script)).href,
                address: `http://127.0.0.1:${server.address().port}/assets/${script}`,
            },
            stderr: true, // deaths are logged, and expected here
        });
        this.worker.on("message", (data) => {
            if (data === null) {
                return; // the script runs
            }
            const message = typeof data === "string" ? JSON.parse(data) : binary(data);
            this.newest = message.is === "frame" ? message : this.newest;
            this.messages.push(message);
            this.arrived();
        });
        this.worker.on("error", (error) => {
            check("the worker runs", false, String(error));
            this.messages.push({ is: "dead" });
            this.arrived();
        });
    }

    send(message) {
        const text = message instanceof ArrayBuffer || typeof message === "string";
        this.worker.postMessage(text ? message : JSON.stringify(message));
    }

    // The next message that is as wanted; those before it are forgotten. Null when none comes.
    async next(wanted) {
        const end = Date.now() + patience;
        for (;;) {
            while (this.messages.length > 0) {
                const message = this.messages.shift();
                if (wanted(message)) {
                    return message;
                }
            }
            if (Date.now() > end) {
                return null;
            }
            await new Promise((done) => {
                const timer = setTimeout(done, 1000);
                this.arrived = () => {
                    clearTimeout(timer);
                    done();
                };
            });
        }
    }

    is(name, more = () => true) {
        return this.next((message) => message.is === name && more(message));
    }

    // A frame as wanted, which may have come before an answer that was waited for.
    async frame(wanted) {
        return this.newest && wanted(this.newest) ? this.newest : this.is("frame", wanted);
    }

    async ask(message, id) {
        this.send({ ...message, id });
        return this.next((answer) => (answer.is === "reply" || answer.is === "error") && answer.id === id);
    }

    end() {
        return this.worker.terminate();
    }
}

// As docs/protocol.md lays them out.
function binary(data) {
    const view = new DataView(data);
    const word = (at) => view.getUint32(at, true);
    if (word(0) === 2) {
        const counts = Array.from({ length: 8 }, (_, i) => word(40 + 4 * i));
        const poses = 104 + 8 * counts[5];
        return {
            is: "frame", size: data.byteLength, generation: word(4), time: view.getFloat64(8, true),
            steps: Number(view.getBigUint64(16, true)), milliseconds: view.getFloat32(28, true), counts,
            poses: Array.from({ length: 7 * counts[0] }, (_, i) => view.getFloat32(poses + 4 * i, true)),
        };
    }
    if (word(0) === 3) {
        return { is: "mesh", size: data.byteLength, generation: word(4), vertices: word(12), triangles: word(16) };
    }
    const start = 12 + 4 * Math.ceil(word(8) / 4);
    return {
        is: "file", id: word(4), name: new TextDecoder().decode(new Uint8Array(data, 12, word(8))),
        text: new TextDecoder().decode(new Uint8Array(data, start)),
    };
}

async function welcome(client) {
    client.send({ do: "hello", protocol: 1 });
    const message = await client.is("welcome");
    const shipped = readdirSync("scenes").filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -5));
    check("welcome comes from wasm", message?.engine === "wasm" && message.protocol === 1, message);
    const names = (message?.scenes ?? []).map((scene) => scene.name);
    check("all shipped scenes are listed", shipped.every((name) => names.includes(name)), names);
    check("each has title, description and group",
        (message?.scenes ?? []).every((scene) => scene.title && scene.description && scene.group), message?.scenes);
    check("groups stand together", new Set(message?.scenes.map((scene) => scene.group)).size ===
        message?.scenes.filter((scene, i, all) => i === 0 || all[i - 1].group !== scene.group).length);
}

async function running(client) {
    const reply = await client.ask({ do: "open", scene: "steel-fish" }, 1);
    check("a scene is opened by name", reply?.is === "reply", reply);
    const scene = await client.is("scene");
    check("the scene is told", scene?.title === "Steel Fish" && scene.bodies.length > 0, scene);
    for (let i = 0; i < (scene?.meshes ?? 0); i++) {
        const mesh = await client.is("mesh");
        check("a mesh is whole", mesh && mesh.size === 24 + 24 * mesh.vertices + 12 * mesh.triangles, mesh);
    }
    const first = await client.is("frame", (frame) => frame.generation === scene?.generation);
    check("a frame has every body", first?.counts[0] === scene?.bodies.length, first);
    const begun = Date.now();
    const later = await client.is("frame", (frame) => frame.time > first.time + 1);
    const wall = (Date.now() - begun) / 1000;
    check("time goes on", later && later.steps > first.steps, later);
    check("no faster than the wall's", later && later.time - first.time < wall + 0.6, [later?.time, wall]);
    check("poses are numbers", later?.poses.every(Number.isFinite));
    check("the engine tells its milliseconds", later && later.milliseconds >= 0 && later.milliseconds < 1e4, later);
}

async function steering(client) {
    check("pause", (await client.ask({ do: "pause" }, 2))?.is === "reply");
    await client.ask({ do: "reset" }, 3);
    const start = await client.frame((frame) => frame.steps === 0);
    check("reset goes to the start", start !== null);
    await client.ask({ do: "step", count: 5 }, 4);
    const there = await client.frame((frame) => frame.steps === 5);
    check("five steps", there !== null);
    await client.ask({ do: "step", count: -5 }, 5);
    const back = await client.frame((frame) => frame.steps === 0);
    check("and back, to where it was", JSON.stringify(back?.poses) === JSON.stringify(start?.poses));
    const body = 1;
    await client.ask({ do: "grab", body, point: [0, 0, 0], to: [0.5, 0.5, 1] }, 6);
    await client.ask({ do: "play" }, 7);
    const held = await client.is("frame", (frame) => frame.counts[3] === 1 && frame.steps > 5);
    check("a grab is shown", held !== null);
    await client.ask({ do: "release" }, 8);
}

async function files(client) {
    client.send({ do: "file", what: "energy.csv", id: 10 });
    const table = await client.is("file", (file) => file.id === 10);
    check("a table can be had", table?.text.includes("[J]") && /energy\.csv$/.test(table.name), table?.name);
}

async function mistakes(client) {
    client.send("{ this is no JSON");
    check("nonsense is answered", (await client.is("error")) !== null);
    const unknown = await client.ask({ do: "open", scene: "steel-fisch" }, 20);
    check("an unknown scene is refused", unknown?.is === "error", unknown);
    const text = '{\n  "sinew": 1,\n  "bodies": [{ "name": "a", "shpae": {} }]\n}';
    const wrong = await client.ask({ do: "open", name: "mine.json", text }, 21);
    check("errors have their place", /^mine\.json:3:\d+/.test(wrong?.place ?? ""), wrong);
    const mesh = '{ "sinew": 1, "bodies": [{ "name": "a", "shape": { "type": "mesh", "file": "a.glb" } }] }';
    const lacking = await client.ask({ do: "open", name: "mine.json", text: mesh }, 22);
    check("mesh files are refused with a reason", /file/.test(lacking?.text ?? "") && lacking.is === "error", lacking);
    // qhull leaves its errors by longjmp, which is an exception in WebAssembly.
    const hull = (top) => '{ "sinew": 1, "bodies": [{ "name": "a", "shape": { "type": "hull", ' +
        `"points": [[0,0,0],[1,0,0],[0,1,0],[1,1,${top}]] } }] }`;
    const flat = await client.ask({ do: "open", name: "mine.json", text: hull(0) }, 23);
    check("a flat hull is an error, not a death", /in one plane/.test(flat?.text ?? "") && !("again" in flat), flat);
    const solid = await client.ask({ do: "open", name: "mine.json", text: hull(1) }, 25);
    check("a hull of points is made", solid?.is === "reply", solid);
    const alive = await client.ask({ do: "open", scene: "pendulum" }, 24);
    check("it still opens scenes", alive?.is === "reply", alive);
    check("under the precise policy too", (await client.is("scene"))?.policy === "precise");
    check("which move", (await client.is("frame", (frame) => frame.time > 0.2)) !== null);
}

// An engine with little memory: scenes that do not fit are answered by an error and leave it alive.
async function hunger() {
    engineFile = join(built, "small_engine.wasm");
    const client = new Client();
    client.send({ do: "hello", protocol: 1 });
    const message = await client.is("welcome");
    for (const [i, scene] of (message?.scenes ?? []).entries()) {
        const answer = await client.ask({ do: "open", scene: scene.name, play: false }, 100 + i);
        const hungry = answer?.is === "error" && /memory/.test(answer.text) && !("again" in answer);
        check(`${scene.name} is opened or refused for want of memory`, answer?.is === "reply" || hungry, answer);
    }
    const bodies = Array.from({ length: 20000 }, (_, i) => `{"name": "b${i}", "position": [${2 * i}, 0, 0]}`);
    const text = `{"sinew": 1, "bodies": [${bodies.join(",")}]}`;
    // Without the id when memory did not even suffice for reading the message.
    client.send({ do: "open", name: "many.json", text, id: 98 });
    const answer = await client.next((message) => message.is === "error" || message.id === 98);
    const hungry = answer?.is === "error" && /memory/.test(answer.text) && !("again" in answer);
    check("20,000 bodies do not fit, and the engine lives on", hungry, answer);
    const last = await client.ask({ do: "open", scene: "pendulum" }, 99);
    check("and a small one still opens", last?.is === "reply", last);
    check("and moves", (await client.is("frame", (frame) => frame.time > 0.1)) !== null);
    await client.end();
}

async function death() {
    engineFile = join(built, "dying_engine.wasm");
    engineType = undefined; // a host that does not know the type
    const client = new Client();
    const echo = (what, more = () => true) => client.next((message) => message.do === what && more(message));
    client.send({ do: "hello", protocol: 1 });
    check("what came early is not lost", (await echo("hello")) !== null);
    client.send({ do: "open", scene: "cam", params: { speed: 3 }, id: 1 });
    client.send({ do: "param", name: "speed", value: 7 });
    client.send({ do: "show", contacts: true });
    client.send({ do: "show", joints: true });
    await echo("show", (message) => message.joints);
    client.send({ do: "die", id: 3 });
    const error = await client.is("error");
    check("a trap is told", error?.again === true && error.while === "die" && error.id === 3, error);
    check("with a way on", /reset/.test(error?.text ?? ""), error);
    client.send({ do: "reset", id: 5 });
    const opened = await echo("open");
    check("reset opens the scene again", opened?.scene === "cam" && opened.id === 5, opened);
    check("with the params it had", opened?.params.speed === 7, opened);
    const shown = await echo("show");
    check("and what was shown", shown?.contacts && shown.joints, shown);
    client.send({ do: "reset", id: 6 });
    check("then all is as before", (await echo("reset"))?.id === 6);
    client.send({ do: "die" });
    check("a second death is survived too", (await client.is("error"))?.again === true);
    await client.end();
}

async function absence() {
    engineFile = null;
    const client = new Client();
    const error = await client.is("error");
    check("a missing engine is told", /404/.test(error?.text ?? "") && error.again === false, error);
    await client.end();
}

const client = new Client();
for (const part of [welcome, running, steering, files, mistakes]) {
    await part(client);
}
await client.end();
await hunger();
await death();
await absence();
server.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
