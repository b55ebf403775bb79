// Steps in which something was held back: bodies that were stopped before surfaces crossed, energy that was taken out, what
// could not be followed. Nothing here knows of the DOM.

import type { HeldSteps } from "./protocol";

function steps(count: number): string {
    return `${count} step${count === 1 ? "" : "s"}`;
}

// A few words beside the time; none while there is nothing to tell.
export function heldLabel(held: HeldSteps): string {
    return held.steps > 0 ? `held back in ${steps(held.steps)}` : "";
}

export function heldMeaning(held: HeldSteps): string {
    const ways = [
        [held.taken_back, "elastic bodies were stopped before surfaces crossed"],
        [held.slowed, "energy that something had gained was taken out"],
        [held.stalled, "something was too fast to be followed and stood still"],
    ] as const;
    const told = ways.filter(([count]) => count > 0).map(([count, way]) => `in ${steps(count)} ${way}`);
    if (told.length === 0) {
        return "";
    }
    return `${told.join("; ").replace(/^i/, "I")}. Motion is lost there: shorter steps lose less.`;
}

// Tells the meaning once in a scene, when the count first grows; afterwards the label alone counts up. Going back in time
// counts down, and what was told is not told again. A scene whose state goes on is still the same one; another may well have
// the name of the last.
export class HeldWatch {
    private told = false;

    setScene({ keeps }: { keeps: boolean }): void {
        this.told = this.told && keeps;
    }

    // What to say now, if anything.
    receive(held: HeldSteps): string | null {
        if (this.told || held.steps === 0) {
            return null;
        }
        this.told = true;
        return heldMeaning(held);
    }
}
