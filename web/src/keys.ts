// The one table of keys. Bindings and the help overlay are both made from it, so that they cannot disagree.
// The keys are those of MuJoCo's simulate where the same thing exists here; what a browser needs for itself
// (Tab for the focus, F5, Ctrl+C on selected text) stays the browser's.

export type Action =
    | "play" | "step" | "back" | "faster" | "slower" | "reset" | "reload" | "continue"
    | "help" | "info" | "engine" | "sensors" | "frames" | "labels" | "free" | "nextCamera" | "lastCamera"
    | "turnLeft" | "turnRight" | "turnUp" | "turnDown" | "nearer" | "farther" | "fit" | "track" | "sceneCamera" | "front" | "side" | "top" | "fullscreen"
    | "contacts" | "forces" | "centres" | "joints" | "wind" | "transparent" | "wireframe" | "shadow"
    | "screenshot" | "video" | "copy" | "undo" | "redo" | "gallery" | "share" | "theme" | "panel" | "blow" | "blowMode";

export interface KeyRow {
    action: Action;
    keys: string[]; // as event.key gives them, with "Ctrl+" or "Shift+" before; letters in lower case
    group: "Time" | "View" | "Show" | "Breath" | "Page";
    does: string;
    hold?: boolean; // acts while it is held: told of both ends
    repeats?: boolean; // a held key goes on and on
}

export const keyTable: readonly KeyRow[] = [
    { action: "play", keys: [" "], group: "Time", does: "Play or pause" },
    { action: "step", keys: ["ArrowRight"], group: "Time", does: "One step forward", repeats: true },
    { action: "back", keys: ["ArrowLeft"], group: "Time", does: "One step back, through the history", repeats: true },
    { action: "continue", keys: ["Enter"], group: "Time", does: "Continue from the moment shown" },
    { action: "faster", keys: ["=", "+"], group: "Time", does: "Twice as fast" },
    { action: "slower", keys: ["-"], group: "Time", does: "Half as fast" },
    { action: "reset", keys: ["Backspace"], group: "Time", does: "Start again" },
    { action: "reload", keys: ["Ctrl+l", "l"], group: "Time", does: "Read the scene again" },

    { action: "fit", keys: ["a", "Ctrl+a"], group: "View", does: "See everything" },
    { action: "track", keys: ["k"], group: "View", does: "Follow the selected body" },
    { action: "free", keys: ["Escape"], group: "View", does: "Let go: close, select nothing, follow nothing" },
    { action: "lastCamera", keys: ["["], group: "View", does: "Camera before this one" },
    { action: "nextCamera", keys: ["]"], group: "View", does: "Next camera" },
    { action: "sceneCamera", keys: ["0"], group: "View", does: "The scene's own camera" },
    { action: "front", keys: ["1"], group: "View", does: "From the front" },
    { action: "side", keys: ["3"], group: "View", does: "From the side" },
    { action: "top", keys: ["7"], group: "View", does: "From above" },
    { action: "turnLeft", keys: ["Shift+ArrowLeft"], group: "View", does: "Turn left", repeats: true },
    { action: "turnRight", keys: ["Shift+ArrowRight"], group: "View", does: "Turn right", repeats: true },
    { action: "turnUp", keys: ["Shift+ArrowUp"], group: "View", does: "Turn up", repeats: true },
    { action: "turnDown", keys: ["Shift+ArrowDown"], group: "View", does: "Turn down", repeats: true },
    { action: "nearer", keys: ["PageUp"], group: "View", does: "Nearer", repeats: true },
    { action: "farther", keys: ["PageDown"], group: "View", does: "Farther", repeats: true },
    { action: "fullscreen", keys: ["Shift+f"], group: "View", does: "Full screen" },

    { action: "contacts", keys: ["c"], group: "Show", does: "Contact points" },
    { action: "forces", keys: ["f"], group: "Show", does: "Contact forces" },
    { action: "centres", keys: ["m"], group: "Show", does: "Centres of mass" },
    { action: "joints", keys: ["j"], group: "Show", does: "Joints" },
    { action: "wind", keys: ["n"], group: "Show", does: "Wind" },
    { action: "transparent", keys: ["t"], group: "Show", does: "Bodies one can see through" },
    { action: "wireframe", keys: ["w"], group: "Show", does: "Wire frames" },
    { action: "shadow", keys: ["s"], group: "Show", does: "Shadows" },
    { action: "frames", keys: ["F6"], group: "Show", does: "Frames of bodies" },
    { action: "labels", keys: ["F7"], group: "Show", does: "Names of bodies" },

    { action: "blow", keys: ["b"], group: "Breath", does: "Blow, as long as it is held", hold: true },
    { action: "blowMode", keys: ["Shift+b"], group: "Breath", does: "Aim and blow with the pointer" },

    { action: "help", keys: ["F1", "?"], group: "Page", does: "This list" },
    { action: "info", keys: ["F2"], group: "Page", does: "The scene's description" },
    { action: "engine", keys: ["F3"], group: "Page", does: "Time the engine takes" },
    { action: "sensors", keys: ["F4"], group: "Page", does: "Plots of energies and probes" },
    { action: "panel", keys: ["p"], group: "Page", does: "Show or hide the panel" },
    { action: "gallery", keys: ["g"], group: "Page", does: "Gallery of scenes" },
    { action: "screenshot", keys: ["Ctrl+p"], group: "Page", does: "Save a picture" },
    { action: "video", keys: ["v"], group: "Page", does: "Record a video, or end it" },
    { action: "copy", keys: ["Ctrl+c"], group: "Page", does: "Copy the state as text" },
    { action: "undo", keys: ["Ctrl+z"], group: "Page", does: "Undo a change of a setting" },
    { action: "redo", keys: ["Ctrl+Shift+z", "Ctrl+y"], group: "Page", does: "Do it again" },
    { action: "share", keys: ["Ctrl+s"], group: "Page", does: "Copy a link to this scene and its settings" },
    { action: "theme", keys: ["d"], group: "Page", does: "Dark or light" },
];

export interface Press {
    key: string;
    ctrlKey: boolean;
    metaKey: boolean;
    shiftKey: boolean;
    altKey: boolean;
}

// A press as the table writes it. Shift is named with letters and arrows only: in "?" and "+" it is in the character.
export function pressName(press: Press): string {
    if (press.altKey) {
        return "";
    }
    const letter = /^[a-zA-Z]$/.test(press.key);
    const key = letter ? press.key.toLowerCase() : press.key;
    const control = press.ctrlKey || press.metaKey ? "Ctrl+" : "";
    // With caps lock on, "B" comes without Shift and means b.
    const shift = press.shiftKey && (letter || press.key.startsWith("Arrow")) ? "Shift+" : "";
    return control + shift + key;
}

export function findRow(press: Press): KeyRow | undefined {
    const name = pressName(press);
    return name === "" ? undefined : keyTable.find((row) => row.keys.includes(name));
}

export function rowOf(action: Action): KeyRow {
    const row = keyTable.find((candidate) => candidate.action === action);
    if (!row) {
        throw new Error(`no key for ${action}`);
    }
    return row;
}

const names: Record<string, string> = {
    " ": "Space", ArrowRight: "→", ArrowLeft: "←", ArrowUp: "↑", ArrowDown: "↓", "-": "−", Escape: "Esc", Backspace: "⌫",
};

// How a key is written for a person: "Ctrl+l" is "Ctrl L".
export function keyLabel(key: string): string[] {
    const parts = key.length > 1 && key.includes("+") ? key.split("+").filter((part) => part !== "") : [key];
    return parts.map((part) => names[part] ?? (part.length === 1 ? part.toUpperCase() : part));
}

// For tooltips: "Play or pause (Space)".
export function hint(action: Action): string {
    const row = rowOf(action);
    return `${row.does} (${keyLabel(row.keys[0] ?? "").join(" ")})`;
}

type Doer = (action: Action, down: boolean) => void;

// What has the focus, as far as keys care.
export type Focus = "text" | "slider" | "switch" | "list" | "button" | "other";

// Keys mean the same wherever the focus is. Text fields alone have theirs to themselves; of what else has the focus, Enter
// presses it. Up, down, Home and End, which the table does not have, move sliders and lists.
export function belongsToFocus(focus: Focus, key: string): boolean {
    return focus === "text" ? key !== "Escape" : focus !== "other" && focus !== "slider" && key === "Enter";
}

// Pages of a dialog are turned in it, not nearer and farther behind it; Escape closes it.
export function belongsToDialog(key: string): boolean {
    return key === "PageUp" || key === "PageDown" || key === "Escape";
}

function focusOf(target: EventTarget | null): Focus {
    if (!(target instanceof HTMLElement)) {
        return "other";
    }
    if (target.isContentEditable) {
        return "text";
    }
    switch (target.tagName) {
    case "TEXTAREA":
        return "text";
    case "SELECT":
        return "list";
    case "BUTTON":
    case "SUMMARY":
    case "A":
        return "button";
    case "INPUT": {
        const { type } = target as HTMLInputElement;
        return type === "range" ? "slider" : type === "checkbox" || type === "radio" ? "switch" : type === "file" ? "button" : "text";
    }
    default:
        return "other";
    }
}

// Enter on what the browser gives to Space alone.
function pressFocused(focus: Focus, target: EventTarget | null): boolean {
    if (focus === "switch") {
        (target as HTMLInputElement).click();
    } else if (focus === "list") {
        (target as HTMLSelectElement).showPicker?.();
    } else {
        return false;
    }
    return true;
}

export function bindKeys(target: Window, act: Doer): void {
    const held = new Set<Action>();
    target.addEventListener("keydown", (press) => {
        const focus = focusOf(press.target);
        if (press.defaultPrevented) {
            return;
        }
        if (belongsToFocus(focus, press.key)) {
            if (press.key === "Enter" && pressFocused(focus, press.target)) {
                press.preventDefault();
            }
            return;
        }
        const row = findRow(press);
        if (belongsToDialog(press.key) && document.querySelector("dialog[open]")) {
            return;
        }
        if (!row || (row.action === "copy" && String(getSelection()) !== "")) {
            return;
        }
        press.preventDefault();
        if (press.repeat && !row.repeats) {
            return;
        }
        if (row.hold) {
            held.add(row.action);
        }
        act(row.action, true);
    });
    const release = (action: Action) => {
        if (held.delete(action)) {
            act(action, false);
        }
    };
    target.addEventListener("keyup", (press) => {
        if (press.key === " " && focusOf(press.target) !== "text") {
            press.preventDefault(); // some browsers press a focused button only now
        }
        for (const row of keyTable) {
            if (row.hold && row.keys.includes(press.key.toLowerCase())) {
                release(row.action);
            }
        }
    });
    // A key let go of in another window is never told.
    target.addEventListener("blur", () => [...held].forEach(release));
}
