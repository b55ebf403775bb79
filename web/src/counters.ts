// Steps that did something else than the method asked for: the counters of the engine's step report, each with its own
// words, as `sinew run` prints them. Nothing here knows of the DOM.

import type { Counters } from "./protocol";

function steps(count: number): string {
    return `${count} step${count === 1 ? "" : "s"}`;
}

// A few words beside the time; none while there is nothing to report.
export function countersLabel(counters: Counters): string {
    return counters.steps > 0 ? `altered in ${steps(counters.steps)}` : "";
}

// A line for each counter.
export function countersMeaning(counters: Counters): string {
    return counters.list.map((each) => `${each.text} in ${steps(each.steps)}`).join("\n");
}

// The engine itself gives notice of these, with the names of what has them.
const noticed = new Set(["inverted", "exploding", "violated"]);

// Reports each counter once in a scene, when it first counts; afterwards the label alone counts up. Going back in time counts
// down, and what was reported is not reported again. A scene whose state goes on is still the same one; another may well have
// the name of the last.
export class CounterWatch {
    private reported = new Set<string>();

    setScene({ keeps }: { keeps: boolean }): void {
        if (!keeps) {
            this.reported.clear();
        }
    }

    // What to say now, a line for each counter that is new.
    receive(counters: Counters): string[] {
        const fresh = counters.list.filter((each) => !noticed.has(each.name) && !this.reported.has(each.name));
        for (const each of fresh) {
            this.reported.add(each.name);
        }
        return fresh.map((each) => each.text);
    }
}
