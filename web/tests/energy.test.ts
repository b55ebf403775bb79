import assert from "node:assert/strict";
import { test } from "node:test";
import { EnergyStart, plotRange, withoutRoundOff } from "../src/energy";

test("energies count from their start and still add up", () => {
    const start = new EnergyStart([2, 1000, -5, 997]);
    const [kinetic, gravity, other, total] = start.count([2.5, 999, -4.5, 997]);
    assert.deepEqual([kinetic, gravity, other, total], [2.5, -1, 0.5, 2]);
    assert.equal(kinetic! + gravity! + other!, total);
});

test("without a told start the first ones are it", () => {
    const start = new EnergyStart();
    assert.deepEqual(start.count([0, 7, 0, 7]), [0, 0, 0, 0]);
    assert.deepEqual(start.count([1, 6, 0, 7]), [1, -1, 0, 0]);
    assert.deepEqual(new EnergyStart([0, NaN, 0, 0]).count([0, 3, 1, 4]), [0, 0, 0, 0]);
});

test("round-off is zero", () => {
    const start = new EnergyStart([0, 1000, 0, 1000]);
    const rows = [0, 1, 2].map((i) => start.count([0, 1000, 0, 1000 + (i - 1) * 1.1e-13]));
    const total = withoutRoundOff([rows.map((row) => row[3]!)], start.noise)[0]!;
    assert.deepEqual(total, [0, 0, 0]);
    assert.deepEqual(withoutRoundOff([[10, 5], [1e-10, -1e-9]]), [[10, 5], [0, 0]]);
    assert.deepEqual(withoutRoundOff([[1e-10, NaN]])[0]![0], 1e-10);
    assert.deepEqual(withoutRoundOff([[4.9e-32, -1e-17]]), [[0, 0]]);
});

test("an axis does not blow up noise", () => {
    const flat = plotRange(5, 5 + 1e-15);
    assert.ok(flat[1] - flat[0] > 1 && flat[0] < 5 && flat[1] > 5);
    assert.deepEqual(plotRange(-3e-17, 2e-17), [-1, 1]);
    assert.deepEqual(plotRange(0, 0), [-1, 1]);
    assert.deepEqual(plotRange(0, 10), [0, 11]);
    assert.deepEqual(plotRange(-10, 0), [-11, 0]);
    const small = plotRange(1e-6, 2e-6); // small but no noise
    assert.ok(small[0] < 1e-6 && small[1] > 2e-6 && small[1] < 3e-6);
    assert.deepEqual(plotRange(Infinity, -Infinity), [-1, 1]);
});
