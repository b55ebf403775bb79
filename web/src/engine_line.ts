// One line about what the engine and the display do, for those who ask for it.

import { find } from "./element";
import type { Frame } from "./protocol";

export class EngineLine {
    shown = false;
    private slowest = 0;

    toggle(): void {
        this.shown = !this.shown;
        find("engine").hidden = !this.shown;
        this.slowest = 0;
    }

    show(engine: string, frame: Frame, rate: number): void {
        this.slowest = Math.max(frame.milliseconds, 0.97 * this.slowest);
        find("engine").textContent = `${engine} engine ${frame.milliseconds.toFixed(2)} ms a frame, lately at most ` +
            `${this.slowest.toFixed(2)} · ${rate.toFixed(0)} pictures a second · step ${frame.step}`;
    }
}
