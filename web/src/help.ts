// The overlay with all keys, made from the table of keys.

import { fill, find, make } from "./element";
import { icon } from "./icons";
import { keyLabel, keyTable } from "./keys";
import type { KeyRow } from "./keys";

const gestures: [string, string][] = [
    ["Drag a thing", "Pull it by a spring"],
    ["Click a thing", "Select and inspect it"],
    ["Double-click a thing", "Look at it"],
    ["Drag beside things", "Turn the view (with Ctrl: anywhere)"],
    ["Right drag, Shift drag, two fingers", "Move the view"],
    ["Wheel, pinch", "Nearer or farther"],
    ["Drop a scene file", "Open it"],
];

export class Help {
    private readonly dialog = find<HTMLDialogElement>("help");

    constructor(version: () => string) {
        const groups = new Map<string, KeyRow[]>();
        for (const row of keyTable) {
            groups.set(row.group, [...(groups.get(row.group) ?? []), row]);
        }
        const about = make("p", { class: "note" });
        fill(this.dialog,
            make("div", { class: "gallery-head" }, make("h2", {}, "Keys and gestures"),
                make("button", { class: "round", "aria-label": "Close", onclick: () => this.dialog.close() }, icon("close"))),
            make("div", { class: "help-columns" },
                ...[...groups].map(([group, rows]) => make("section", {}, make("h3", {}, group),
                    make("dl", {}, ...rows.flatMap((row) => [make("dt", {}, ...keysOf(row)), make("dd", {}, row.does)])))),
                make("section", {}, make("h3", {}, "Pointer"),
                    make("dl", { class: "gestures" }, ...gestures.flatMap(([what, does]) => [make("dt", {}, what), make("dd", {}, does)])))),
            make("p", { class: "note" }, "Keys mean the same wherever the focus is, except in text fields. Tab moves the focus, Enter presses what has it; ",
                make("kbd", {}, "↑"), " ", make("kbd", {}, "↓"), " ", make("kbd", {}, "Home"), " ", make("kbd", {}, "End"), " move a slider or a list."),
            about);
        this.dialog.addEventListener("click", (event) => {
            if (event.target === this.dialog) {
                this.dialog.close();
            }
        });
        this.dialog.addEventListener("toggle", () => {
            about.textContent = version();
        });
    }

    toggle(): void {
        if (this.dialog.open) {
            this.dialog.close();
        } else {
            this.dialog.showModal();
        }
    }
}

function keysOf(row: KeyRow): Node[] {
    return row.keys.flatMap((key, i) => [
        ...(i > 0 ? [document.createTextNode(" or ")] : []),
        ...keyLabel(key).map((part) => make("kbd", {}, part)),
    ]);
}
