// One sentence for those who are here for the first time, until they have touched something.

import { find } from "./element";
import { keyLabel, rowOf } from "./keys";
import { readStore, writeStore } from "./theme";

const store = "sinew.met";

export function greetNewcomer(canvas: HTMLCanvasElement): void {
    if (readStore(store) !== null) {
        return;
    }
    const line = find("hint");
    const blow = keyLabel(rowOf("blow").keys[0]!).join(" ");
    line.textContent = matchMedia("(pointer: coarse)").matches
        ? "Pull at things. Beside them, turn the view."
        : `Pull at things with the pointer · hold ${blow} to blow · ${rowOf("help").keys[0]!} lists the keys`;
    line.hidden = false;
    canvas.addEventListener("pointerdown", () => {
        line.hidden = true;
        writeStore(store, "yes");
    }, { once: true });
}
