// The bar at the bottom: play, step, reset, the history to scrub through, speed asked and reached.

import type { Connection } from "./connection";
import { countersLabel, countersMeaning } from "./counters";
import { fill, make } from "./element";
import { icon } from "./icons";
import { hint } from "./keys";
import { ticksOf } from "./note_list";
import type { Note, NoteKind } from "./note_list";
import type { Frame, StatusMessage } from "./protocol";

const slowest = 1 / 64;
const fastest = 64;

function speedText(factor: number): string {
    return factor >= 1 ? `${Number(factor.toPrecision(3))}×` : `1/${Number((1 / factor).toPrecision(3))}×`;
}

export class Timeline {
    playing = false;
    speed = 1;
    past = false;
    private from = 0;
    private to = 0;
    private at = 0;
    private scrubbing = false;
    private wanted: number | null = null;

    private readonly play = make("button", { class: "round primary", "data-testid": "play", onclick: () => this.toggle() });
    private readonly slider = make("input", {
        type: "range", min: 0, max: 0, value: 0, step: "any", "aria-label": "History", "data-testid": "history",
    });
    private readonly reach = make("output", { class: "reach", "data-testid": "reach", hidden: true });
    private readonly counters = make("button", {
        class: "counters", "data-testid": "counters", hidden: true, onclick: () => this.openNotes(),
    });
    private readonly news = make("div", { id: "notices", role: "status", "aria-live": "polite" });
    private readonly ticks = make("div", { class: "ticks", "data-testid": "ticks", "aria-hidden": "true" });
    private notes: readonly Note[] = [];
    private tickText = ""; // what the ticks show, so that they are made anew only when that changes
    private readonly clock = make("output", { class: "clock", "data-testid": "time" }, "0.00 s");
    private readonly here = make("button", {
        class: "pill", hidden: true, "data-testid": "continue", title: hint("continue"), onclick: () => this.continue(),
    }, "Continue from here");
    private readonly factor = make("output", { class: "factor", "data-testid": "speed", title: "Speed asked" }, "1×");
    private readonly reached = make("output", { class: "reached", "data-testid": "reached", title: "Speed reached" });

    constructor(private readonly connection: () => Connection | null, private readonly openNotes: () => void) {
        const button = (name: Parameters<typeof icon>[0], action: Parameters<typeof hint>[0], id: string, act: () => void) =>
            make("button", { class: "round", title: hint(action), "aria-label": hint(action), "data-testid": id, onclick: act },
                icon(name));
        const text = (sign: string, action: Parameters<typeof hint>[0], id: string, act: () => void) =>
            make("button", { class: "round small", title: hint(action), "aria-label": hint(action), "data-testid": id, onclick: act },
                sign);
        const bar = document.getElementById("transport")!;
        fill(bar,
            make("div", { class: "buttons" },
                button("reset", "reset", "reset", () => this.reset()),
                button("back", "back", "back", () => this.step(-1)), this.play,
                button("forward", "step", "step", () => this.step(1))),
            make("div", { class: "track" }, make("div", { class: "line" }, this.slider, this.ticks), this.reach, this.counters, this.news, this.here),
            this.clock,
            make("div", { class: "speed" }, text("−", "slower", "slower", () => this.setSpeed(this.speed / 2)),
                make("div", { class: "factors" }, this.factor, this.reached),
                text("+", "faster", "faster", () => this.setSpeed(this.speed * 2))));
        this.slider.addEventListener("input", () => this.scrub(Number(this.slider.value)));
        this.slider.addEventListener("change", () => {
            this.scrubbing = false;
        });
        this.show();
    }

    toggle(): void {
        this.connection()?.send({ do: this.playing ? "pause" : "play" });
        this.playing = !this.playing; // shown at once; the engine's status corrects it
        this.show();
    }

    step(count: number): void {
        this.connection()?.send({ do: "step", count });
    }

    reset(): void {
        this.connection()?.send({ do: "reset" });
    }

    continue(): void {
        this.connection()?.send({ do: "continue" });
    }

    setSpeed(factor: number): void {
        this.speed = Math.min(fastest, Math.max(slowest, factor));
        this.connection()?.send({ do: "speed", factor: this.speed });
        this.show();
    }

    // To a moment of the history.
    seek(time: number): void {
        this.connection()?.send({ do: "seek", time });
    }

    // The newest note, until there is another or its time is over.
    showNews(text: string, kind: NoteKind): void {
        fill(this.news, text === "" ? null : make("p", {
            class: `notice ${kind}`, "data-testid": "notice", title: text, onclick: () => this.openNotes(),
        }, text));
    }

    setNotes(notes: readonly Note[]): void {
        this.notes = notes;
        this.showTicks();
    }

    private showTicks(): void {
        const ticks = ticksOf(this.notes, this.from, this.to);
        const text = ticks.map((tick) => `${tick.kind} ${tick.share.toFixed(4)}`).join();
        if (text === this.tickText) {
            return;
        }
        this.tickText = text;
        fill(this.ticks, ...ticks.map((tick) => {
            const mark = make("span", {
                class: `tick ${tick.kind}`, "data-testid": "tick", title: `${tick.time.toFixed(2)} s: ${tick.text}`,
                onclick: () => this.seek(tick.time),
            });
            mark.style.left = `${(100 * tick.share).toFixed(2)}%`;
            return mark;
        }));
    }

    // One seek for each picture at most, the newest.
    private scrub(time: number): void {
        this.scrubbing = true;
        const idle = this.wanted === null;
        this.wanted = time;
        this.at = time;
        this.showTime();
        if (idle) {
            requestAnimationFrame(() => {
                if (this.wanted !== null) {
                    this.connection()?.send({ do: "seek", time: this.wanted });
                }
                this.wanted = null;
            });
        }
    }

    // Times of the last scene mean nothing in this one.
    setScene(): void {
        this.from = this.to = this.at = 0;
        this.past = false;
        this.scrubbing = false;
        this.counters.hidden = true;
        this.show();
        this.showTime();
    }

    setStatus(status: StatusMessage): void {
        this.playing = status.playing;
        this.speed = status.speed;
        this.past = status.past;
        this.from = status.history.from;
        this.to = status.history.to;
        if (!this.scrubbing) {
            this.at = status.history.at;
        }
        this.showReached(status.playing ? status.reached : null, status.slow);
        this.showReach(status);
        this.counters.hidden = status.counters.steps === 0;
        this.counters.textContent = countersLabel(status.counters);
        this.counters.title = countersMeaning(status.counters);
        this.show();
        this.showTime();
        this.showTicks();
    }

    setFrame(frame: Frame): void {
        this.past = frame.past;
        this.to = frame.past ? Math.max(this.to, frame.time) : frame.time;
        this.from = Math.min(this.from, frame.time);
        if (!this.scrubbing) {
            this.at = frame.time;
        }
        this.here.hidden = !this.past;
        this.showTime();
    }

    private show(): void {
        fill(this.play, icon(this.playing ? "pause" : "play"));
        const label = hint("play");
        this.play.title = label;
        this.play.setAttribute("aria-label", this.playing ? "Pause" : "Play");
        this.here.hidden = !this.past;
        this.factor.textContent = speedText(this.speed);
    }

    private showReached(reached: number | null, slow: boolean): void {
        this.reached.textContent = reached === null ? "paused" : `reached ${Number(reached.toFixed(2))}×`;
        this.reached.classList.toggle("slow", slow);
    }

    // How far back the history goes, told where it does not go back to the start any more: memory for it is bounded.
    private showReach(status: StatusMessage): void {
        const { from, to, steps, bytes } = status.history;
        const forgets = status.steps >= steps && from > 0;
        const text = `goes back ${(to - from).toFixed(to - from < 10 ? 1 : 0)} s`;
        this.reach.hidden = !forgets;
        this.reach.textContent = forgets ? text : "";
        this.slider.title = `History: ${text}, ${steps} steps, ${(bytes / 1e6).toFixed(0)} MB` +
            (forgets ? "; what is older was forgotten" : "");
    }

    private showTime(): void {
        const { slider } = this;
        slider.min = String(this.from);
        slider.max = String(Math.max(this.to, this.from));
        slider.disabled = !(this.to > this.from);
        if (!this.scrubbing) {
            slider.value = String(this.at);
        }
        const share = this.to > this.from ? (this.at - this.from) / (this.to - this.from) : 1;
        slider.style.setProperty("--share", `${(100 * Math.min(1, Math.max(0, share))).toFixed(2)}%`);
        slider.setAttribute("aria-valuetext", `${this.at.toFixed(2)} seconds`);
        this.clock.textContent = `${this.at.toFixed(2)} s`;
    }
}
