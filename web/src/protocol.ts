// The messages of a live world, as docs/protocol.md describes them: JSON objects both ways, and binary
// little-endian ones for frames, meshes, files and samples. Nothing here knows of the DOM.

export const protocolVersion = 1;

export type Triple = [number, number, number];
export type Quadruple = [number, number, number, number]; // w x y z

// ---- to the engine ----

export type Quantity = string | { of: string; quantity: string };

export type Command =
    | { do: "hello"; protocol: number; loading?: boolean }
    | { do: "ready" } // the first picture is shown
    | { do: "open"; scene: string; params?: Record<string, number>; play?: boolean }
    | { do: "open"; name: string; text: string; params?: Record<string, number>; play?: boolean }
    | { do: "play" | "pause" | "continue" | "reset" | "reload" | "release" }
    | { do: "step"; count: number }
    | { do: "seek"; time: number }
    | { do: "speed"; factor: number }
    | { do: "param"; name: string; value: number }
    | { do: "params"; reset: true }
    | { do: "grab"; body: number; point: Triple; to: Triple }
    | { do: "drag"; to: Triple }
    | { do: "wind"; from: Triple; towards: Triple; spread?: number; kind: "cone" | "jet" }
    | { do: "wind"; aimed: false } // from the scene's own mouth
    | { do: "blow"; strength: number }
    | { do: "microphone"; state: "on" | "off" | "calibrate" | "full"; rate?: number }
    | { do: "breath"; full: number }
    | { do: "watch"; probes: Quantity[] }
    | { do: "show"; contacts?: boolean; joints?: boolean; wind?: boolean }
    | { do: "rate"; frames: number }
    | { do: "inspect"; body: number | null }
    | { do: "file"; what: FileKind }
    | { do: "ping"; t: number };

export type FileKind = "state.csv" | "energy.csv" | "recording" | "scene" | "scene.now" | "state";

// Samples of the microphone, one channel.
export function encodeSamples(rate: number, samples: Float32Array): ArrayBuffer {
    const buffer = new ArrayBuffer(8 + samples.byteLength);
    const header = new DataView(buffer);
    header.setUint32(0, 1, true);
    header.setUint32(4, rate, true);
    new Float32Array(buffer, 8).set(samples);
    return buffer;
}

// ---- from the engine: JSON ----

export interface SceneListing {
    name: string;
    title: string;
    description: string;
    group: string;
    own?: boolean; // the file that the server was started with
}

export interface Shape {
    mesh: number; // -1: nothing to draw
    position: Triple; // in the body's frame
    rotation: Quadruple;
    colour: string; // "#rrggbb"
    roughness: number;
    metallic: number;
}

export interface Body {
    id: number;
    name: string;
    static: boolean;
    mass: number;
    centre: Triple; // of mass, in the body's frame
    shapes: Shape[];
}

// A surface that bends: its vertices come with every frame.
// Triangles of a surface that look alike.
export interface SurfacePart {
    first: number;
    count: number;
    colour: string;
    roughness: number;
    metallic: number;
}

export interface Surface {
    body: number;
    mesh: number; // what joins them, and where they were at first, in the world
    colour: string;
    roughness: number;
    metallic: number;
    parts?: SurfacePart[]; // where they do not all look like that
}

export interface Wind {
    name: string;
    kind: string;
    position: Triple;
    direction: Triple;
    speed: number;
    radius: number;
    length: number; // of a cone: from its vertex to the disc
    breath: boolean; // who blows without aiming blows from there
}

export interface Joint {
    id: number;
    name: string;
    type: string;
    parent: number; // -1: the world
    child: number;
}

export interface Line {
    name: string;
    kind: string; // "spring", "rod" or "string"
    radius: number; // of a coil
    wire: number; // radius of the wire
    turns: number;
}

export interface Param {
    name: string;
    value: number;
    start: number;
    min: number | null;
    max: number | null;
    unit: string;
    label: string;
}

export interface Probe {
    name: string;
    unit: string;
}

export interface CameraDef {
    given: boolean; // false: the engine has chosen one that holds the scene's `frame`
    position: Triple;
    target: Triple;
    field_of_view: number; // radians
}

export interface SceneMessage {
    is: "scene";
    generation: number;
    name: string;
    title: string;
    description: string;
    source: string;
    step: number;
    policy: string;
    gravity: Triple;
    duration: number;
    energies?: number[]; // kinetic, of gravity, otherwise stored, total, as it was told
    keeps: boolean;
    camera: CameraDef;
    size: [Triple, Triple];
    frame: [Triple, Triple]; // what a picture of the scene holds
    origin: Triple; // what places in frames and meshes are counted from
    floor: { height: number; colour: string } | null;
    meshes: number;
    bodies: Body[];
    surfaces: Surface[];
    joints: Joint[];
    lines: Line[];
    params: Param[];
    probes: Probe[];
    winds: Wind[];
}

export interface HistoryRange {
    from: number;
    to: number;
    at: number;
    steps: number;
    bytes: number;
}

// One of the engine's counters (include/sinew/counter.h) that is not 0.
export interface Counter {
    name: string; // as in the summary of a run
    steps: number; // until the time shown, in which it counted
    text: string; // what happened in these
}

export interface Counters {
    steps: number; // in which any counted
    list: Counter[];
}

export interface StatusMessage {
    is: "status";
    playing: boolean;
    waits: boolean; // until a page shows its first picture
    time: number;
    steps: number;
    speed: number;
    reached: number | null;
    slow: boolean;
    past: boolean;
    counters: Counters;
    history: HistoryRange;
    clients: number;
}

export interface ErrorMessage {
    is: "error";
    text: string;
    place?: string;
    while?: string;
    id?: number;
    errors?: { place?: string; text: string }[];
    again?: boolean; // of the WebAssembly worker, whose engine died: reset starts the scene again
}

export interface NoticeMessage {
    is: "notice";
    kind: "event" | "break" | "warning" | "news";
    time: number | null; // of the world
    text: string;
}

export interface InspectedJoint {
    name: string;
    type: string;
    positions: number[];
    velocities: number[];
    force: Triple;
    torque: Triple;
}

export interface InspectedMessage {
    is: "inspected";
    body: number;
    name: string;
    static: boolean;
    mass: number;
    time: number;
    position: Triple;
    rotation: Quadruple;
    centre: Triple;
    velocity: Triple;
    spin: Triple;
    kinetic: number;
    potential: number;
    contacts: number;
    contact_force: Triple;
    joints: InspectedJoint[];
}

export interface BreathMessage {
    is: "breath";
    state: string; // "on", "calibrating", "full"
    level: number;
    floor: number;
    full_level: number;
    speed: number; // m/s
    calibrated: boolean;
    clipped: number;
    broken: number;
}

export interface WelcomeMessage {
    is: "welcome";
    protocol: number;
    version: string;
    engine: "native" | "wasm";
    client: number;
    scenes: SceneListing[];
}

export type Message =
    | WelcomeMessage
    | SceneMessage
    | StatusMessage
    | ErrorMessage
    | InspectedMessage
    | BreathMessage
    | { is: "closed" }
    | NoticeMessage
    | { is: "params"; values: Record<string, number> }
    | { is: "pong"; t: number }
    | { is: "reply"; id: number; [key: string]: unknown };

// A text message, or null when it is not one this page knows how to read.
export function decodeText(text: string): Message | null {
    let value: unknown;
    try {
        value = JSON.parse(text);
    } catch {
        return null;
    }
    if (typeof value !== "object" || value === null || typeof (value as { is?: unknown }).is !== "string") {
        return null;
    }
    return value as Message;
}

// ---- places ----

// Frames count places from the scene's origin, which keeps single precision fine far from zero. The page works there
// altogether: what the scene tells in the world's coordinates is moved on its way in, commands on their way out.

export function moved(place: Triple, by: Triple, sign: 1 | -1): Triple {
    return [place[0] + sign * by[0], place[1] + sign * by[1], place[2] + sign * by[2]];
}

export function sceneFromOrigin(scene: SceneMessage): SceneMessage {
    const here = (place: Triple) => moved(place, scene.origin, -1);
    const box = ([low, high]: [Triple, Triple]): [Triple, Triple] => [here(low), here(high)];
    return {
        ...scene, size: box(scene.size), frame: box(scene.frame),
        camera: { ...scene.camera, position: here(scene.camera.position), target: here(scene.camera.target) },
        floor: scene.floor && { ...scene.floor, height: scene.floor.height - scene.origin[2] },
        winds: scene.winds.map((wind) => ({ ...wind, position: here(wind.position) })),
    };
}

export function commandToWorld(command: Command, origin: Triple): Command {
    if (command.do === "grab" || command.do === "drag") {
        return { ...command, to: moved(command.to, origin, 1) };
    }
    if (command.do === "wind" && "from" in command) {
        return { ...command, from: moved(command.from, origin, 1), towards: moved(command.towards, origin, 1) };
    }
    return command;
}

// ---- from the engine: binary ----

export interface Frame {
    kind: "frame";
    generation: number;
    time: number;
    step: number;
    reached: number; // simulated seconds per second
    milliseconds: number; // the engine's own time for this frame
    playing: boolean;
    past: boolean; // shows a moment of the history
    slow: boolean; // the engine cannot keep up
    energies: Float64Array; // kinetic, potential, stored, total
    probes: Float64Array;
    poses: Float32Array; // 7 per body: position, rotation w x y z
    contacts: Contacts;
    joints: Float32Array; // 13 per joint: position, rotation w x y z, force, moment
    grabs: Grab[];
    arrows: Float32Array; // 6 per arrow: position, velocity
    lines: Float32Array; // 6 per line: both ends
    deformed: Deformed[];
}

export interface Contacts {
    count: number;
    bodies: Uint32Array; // 11 words per contact, of which the first two are bodies
    values: Float32Array; // the same words: [2..4] point, [5..7] normal, [8..10] force in N
}

export const contactWords = 11;
export const jointWords = 13;

export interface Grab {
    client: number;
    body: number;
    from: Triple;
    to: Triple;
}

export interface Deformed {
    surface: number; // of the scene's
    positions: Float32Array; // 3 per vertex, in the world
}

export interface Mesh {
    kind: "mesh";
    generation: number;
    index: number;
    positions: Float32Array;
    normals: Float32Array;
    triangles: Uint32Array;
}

export interface FileBytes {
    kind: "file";
    id: number;
    name: string;
    bytes: Uint8Array<ArrayBuffer>;
}

export type Binary = Frame | Mesh | FileBytes;

const frameHeader = 72;

// Walks over a binary message; every read is checked against its end.
class Reader {
    readonly view: DataView;
    at = 0;

    constructor(readonly buffer: ArrayBuffer) {
        this.view = new DataView(buffer);
    }

    private take(bytes: number): number {
        const start = this.at;
        if (!(bytes >= 0) || start + bytes > this.buffer.byteLength) {
            throw new RangeError(`message of ${this.buffer.byteLength} bytes ends before ${start + bytes}`);
        }
        this.at = start + bytes;
        return start;
    }

    u32(): number {
        return this.view.getUint32(this.take(4), true);
    }

    u64(): number {
        return Number(this.view.getBigUint64(this.take(8), true));
    }

    f32(): number {
        return this.view.getFloat32(this.take(4), true);
    }

    f64(): number {
        return this.view.getFloat64(this.take(8), true);
    }

    floats(count: number): Float32Array {
        return new Float32Array(this.buffer, this.take(4 * count), count);
    }

    doubles(count: number): Float64Array {
        return new Float64Array(this.buffer, this.take(8 * count), count);
    }

    words(count: number): Uint32Array {
        return new Uint32Array(this.buffer, this.take(4 * count), count);
    }

    bytes(count: number): Uint8Array<ArrayBuffer> {
        return new Uint8Array(this.buffer, this.take(count), count);
    }

    skip(bytes: number): void {
        this.take(bytes);
    }

    triple(): Triple {
        return [this.f32(), this.f32(), this.f32()];
    }
}

// A binary message; throws a RangeError when its size and its counts disagree, null for unknown kinds.
export function decodeBinary(buffer: ArrayBuffer): Binary | null {
    const reader = new Reader(buffer);
    switch (reader.u32()) {
    case 2:
        return decodeFrame(reader);
    case 3:
        return decodeMesh(reader);
    case 4:
        return decodeFile(reader);
    default:
        return null;
    }
}

function decodeFrame(reader: Reader): Frame {
    const generation = reader.u32();
    const time = reader.f64();
    const step = reader.u64();
    const reached = reader.f32();
    const milliseconds = reader.f32();
    const flags = reader.u32();
    reader.skip(4);
    const [bodies, contacts, joints, grabs, deformed, probes, arrows, lines] = reader.words(8) as unknown as
        [number, number, number, number, number, number, number, number];
    if (reader.at !== frameHeader) {
        throw new RangeError("frame header");
    }
    const energies = reader.doubles(4);
    const probeValues = reader.doubles(probes);
    const poses = reader.floats(7 * bodies);
    const contactAt = reader.at;
    const contactValues = reader.floats(contactWords * contacts);
    const frame: Frame = {
        kind: "frame",
        generation,
        time,
        step,
        reached,
        milliseconds,
        playing: (flags & 1) !== 0,
        past: (flags & 2) !== 0,
        slow: (flags & 4) !== 0,
        energies,
        probes: probeValues,
        poses,
        contacts: {
            count: contacts,
            bodies: new Uint32Array(reader.buffer, contactAt, contactWords * contacts),
            values: contactValues,
        },
        joints: reader.floats(jointWords * joints),
        grabs: [],
        arrows: new Float32Array(0),
        lines: new Float32Array(0),
        deformed: [],
    };
    for (let i = 0; i < grabs; ++i) {
        frame.grabs.push({
            client: reader.u32(), body: reader.u32(), from: reader.triple(), to: reader.triple(),
        });
    }
    frame.arrows = reader.floats(6 * arrows);
    frame.lines = reader.floats(6 * lines);
    for (let i = 0; i < deformed; ++i) {
        const surface = reader.u32();
        const vertices = reader.u32();
        frame.deformed.push({ surface, positions: reader.floats(3 * vertices) });
    }
    return frame;
}

function decodeMesh(reader: Reader): Mesh {
    const generation = reader.u32();
    const index = reader.u32();
    const vertices = reader.u32();
    const triangles = reader.u32();
    reader.skip(4);
    const positions = reader.floats(3 * vertices);
    const normals = reader.floats(3 * vertices);
    const indices = reader.words(3 * triangles);
    for (const vertex of indices) {
        if (vertex >= vertices) {
            throw new RangeError(`mesh ${index} names vertex ${vertex} of ${vertices}`);
        }
    }
    return { kind: "mesh", generation, index, positions, normals, triangles: indices };
}

function decodeFile(reader: Reader): FileBytes {
    const id = reader.u32();
    const length = reader.u32();
    const name = new TextDecoder().decode(reader.bytes(length));
    reader.skip((4 - (length % 4)) % 4);
    return { kind: "file", id, name, bytes: reader.bytes(reader.buffer.byteLength - reader.at) };
}
