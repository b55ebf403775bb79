import assert from "node:assert/strict";
import { test } from "node:test";
import { merge, ticksOf } from "../src/note_list";
import type { Note, NoteKind } from "../src/note_list";

function note(kind: NoteKind, text: string, time: number | null): Note {
    return { kind, text, time, count: 1, times: time === null ? [] : [time] };
}

test("notes that differ in their numbers are one, with a count; the newest is last", () => {
    let list: readonly Note[] = [];
    list = merge(list, note("event", "event 'a' at 0.5 s", 0.5));
    list = merge(list, note("warning", "'b' holds more", 0.7));
    list = merge(list, note("event", "event 'a' at 1.5 s", 1.5));
    assert.deepEqual(list.map(({ text, count }) => [text, count]), [["'b' holds more", 1], ["event 'a' at 1.5 s", 2]]);
    assert.deepEqual(list[1]!.times, [0.5, 1.5]);
});

test("what is told again is not counted again", () => {
    const list = merge([], note("event", "event 'a' at 0.5 s", 0.5));
    assert.equal(merge(list, note("event", "event 'a' at 0.5 s", 0.5)), list);
});

test("what the page says has no count and no ticks", () => {
    let list = merge([], note("page", "The link is in the clipboard.", null));
    list = merge(list, note("page", "The link is in the clipboard.", null));
    assert.equal(list.length, 1);
    assert.equal(list[0]!.count, 1);
    assert.deepEqual(ticksOf(list, 0, 10), []);
});

test("the list is bounded", () => {
    let list: readonly Note[] = [];
    for (let i = 0; i < 300; ++i) {
        list = merge(list, note("event", `event '${"x".repeat(i)}'`, i));
    }
    assert.equal(list.length, 100);
    for (let i = 0; i < 300; ++i) {
        list = merge(list, note("event", `event 'a' at ${i} s`, i));
    }
    assert.equal(list.at(-1)!.count, 300);
    assert.equal(list.at(-1)!.times.length, 200);
});

test("ticks stand where the time bar has their times", () => {
    const list = [note("event", "a", 1), note("break", "b", 3), note("warning", "c", 9)];
    assert.deepEqual(ticksOf(list, 1, 5).map(({ share, kind }) => [share, kind]), [[0, "event"], [0.5, "break"]]);
    assert.deepEqual(ticksOf(list, 2, 2), []);
});

test("ticks on each other are one, of the gravest kind", () => {
    const ticks = ticksOf([note("event", "a", 5), note("warning", "b", 5.001), note("news", "c", 5.002)], 0, 10);
    assert.deepEqual(ticks.map(({ kind, text }) => [kind, text]), [["warning", "b"]]);
});
