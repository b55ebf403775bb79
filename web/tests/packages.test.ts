import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

interface Package {
    readonly version?: string;
    readonly optional?: boolean;
    readonly engines?: { readonly node?: string };
}

function versionOf(text: string): number[] {
    const [major = 0, minor = 0, patch = 0] = text.split(".").map(Number);
    return [major, minor, patch];
}

function isAtLeast(version: number[], least: number[]): boolean {
    const at = [0, 1, 2].find((i) => version[i] !== least[i]);
    return at === undefined || version[at]! > least[at]!;
}

// Ranges as packages write them: alternatives of `>=1.2.3`, `^1.2.3`, or a bare version, which means the same as `^`.
function accepts(range: string, version: number[]): boolean {
    return range.split("||").some((alternative) => {
        const [, sign, text] = /^(>=|\^|)\s*([0-9.]+)$/.exec(alternative.trim()) ?? assert.fail(`cannot read the range '${range}'`);
        const least = versionOf(text!);
        return isAtLeast(version, least) && (sign === ">=" || version[0] === least[0]);
    });
}

test("ranges of versions are read", () => {
    const seen = [">=18", "^18.17.0 || ^20.3.0 || >=21.0.0", ">=18.17", "^10 || ^12", ">=20", "^18.18", "18"];
    assert.deepEqual(seen.map((range) => accepts(range, [18, 17, 0])), [true, true, true, false, false, false, true]);
});

// Debian 12 has Node 18: what a newer one is needed for cannot be built or tested there.
test("all packages run with the oldest Node that package.json names", () => {
    const { engines } = JSON.parse(readFileSync("package.json", "utf8")) as Package;
    const oldest = versionOf(engines!.node!.replace(">=", ""));
    const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, Package> };
    const needed = Object.entries(packages).filter(([, { optional, engines: wanted }]) => !optional && wanted?.node !== undefined);
    assert.ok(needed.some(([name]) => name === "node_modules/playwright-core"));
    const refused = needed.filter(([, { engines: wanted }]) => !accepts(wanted!.node!, oldest));
    assert.deepEqual(refused.map(([name, { version, engines: wanted }]) => `${name} ${version} wants ${wanted!.node}`), []);
});
