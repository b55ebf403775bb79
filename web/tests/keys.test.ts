import assert from "node:assert/strict";
import { test } from "node:test";
import { belongsToDialog, belongsToFocus, findRow, hint, keyLabel, keyTable, pressName } from "../src/keys";
import type { Focus, Press } from "../src/keys";

function press(key: string, ...held: ("ctrl" | "shift" | "alt" | "meta")[]): Press {
    return {
        key, ctrlKey: held.includes("ctrl"), shiftKey: held.includes("shift"), altKey: held.includes("alt"),
        metaKey: held.includes("meta"),
    };
}

test("no key does two things, no action stands twice", () => {
    const keys = keyTable.flatMap((row) => row.keys);
    assert.equal(new Set(keys).size, keys.length);
    const actions = keyTable.map((row) => row.action);
    assert.equal(new Set(actions).size, actions.length);
});

test("every row can be pressed and is told of in the help", () => {
    for (const row of keyTable) {
        assert.ok(row.does.length > 3 && row.keys.length > 0);
        for (const key of row.keys) {
            const parts = key === "+" ? ["+"] : key.split("+");
            const last = parts.at(-1)!;
            const held = parts.slice(0, -1).map((part) => part.toLowerCase() as "ctrl" | "shift");
            assert.equal(findRow(press(last, ...held))?.action, row.action, key);
            assert.ok(keyLabel(key).every((part) => part !== ""));
        }
    }
});

test("MuJoCo's keys do what they do there", () => {
    const expected: [Press, string][] = [
        [press(" "), "play"], [press("ArrowRight"), "step"], [press("ArrowLeft"), "back"], [press("Backspace"), "reset"],
        [press("l", "ctrl"), "reload"], [press("p", "ctrl"), "screenshot"], [press("c", "ctrl"), "copy"],
        [press("F1"), "help"], [press("F2"), "info"], [press("F3"), "engine"], [press("F4"), "sensors"],
        [press("F6"), "frames"], [press("F7"), "labels"], [press("Escape"), "free"], [press("["), "lastCamera"],
        [press("]"), "nextCamera"], [press("c"), "contacts"], [press("f"), "forces"], [press("m"), "centres"],
        [press("j"), "joints"], [press("t"), "transparent"], [press("w"), "wireframe"], [press("s"), "shadow"],
    ];
    for (const [pressed, action] of expected) {
        assert.equal(findRow(pressed)?.action, action, pressName(pressed));
    }
});

test("+ and = alike, with or without Shift", () => {
    for (const pressed of [press("="), press("+"), press("+", "shift")]) {
        assert.equal(findRow(pressed)?.action, "faster");
    }
});

test("keys of the browser stay the browser's", () => {
    for (const pressed of [press("F5"), press("Tab"), press("t", "ctrl"), press("w", "ctrl"), press("r", "ctrl"), press("ArrowLeft", "alt"), press("f", "ctrl")]) {
        assert.equal(findRow(pressed), undefined, pressName(pressed));
    }
});

test("keys mean the same wherever the focus is, except in text fields", () => {
    const keys = keyTable.flatMap((row) => row.keys).filter((key) => key !== "Enter" && key !== "Escape");
    for (const focus of ["slider", "switch", "list", "button", "other"] as Focus[]) {
        assert.deepEqual(keys.filter((key) => belongsToFocus(focus, key)), [], focus);
        assert.equal(belongsToFocus(focus, "Enter"), focus !== "other" && focus !== "slider"); // which presses it
    }
    assert.ok(keys.every((key) => belongsToFocus("text", key)));
    assert.ok(!belongsToFocus("text", "Escape"));
});

test("what moves sliders and lists is free, and dialogs turn their pages", () => {
    for (const key of ["ArrowUp", "ArrowDown", "Home", "End"]) {
        assert.equal(findRow(press(key)), undefined);
    }
    assert.ok(belongsToDialog("PageDown") && belongsToDialog("Escape") && !belongsToDialog(" ") && !belongsToDialog("ArrowLeft"));
});

test("letters mean the same under caps lock, and others with Shift", () => {
    assert.equal(findRow(press("B"))?.action, "blow");
    assert.equal(findRow(press("B", "shift"))?.action, "blowMode");
    assert.equal(hint("play"), "Play or pause (Space)");
});
