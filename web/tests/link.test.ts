import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeLink, encodeLink, packText, unpackText } from "../src/link";
import type { SharedLink } from "../src/link";

function same(link: SharedLink): void {
    assert.deepEqual(decodeLink(encodeLink(link)), link);
}

test("what goes into a link comes out", () => {
    same({ params: {} });
    same({ scene: "steel-fish", params: { calm: 0.0002, draught: -1.5e-7 } });
    same({ scene: "a", params: {}, view: { position: [1, -2.5, 1e-3], target: [0, 0, 1] } });
    same({ name: "mine & yours.json", text: "abc-_", params: { "größe %": 2 } });
});

test("params may have the names that links use themselves", () => {
    same({ scene: "s", params: { scene: 1, text: 2, at: 3, name: 4, _scene: 5 } });
});

test("numbers keep their last bit", () => {
    const value = 0.1 + 0.2;
    assert.equal(decodeLink(encodeLink({ scene: "s", params: { value } })).params.value, value);
});

test("links broken by hand lose only what is broken", () => {
    assert.deepEqual(decodeLink("#scene=s&calm=abc&at=1,2&x=&y=2"), { scene: "s", params: { y: 2 } });
    assert.deepEqual(decodeLink(""), { params: {} });
    assert.deepEqual(decodeLink("#"), { params: {} });
    assert.deepEqual(decodeLink("#at=1,2,3,4,5,nan&scene="), { params: {} });
    assert.deepEqual(decodeLink("#x=Infinity"), { params: {} });
});

test("texts are packed into letters that links carry", async () => {
    const text = `{ "sinew": 1, "bodies": [${'{ "name": "Kugel ö" },'.repeat(200)}] }`;
    const packed = await packText(text);
    assert.match(packed, /^[A-Za-z0-9_-]+$/);
    assert.ok(packed.length < text.length / 4);
    assert.equal(await unpackText(packed), text);
    await assert.rejects(unpackText(packed.slice(0, 20)));
});

test("a view far from zero comes back as exactly as one near it", () => {
    const position: [number, number, number] = [1e6 + 1.234567, -2.5, 1e6];
    const view = decodeLink(encodeLink({ scene: "a", params: {}, view: { position, target: [1e6, 0, 1e6] } })).view!;
    assert.ok(Math.abs(view.position[0] - position[0]) < 1e-6, String(view.position));
});
