// An engine that only plays: a made-up mobile turning by formulas. It lets the page be looked at, no more.

import type { Body, Command, SceneMessage, Triple } from "../src/protocol";

const port = self as unknown as { postMessage(data: string | ArrayBuffer, transfer?: Transferable[]): void; onmessage: unknown };
const generation = 1;
let time = 0;
let step = 0;
let playing = true;
let speed = 1;
let grab: { body: number; to: Triple } | null = null;
let inspected = -1;
let watched = 2;

function say(message: object): void {
    port.postMessage(JSON.stringify(message));
}

// A box with flat sides, half sizes given.
function box(index: number, half: Triple): ArrayBuffer {
    const positions: number[] = [];
    const normals: number[] = [];
    const indices: number[] = [];
    for (let axis = 0; axis < 3; ++axis) {
        for (const side of [-1, 1]) {
            const first = positions.length / 3;
            for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, 1]] as [number, number][]) {
                const point = [0, 0, 0];
                point[axis] = side * half[axis]!;
                point[(axis + 1) % 3] = u * half[(axis + 1) % 3]!;
                point[(axis + 2) % 3] = v * half[(axis + 2) % 3]!;
                positions.push(...point);
                normals.push(...[0, 1, 2].map((i) => (i === axis ? side : 0)));
            }
            indices.push(...(side > 0 ? [0, 1, 2, 0, 2, 3] : [0, 2, 1, 0, 3, 2]).map((i) => i + first));
        }
    }
    const buffer = new ArrayBuffer(24 + 8 * positions.length + 4 * indices.length);
    new Uint32Array(buffer, 0, 6).set([3, generation, index, positions.length / 3, indices.length / 3, 0]);
    new Float32Array(buffer, 24).set(positions);
    new Float32Array(buffer, 24 + 4 * positions.length).set(normals);
    new Uint32Array(buffer, 24 + 8 * positions.length).set(indices);
    return buffer;
}

const colours = ["#c8321f", "#e8b51e", "#2a5c9a", "#202428", "#c8321f", "#3b4148"];

function body(id: number, mesh: number, still: boolean): Body {
    return {
        id, name: still ? "foot" : mesh === 0 ? `arm ${id}` : `leaf ${id}`, static: still, mass: 0.1, centre: [0, 0, 0],
        shapes: [{ mesh, position: [0, 0, 0], rotation: [1, 0, 0, 0], colour: colours[id % 6]!, roughness: 0.5, metallic: mesh === 0 ? 0.8 : 0 }],
    };
}

const bodies = [body(0, 2, true), ...Array.from({ length: 4 }, (_, i) => body(1 + i, 0, false)), ...Array.from({ length: 5 }, (_, i) => body(5 + i, 1, false))];

const scene: SceneMessage = {
    is: "scene", generation, name: "fake", title: "A made-up mobile", description: "Arms and leaves that turn by formulas.", source: "",
    step: 1 / 240, policy: "lockstep", gravity: [0, 0, -9.81], duration: 10, keeps: false,
    camera: { given: true, position: [1.2, -2.6, 1.6], target: [0, 0, 1], field_of_view: 0.7 },
    size: [[-0.8, -0.8, 0], [0.8, 0.8, 1.8]], frame: [[-0.8, -0.8, 0], [0.8, 0.8, 1.8]], origin: [0, 0, 0], floor: null, meshes: 3, bodies, surfaces: [], winds: [],
    joints: [{ id: 0, name: "hook", type: "ball", parent: 0, child: 1 }],
    lines: [{ name: "s", kind: "spring", radius: 0.03, wire: 0.004, turns: 8 }],
    params: [
        { name: "calm", value: 0.5, start: 0.5, min: 0, max: 1, unit: "N m s/rad", label: "Damping in the hooks" },
        { name: "draught", value: 0.2, start: 0.5, min: 0, max: 3, unit: "m/s", label: "Draught" },
    ],
    probes: [{ name: "beam height", unit: "m" }, { name: "tail turn", unit: "rad" }],
};

function pose(id: number): number[] {
    if (id === 0) {
        return [0, 0, 0.01, 1, 0, 0, 0];
    }
    const arm = id <= 4 ? id : id - 4;
    const angle = 0.4 * arm + 0.3 * Math.sin(0.5 * time + arm) + 0.1 * time;
    const height = 1.8 - 0.28 * arm;
    if (id <= 4) {
        return [0.15 * (arm - 1), 0, height, Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];
    }
    const reach = 0.5;
    return [0.15 * (arm - 1) + reach * Math.cos(angle), reach * Math.sin(angle), height - 0.1, Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];
}

function frame(): ArrayBuffer {
    const grabs = grab ? 1 : 0;
    const count = bodies.length;
    const buffer = new ArrayBuffer(104 + 8 * watched + 28 * count + 32 * grabs + 24);
    const view = new DataView(buffer);
    view.setUint32(0, 2, true);
    view.setUint32(4, generation, true);
    view.setFloat64(8, time, true);
    view.setBigUint64(16, BigInt(step), true);
    view.setFloat32(24, speed, true);
    view.setFloat32(28, 0.31, true);
    view.setUint32(32, playing ? 1 : 0, true);
    [count, 0, 0, grabs, 0, watched, 0, 1].forEach((value, i) => view.setUint32(40 + 4 * i, value, true));
    [1 + Math.sin(time), 1 - Math.sin(time), 0.2, 2.2].forEach((value, i) => view.setFloat64(72 + 8 * i, value, true));
    for (let i = 0; i < watched; ++i) {
        view.setFloat64(104 + 8 * i, Math.cos(time * (1 + i)), true);
    }
    let at = 104 + 8 * watched;
    for (const { id } of bodies) {
        for (const value of pose(id)) {
            view.setFloat32(at, value, true);
            at += 4;
        }
    }
    if (grab) {
        view.setUint32(at, 1, true);
        view.setUint32(at + 4, grab.body, true);
        [...pose(grab.body).slice(0, 3), ...grab.to].forEach((value, i) => view.setFloat32(at + 8 + 4 * i, value, true));
        at += 32;
    }
    [0, 0, 1.9, 0, 0, 1.52].forEach((value, i) => view.setFloat32(at + 4 * i, value, true));
    return buffer;
}

function status(): void {
    say({
        is: "status", playing, time, steps: step, speed, reached: playing ? speed : null, slow: false, past: false,
        counters: { steps: 0, list: [] },
        history: { from: 0, to: time, at: time, steps: step, bytes: 0 }, clients: 1,
    });
}

function open(): void {
    say(scene);
    for (const [index, half] of [[0, [0.5, 0.006, 0.006]], [1, [0.1, 0.004, 0.07]], [2, [0.3, 0.3, 0.01]]] as [number, Triple][]) {
        const mesh = box(index, half);
        port.postMessage(mesh, [mesh]);
    }
    status();
}

port.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
    if (typeof event.data !== "string") {
        return;
    }
    const command = JSON.parse(event.data) as Command & { id?: number };
    switch (command.do) {
    case "hello":
        say({
            is: "welcome", protocol: 1, version: "fake", engine: "wasm", client: 1,
            scenes: ["steel-fish", "autumn", "flurry", "box-tower", "pyramid", "card-house", "cam", "gyroscope"].map((name, i) => ({
                name, title: name, description: "Twenty boxes on top of each other, and what comes of it.",
                group: i < 3 ? "Mobiles" : i < 6 ? "Contact" : "Mechanisms",
            })),
        });
        open();
        break;
    case "play":
    case "pause":
        playing = command.do === "play";
        status();
        break;
    case "step":
        step += command.count;
        time += command.count / 240;
        break;
    case "speed":
        speed = command.factor;
        status();
        break;
    case "reset":
        time = step = 0;
        break;
    case "grab":
        grab = { body: command.body, to: command.to };
        break;
    case "drag":
        if (grab) {
            grab.to = command.to;
        }
        break;
    case "release":
        grab = null;
        break;
    case "inspect":
        inspected = command.body ?? -1;
        break;
    case "watch":
        watched = command.probes.length;
        say({ is: "reply", id: command.id, units: command.probes.map(() => "m") });
        return;
    case "open":
        if ("scene" in command) {
            say({
                is: "error", while: "open", place: `${command.scene}.json:12:7`, text: "unknown key 'massive', did you mean 'mass'?",
                errors: [{ place: `${command.scene}.json:12:7`, text: "unknown key 'massive', did you mean 'mass'?" }, { place: `${command.scene}.json:31:15`, text: "expected a number, found true" }],
            });
        } else {
            open();
        }
        break;
    default:
        break;
    }
    if (command.id !== undefined) {
        say({ is: "reply", id: command.id });
    }
};

setInterval(() => {
    if (playing) {
        time += speed / 60;
        step += 4;
    }
    const buffer = frame();
    port.postMessage(buffer, [buffer]);
}, 1000 / 60);

setInterval(() => {
    status();
    if (inspected >= 0) {
        const at = pose(inspected);
        say({
            is: "inspected", body: inspected, name: bodies[inspected]!.name, static: false, mass: 0.1, time, position: at.slice(0, 3),
            rotation: at.slice(3), centre: at.slice(0, 3), velocity: [0.1, 0, -0.02], spin: [0, 0, 0.3], kinetic: 0.01, potential: 1.2,
            contacts: 0, contact_force: [0, 0, 0],
            joints: [{ name: "hook", type: "ball", positions: [0.1, 0.2, 0.3], velocities: [0, 0, 0], force: [0, 0, 9.8], torque: [0, 0, 0] }],
        });
    }
}, 100);
