import assert from "node:assert/strict";
import { test } from "node:test";
import { CounterWatch, countersLabel, countersMeaning } from "../src/counters";

const none = { steps: 0, list: [] };
const guard = (steps: number) => ({ name: "velocity_scaled", steps, text: "energy guard: velocities scaled down" });
const euler = (steps: number) => ({ name: "euler", steps, text: "integration rule: Euler's instead of the midpoint rule" });

test("nothing is said while no counter counts", () => {
    assert.equal(countersLabel(none), "");
    assert.equal(countersMeaning(none), "");
    assert.deepEqual(new CounterWatch().receive(none), []);
});

test("the label counts steps, and the meaning has a line for each counter", () => {
    assert.equal(countersLabel({ steps: 1, list: [guard(1)] }), "altered in 1 step");
    assert.equal(countersLabel({ steps: 12, list: [guard(12)] }), "altered in 12 steps");
    assert.equal(countersMeaning({ steps: 27, list: [euler(20), guard(1)] }),
        "integration rule: Euler's instead of the midpoint rule in 20 steps\nenergy guard: velocities scaled down in 1 step");
});

test("each counter is reported once in a scene, when it first counts", () => {
    const watch = new CounterWatch();
    assert.deepEqual(watch.receive(none), []);
    assert.deepEqual(watch.receive({ steps: 2, list: [guard(2)] }), [guard(2).text]);
    assert.deepEqual(watch.receive({ steps: 3, list: [guard(3)] }), []);
    assert.deepEqual(watch.receive({ steps: 4, list: [guard(3), euler(1)] }), [euler(1).text]);
    assert.deepEqual(watch.receive(none), []); // back in the past, and on again
    assert.deepEqual(watch.receive({ steps: 3, list: [guard(3)] }), []);
    watch.setScene({ keeps: true }); // its text was edited, and its state goes on
    assert.deepEqual(watch.receive({ steps: 3, list: [guard(3)] }), []);
    watch.setScene({ keeps: false });
    assert.deepEqual(watch.receive({ steps: 3, list: [guard(3)] }), [guard(3).text]);
});

test("what the engine gives notice of is not reported twice", () => {
    const inverted = { name: "inverted", steps: 1, text: "elements: inverted" };
    assert.deepEqual(new CounterWatch().receive({ steps: 1, list: [inverted, guard(1)] }), [guard(1).text]);
    assert.match(countersMeaning({ steps: 1, list: [inverted] }), /elements: inverted in 1 step/);
});
