// The panel of the view: cameras to choose from, and switches of what is drawn besides the things themselves.

import { presetNames, presets } from "./camera";
import type { OrbitCamera, Preset } from "./camera";
import { fill, make } from "./element";
import { icon } from "./icons";
import { hint, rowOf } from "./keys";
import { overlayNames } from "./overlays";
import type { OverlayName, Overlays } from "./overlays";

export interface ShowActions {
    look: (preset: Preset) => void;
    fit: () => void;
    track: () => void;
    set: (name: OverlayName, on: boolean) => void;
}

export class ShowPanel {
    readonly element: HTMLElement;
    private readonly presetRow = make("div", { class: "segments", role: "group", "aria-label": "Camera" });
    private readonly switches = new Map<OverlayName, HTMLInputElement>();

    constructor(private readonly camera: OrbitCamera, overlays: Overlays, private readonly actions: ShowActions) {
        const rows = (Object.keys(overlayNames) as OverlayName[]).map((name) => {
            const input = make("input", { type: "checkbox", "data-testid": `show-${name}` });
            input.checked = overlays.state[name];
            input.addEventListener("change", () => actions.set(name, input.checked));
            this.switches.set(name, input);
            return make("label", { class: "switch" }, input, make("span", {}, overlayNames[name]),
                make("kbd", {}, rowOf(name).keys[0]!.toUpperCase()));
        });
        this.showPresets();
        this.element = make("div", { class: "stack" }, this.presetRow,
            make("div", { class: "row" },
                make("button", { title: hint("fit"), "data-testid": "fit", onclick: () => actions.fit() }, icon("fit"), "Fit"),
                make("button", { title: hint("track"), onclick: () => actions.track() }, "Follow the selected")),
            make("hr"), ...rows);
    }

    showPresets(): void {
        fill(this.presetRow, ...presets.map((preset) => make("button", {
            "aria-pressed": String(this.camera.preset === preset), "data-testid": `camera-${preset}`,
            onclick: () => this.actions.look(preset),
        }, presetNames[preset])));
    }

    setSwitch(name: OverlayName, on: boolean): void {
        const input = this.switches.get(name);
        if (input) {
            input.checked = on;
        }
    }
}
