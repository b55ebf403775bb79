// Runs in the page before anything else: listens on the way between page and engine, be it a WebSocket or a worker, and
// keeps what tests want to know in window.tap. It changes nothing.
(() => {
    const tap = {
        frames: 0, // that have arrived
        frame: null, // the newest, with where its bodies are
        shown: [], // the first moments at which the page showed another time: {at, time}
        scene: null,
        status: null,
        texts: [], // all but frequent ones
        breath: null,
        sent: {}, // how often each command went out
        lastSent: {},
        microphone: [], // level of each block of samples: {at, time of the world, seconds, level}
        motion: null, // set by watchMotion
        firstTime: null, // of the world, in the very first frame
        first: null, // the very first frame's {poses, shownAt}: when a picture was shown in which something had moved
        barsAt: null, // when bars and panels were shown
        engine: [], // milliseconds that each frame cost the engine
        steps: [], // taken, at each frame
        arrivals: [], // when frames arrived; these three begin with a scene
        workers: [],
        news: [], // what stood in the time bar, one after the other
    };
    window.tap = tap;

    const visible = 1e-4; // of the scene's size: a motion that can be seen
    const frequent = ["status", "inspected", "breath", "params", "pong"];

    function readFrame(data) {
        const view = new DataView(data);
        const u32 = (at) => view.getUint32(at, true);
        const f32 = (at) => view.getFloat32(at, true);
        const bodies = u32(40), contacts = u32(44), joints = u32(48), grabs = u32(52), probes = u32(60);
        const posesAt = 104 + 8 * probes;
        const poses = new Float32Array(data.slice(posesAt, posesAt + 28 * bodies));
        const frame = {
            generation: u32(4), time: view.getFloat64(8, true), step: Number(view.getBigUint64(16, true)),
            milliseconds: f32(28), playing: (u32(32) & 1) !== 0, past: (u32(32) & 2) !== 0,
            kinetic: view.getFloat64(72, true), contacts, poses, grabs: [],
        };
        let at = posesAt + 28 * bodies + 44 * contacts + 52 * joints;
        for (let i = 0; i < grabs; ++i, at += 32) {
            frame.grabs.push({
                body: u32(at + 4), from: [f32(at + 8), f32(at + 12), f32(at + 16)], to: [f32(at + 20), f32(at + 24), f32(at + 28)],
            });
        }
        return frame;
    }

    // The farthest that a body has gone, or turned at a quarter of the scene's size, as a share of that size.
    tap.moved = (before, poses = tap.frame.poses) => {
        const [low, high] = tap.scene.size;
        const size = Math.hypot(...high.map((value, i) => value - low[i]));
        let most = 0;
        for (let i = 0; i < poses.length; i += 7) {
            const change = [0, 1, 2, 3, 4, 5, 6].map((k) => poses[i + k] - before[i + k]);
            most = Math.max(most, Math.hypot(...change.slice(0, 3)) / size, 0.5 * Math.hypot(...change.slice(3)));
        }
        return most;
    };

    // From now on: when did a body move by that share of the scene's size, first?
    tap.watchMotion = (reach) => {
        tap.motion = { from: tap.frame.poses, reach, at: null, time: null, most: 0 };
    };

    function take(data) {
        const at = performance.now();
        if (data === null) {
            return; // the worker runs
        }
        if (typeof data === "string") {
            const message = JSON.parse(data);
            if (message.is === "status" || message.is === "breath") {
                tap[message.is] = message;
            }
            if (message.is === "scene") {
                tap.scene = message;
                tap.frame = null;
                tap.engine = [];
                tap.steps = [];
                tap.arrivals = [];
            }
            if (!frequent.includes(message.is)) {
                tap.texts.push(message);
            }
            return;
        }
        if (new DataView(data).getUint32(0, true) !== 2) {
            return;
        }
        const frame = readFrame(data);
        if (frame.generation !== tap.scene?.generation) {
            return;
        }
        tap.frames += 1;
        tap.frame = frame;
        tap.firstTime ??= frame.time;
        tap.first ??= { poses: frame.poses, shownAt: null };
        if (tap.engine.length < 100000) {
            tap.engine.push(frame.milliseconds);
            tap.steps.push(frame.step);
            tap.arrivals.push(at);
        }
        if (tap.motion) {
            tap.motion.most = tap.moved(tap.motion.from);
            if (tap.motion.at === null && tap.motion.most > tap.motion.reach) {
                tap.motion.at = at;
                tap.motion.time = frame.time;
            }
        }
    }

    function note(data) {
        if (typeof data === "string") {
            const command = JSON.parse(data);
            tap.sent[command.do] = (tap.sent[command.do] ?? 0) + 1;
            tap.lastSent[command.do] = command;
        } else if (new DataView(data).getUint32(0, true) === 1) {
            const samples = new Float32Array(data, 8);
            let sum = 0;
            for (const sample of samples) {
                sum += sample * sample;
            }
            const seconds = samples.length / new DataView(data).getUint32(4, true);
            tap.microphone.push({ at: performance.now(), time: tap.frame?.time ?? 0, seconds, level: Math.sqrt(sum / samples.length) });
        }
    }

    const PlainSocket = window.WebSocket;
    window.WebSocket = class extends PlainSocket {
        constructor(...given) {
            super(...given);
            this.addEventListener("message", (event) => take(event.data));
        }

        send(data) {
            note(data);
            super.send(data);
        }
    };
    const PlainWorker = window.Worker;
    window.Worker = class extends PlainWorker {
        constructor(...given) {
            super(...given);
            tap.workers.push(this);
            this.addEventListener("message", (event) => take(event.data));
        }

        postMessage(data, ...rest) {
            note(data); // before its buffer is given away
            super.postMessage(data, ...rest);
        }

        // What the page has not said: for tests of what comes of it.
        order(data) {
            super.postMessage(data);
        }
    };

    // As if the engine had said it.
    tap.pretend = (data) => {
        tap.workers.at(-1).dispatchEvent(new MessageEvent("message", { data }));
    };

    // What the page has drawn: it writes the time of the frame into its body, and draws before the next picture.
    document.addEventListener("DOMContentLoaded", () => {
        new MutationObserver(() => {
            const time = Number(document.body.dataset.time);
            if (tap.shown.length < 500 && time !== tap.shown.at(-1)?.time) {
                const entry = { at: null, time };
                const moved = tap.first !== null && tap.first.shownAt === null && tap.first.poses.length === tap.frame?.poses.length &&
                    tap.moved(tap.first.poses) > visible;
                tap.shown.push(entry);
                requestAnimationFrame(() => requestAnimationFrame((at) => {
                    entry.at = at;
                    if (moved) {
                        tap.first.shownAt ??= at;
                    }
                }));
            }
        }).observe(document.body, { attributes: true, attributeFilter: ["data-time"] });
        new MutationObserver((changes) => {
            for (const added of changes.flatMap((change) => [...change.addedNodes])) {
                if (added.dataset?.testid === "notice") {
                    tap.news.push(added.textContent);
                }
            }
        }).observe(document.getElementById("transport"), { childList: true, subtree: true });
        new MutationObserver(() => {
            if (tap.barsAt === null && !document.body.classList.contains("starting")) {
                requestAnimationFrame(() => requestAnimationFrame((at) => {
                    tap.barsAt = at;
                }));
            }
        }).observe(document.body, { attributes: true, attributeFilter: ["class"] });
    });
})();
