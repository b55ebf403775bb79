// The buttons at the top of the page, with the menu of what can be saved.

import { fill, find, make } from "./element";
import { icon } from "./icons";
import type { IconName } from "./icons";
import { hint } from "./keys";
import type { Action } from "./keys";
import type { FileKind } from "./protocol";

const files: [FileKind, string][] = [
    ["state.csv", "States as CSV"], ["energy.csv", "Energies as CSV"], ["recording", "Recording"],
    ["scene", "Scene"], ["scene.now", "Scene, from this moment"],
];

export interface TopActions {
    gallery: () => void;
    share: () => void;
    screenshot: () => void;
    video: () => void;
    save: (what: FileKind) => void;
    theme: () => void;
    help: () => void;
}

function menuItem(name: IconName, text: string, id: string, act: () => void): HTMLButtonElement {
    return make("button", { class: "menu-item", "data-testid": id, onclick: act }, icon(name), make("span", {}, text));
}

export class TopBar {
    private readonly videoButton: HTMLButtonElement;

    constructor(actions: TopActions) {
        this.videoButton = menuItem("video", "Record a video", "video", () => actions.video());
        const button = (name: IconName, action: Action, id: string, act: () => void) => make("button", {
            class: "round", title: hint(action), "aria-label": hint(action), "data-testid": id, onclick: act,
        }, icon(name));
        fill(find("tools"),
            button("gallery", "gallery", "gallery-open", () => actions.gallery()),
            button("share", "share", "share", () => actions.share()), this.buildMenu(actions),
            button("theme", "theme", "theme", () => actions.theme()),
            button("help", "help", "help-open", () => actions.help()));
        find("brand").addEventListener("click", () => actions.gallery());
    }

    private buildMenu(actions: TopActions): HTMLDetailsElement {
        const menu = make("details", { class: "menu" },
            make("summary", { class: "round", title: "Save", "aria-label": "Save", "data-testid": "save" }, icon("save")),
            make("div", { class: "menu-list" },
                menuItem("camera", "Picture", "screenshot", () => actions.screenshot()), this.videoButton,
                ...files.map(([what, text]) => menuItem("file", text, `file-${what}`, () => actions.save(what)))));
        menu.addEventListener("click", (event) => {
            if ((event.target as Element).closest(".menu-item")) {
                menu.open = false;
            }
        });
        document.addEventListener("pointerdown", (event) => {
            if (!menu.contains(event.target as Node)) {
                menu.open = false;
            }
        });
        return menu;
    }

    showRecording(on: boolean): void {
        document.body.classList.toggle("recording", on);
        fill(this.videoButton, icon("video"), make("span", {}, on ? "End the video" : "Record a video"));
    }
}
