import assert from "node:assert/strict";
import { test } from "node:test";
import { Samples } from "../src/samples";

test("samples are kept in order of time", () => {
    const samples = new Samples(2);
    samples.add(0, [1, 2]);
    samples.add(1, [3, 4]);
    assert.deepEqual(samples.times, [0, 1]);
    assert.deepEqual(samples.columns, [[1, 3], [2, 4]]);
});

test("going back forgets what came after", () => {
    const samples = new Samples(1);
    for (let i = 0; i < 10; ++i) {
        samples.add(i, [i]);
    }
    samples.add(4.5, [100]);
    assert.deepEqual(samples.times, [0, 1, 2, 3, 4, 4.5]);
    assert.deepEqual(samples.columns[0], [0, 1, 2, 3, 4, 100]);
    samples.add(4.5, [101]);
    assert.deepEqual(samples.columns[0], [0, 1, 2, 3, 4, 101]);
    samples.add(0, [7]);
    assert.deepEqual([samples.times, samples.columns], [[0], [[7]]]);
});

test("memory is bounded and the newest stay", () => {
    const samples = new Samples(1, 100);
    for (let i = 0; i < 1000; ++i) {
        samples.add(i, [i]);
    }
    assert.ok(samples.times.length <= 100 && samples.times.length >= 75);
    assert.equal(samples.times.at(-1), 999);
    assert.deepEqual(samples.times, samples.columns[0]);
});

test("frames with another number of probes are not mixed in", () => {
    const samples = new Samples(2);
    samples.add(0, [1]);
    assert.deepEqual(samples.times, []);
});
