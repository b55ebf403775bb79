import assert from "node:assert/strict";
import { test } from "node:test";
import { HeldWatch, heldLabel, heldMeaning } from "../src/held";

const none = { steps: 0, slowed: 0, stalled: 0, taken_back: 0 };

test("nothing is said while nothing is held back", () => {
    assert.equal(heldLabel(none), "");
    assert.equal(heldMeaning(none), "");
    assert.equal(new HeldWatch().receive(none), null);
});

test("the label counts steps, and the meaning tells each way", () => {
    assert.equal(heldLabel({ ...none, steps: 1, stalled: 1 }), "held back in 1 step");
    assert.equal(heldLabel({ ...none, steps: 12, slowed: 12 }), "held back in 12 steps");
    assert.equal(heldMeaning({ steps: 27, slowed: 16, stalled: 0, taken_back: 20 }),
        "In 20 steps elastic bodies were stopped before surfaces crossed; in 16 steps energy that something had gained was " +
        "taken out. Motion is lost there: shorter steps lose less.");
    assert.match(heldMeaning({ ...none, steps: 1, stalled: 1 }), /^In 1 step something was too fast to be followed/);
});

test("the meaning is told once in a scene, when the count first grows", () => {
    const watch = new HeldWatch();
    assert.equal(watch.receive(none), null);
    assert.match(watch.receive({ ...none, steps: 2, taken_back: 2 }) ?? "", /^In 2 steps elastic bodies/);
    assert.equal(watch.receive({ ...none, steps: 3, taken_back: 3 }), null);
    assert.equal(watch.receive(none), null); // back in the past, and on again
    assert.equal(watch.receive({ ...none, steps: 3, taken_back: 3 }), null);
    watch.setScene({ keeps: true }); // its text was edited, and its state goes on
    assert.equal(watch.receive({ ...none, steps: 3, taken_back: 3 }), null);
    watch.setScene({ keeps: false });
    assert.match(watch.receive({ ...none, steps: 3, slowed: 3 }) ?? "", /^In 3 steps energy/);
});
