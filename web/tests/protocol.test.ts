import assert from "node:assert/strict";
import { test } from "node:test";
import { commandToWorld, decodeBinary, decodeText, encodeSamples, sceneFromOrigin } from "../src/protocol";
import type { Command, FileBytes, Frame, Mesh, SceneMessage } from "../src/protocol";

// Writes little-endian values one after another.
class Writer {
    private bytes: number[] = [];

    private put(size: number, set: (view: DataView) => void): this {
        const view = new DataView(new ArrayBuffer(size));
        set(view);
        this.bytes.push(...new Uint8Array(view.buffer));
        return this;
    }

    u32(...values: number[]): this {
        values.forEach((value) => this.put(4, (view) => view.setUint32(0, value, true)));
        return this;
    }

    u64(value: bigint): this {
        return this.put(8, (view) => view.setBigUint64(0, value, true));
    }

    f32(...values: number[]): this {
        values.forEach((value) => this.put(4, (view) => view.setFloat32(0, value, true)));
        return this;
    }

    f64(...values: number[]): this {
        values.forEach((value) => this.put(8, (view) => view.setFloat64(0, value, true)));
        return this;
    }

    text(value: string): this {
        this.bytes.push(...new TextEncoder().encode(value));
        return this;
    }

    get buffer(): ArrayBuffer {
        return new Uint8Array(this.bytes).buffer;
    }
}

// A frame with one or two of everything; docs/protocol.md has the table.
function frameBytes(): ArrayBuffer {
    return new Writer().u32(2, 7).f64(1.25).u64(300n).f32(0.5, 0.75).u32(1 | 4, 0)
        .u32(2, 1, 1, 1, 1, 2, 1, 1)
        .f64(1, 2, 3, 6).f64(10, 20)
        .f32(1, 2, 3, 1, 0, 0, 0).f32(4, 5, 6, 0, 1, 0, 0)
        .u32(0, 1).f32(0.1, 0.2, 0.3, 0, 0, 1, 0, 0, 9.5)
        .f32(1, 1, 1, 1, 0, 0, 0, 2, 3, 4, 5, 6, 7)
        .u32(3, 1).f32(1, 2, 3, 4, 5, 6)
        .f32(0, 0, 1, 2, 0, 0)
        .f32(9, 8, 7, 6, 5, 4)
        .u32(1, 2).f32(1, 2, 3, 4, 5, 6).buffer;
}

test("a frame has everything in its place", () => {
    const frame = decodeBinary(frameBytes()) as Frame;
    assert.equal(frame.kind, "frame");
    assert.equal(frame.generation, 7);
    assert.equal(frame.time, 1.25);
    assert.equal(frame.step, 300);
    assert.equal(frame.reached, 0.5);
    assert.equal(frame.milliseconds, 0.75);
    assert.deepEqual([frame.playing, frame.past, frame.slow], [true, false, true]);
    assert.deepEqual([...frame.energies], [1, 2, 3, 6]);
    assert.deepEqual([...frame.probes], [10, 20]);
    assert.deepEqual([...frame.poses], [1, 2, 3, 1, 0, 0, 0, 4, 5, 6, 0, 1, 0, 0]);
    assert.equal(frame.contacts.count, 1);
    assert.deepEqual([...frame.contacts.bodies.subarray(0, 2)], [0, 1]);
    assert.equal(frame.contacts.values[10], 9.5);
    assert.deepEqual([...frame.joints.subarray(7)], [2, 3, 4, 5, 6, 7]);
    assert.deepEqual(frame.grabs, [{ client: 3, body: 1, from: [1, 2, 3], to: [4, 5, 6] }]);
    assert.deepEqual([...frame.arrows], [0, 0, 1, 2, 0, 0]);
    assert.deepEqual([...frame.lines], [9, 8, 7, 6, 5, 4]);
    assert.equal(frame.deformed[0]?.surface, 1);
    assert.deepEqual([...(frame.deformed[0]?.positions ?? [])], [1, 2, 3, 4, 5, 6]);
});

test("a message cut anywhere is refused, never read beyond its end", () => {
    const whole = frameBytes();
    for (let length = 4; length < whole.byteLength; length += 4) {
        assert.throws(() => decodeBinary(whole.slice(0, length)), RangeError, `cut at ${length}`);
    }
    assert.throws(() => decodeBinary(new ArrayBuffer(0)), RangeError);
});

test("counts that the bytes cannot hold are refused", () => {
    for (let count = 0; count < 8; ++count) {
        const bytes = frameBytes();
        new DataView(bytes).setUint32(40 + 4 * count, 0xffffffff, true);
        assert.throws(() => decodeBinary(bytes), RangeError, `count ${count}`);
    }
});

test("a mesh, and one that names a vertex it has not", () => {
    const write = (last: number) => new Writer().u32(3, 7, 2, 3, 1, 0)
        .f32(0, 0, 0, 1, 0, 0, 0, 1, 0).f32(0, 0, 1, 0, 0, 1, 0, 0, 1).u32(0, 1, last).buffer;
    const mesh = decodeBinary(write(2)) as Mesh;
    assert.equal(mesh.index, 2);
    assert.deepEqual([...mesh.triangles], [0, 1, 2]);
    assert.deepEqual([...mesh.normals.subarray(0, 3)], [0, 0, 1]);
    assert.throws(() => decodeBinary(write(3)), RangeError);
});

test("files of any length of name and bytes", () => {
    for (const name of ["a", "ab.csv", "abcd", "größe.csv"]) {
        const length = new TextEncoder().encode(name).length;
        const file = decodeBinary(new Writer().u32(4, 9, length).text(name)
            .text("\0".repeat((4 - (length % 4)) % 4)).text("t,x\n0,1\n!").buffer) as FileBytes;
        assert.equal(file.id, 9);
        assert.equal(file.name, name);
        assert.equal(new TextDecoder().decode(file.bytes), "t,x\n0,1\n!");
    }
});

test("unknown kinds and texts are passed over", () => {
    assert.equal(decodeBinary(new Writer().u32(99, 1).buffer), null);
    assert.equal(decodeText("not json"), null);
    assert.equal(decodeText("[1]"), null);
    assert.equal(decodeText("null"), null);
    assert.deepEqual(decodeText('{"is":"notice","text":"x"}'), { is: "notice", text: "x" });
});

test("samples carry their rate", () => {
    const bytes = encodeSamples(48000, new Float32Array([0.5, -0.25]));
    assert.deepEqual([...new Uint32Array(bytes, 0, 2)], [1, 48000]);
    assert.deepEqual([...new Float32Array(bytes, 8)], [0.5, -0.25]);
});

test("places of a scene are counted from its origin, those of commands from zero", () => {
    const scene = sceneFromOrigin({
        origin: [1000, 20, -3], size: [[1000, 20, -3], [1001, 21, -2]], frame: [[999, 20, -3], [1001, 21, -2]],
        camera: { given: true, position: [1000, 18, -3], target: [1000, 20, -3], field_of_view: 0.6 }, floor: { height: -4, colour: "#ffffff" },
        winds: [{ position: [1001, 20, -3] }],
    } as unknown as SceneMessage);
    assert.deepEqual(scene.size, [[0, 0, 0], [1, 1, 1]]);
    assert.deepEqual(scene.frame[0], [-1, 0, 0]);
    assert.deepEqual([scene.camera.position, scene.camera.target], [[0, -2, 0], [0, 0, 0]]);
    assert.equal(scene.floor?.height, -1);
    assert.deepEqual(scene.winds[0]!.position, [1, 0, 0]);
    const origin = scene.origin;
    assert.deepEqual(commandToWorld({ do: "drag", to: [1, 2, 3] }, origin), { do: "drag", to: [1001, 22, 0] });
    assert.deepEqual(commandToWorld({ do: "grab", body: 1, point: [1, 1, 1], to: [0, 0, 0] }, origin), { do: "grab", body: 1, point: [1, 1, 1], to: origin });
    assert.deepEqual(commandToWorld({ do: "wind", from: [0, 0, 0], towards: [1, 0, 0], kind: "jet" }, origin),
        { do: "wind", from: origin, towards: [1001, 20, -3], kind: "jet" });
    const other: Command = { do: "wind", aimed: false };
    assert.equal(commandToWorld(other, origin), other);
});
