// Breath: the microphone and its panel. The page only ships samples; what they mean is found in the engine.

import type { Aim } from "./aim";
import workletUrl from "./breath_worklet.ts?worker&url";
import type { Connection } from "./connection";
import { fill, format, make, showShare } from "./element";
import { icon } from "./icons";
import { keyLabel, rowOf } from "./keys";
import { encodeSamples } from "./protocol";
import type { BreathMessage } from "./protocol";

type State = "off" | "asking" | "denied" | "missing" | "unavailable" | "on";

const explanations: Record<State, string> = {
    off: "Blow on the microphone and things move. What it hears stays between this page and its engine.",
    asking: "Waiting for your permission…",
    denied: "The browser does not let this page hear. Allow the microphone in its address bar, or hold to blow.",
    missing: "There is no microphone. Hold to blow instead.",
    unavailable: "Browsers give microphones only to pages from https or localhost. Hold to blow instead.",
    on: "",
};

// These three take the sound of a blow for noise and remove it.
const cleaners = ["echoCancellation", "noiseSuppression", "autoGainControl"] as const;

const loudTime = 3000; // ms that advice about it stays

export class Breath {
    private state: State = "off";
    private stream: MediaStream | null = null;
    private context: AudioContext | null = null;
    private expected = false; // the engine knows that samples come
    private last: BreathMessage | null = null;
    private cleaned: string[] = []; // what the browser cleans all the same
    private full = 2; // m/s
    private loud = -Infinity; // when samples were last cut off, in ms

    private readonly button = make("button", {
        class: "wide", "data-testid": "microphone", "aria-pressed": "false", onclick: () => this.toggle(),
    });
    private readonly note = make("p", { class: "note", role: "status", "data-testid": "microphone-state" });
    private readonly bar = make("span", { class: "meter-bar" });
    private readonly floor = make("span", { class: "meter-floor" });
    private readonly meter = make("div", {
        class: "meter", role: "meter", "aria-label": "Breath", "aria-valuemin": 0, "aria-valuemax": 1, "data-testid": "meter",
    }, this.bar, this.floor);
    private readonly speed = make("output", { class: "number", "data-testid": "breath-speed" }, "0 m/s");
    private readonly calibrate = make("button", {
        "data-testid": "calibrate", onclick: () => this.connection()?.send({ do: "microphone", state: "calibrate" }),
    }, "1. Silence, 2 s");
    private readonly fullBlow = make("button", {
        "data-testid": "full-blow", onclick: () => this.connection()?.send({ do: "microphone", state: "full" }),
    }, "2. Blow hard");
    private readonly listening = make("div", { class: "listening" },
        make("div", { class: "row" }, this.meter, this.speed),
        make("div", { class: "row" }, this.calibrate, this.fullBlow));
    private readonly modeButton = make("button", {
        class: "wide", "data-testid": "blow-mode", "aria-pressed": "false", onclick: () => this.aim.setMode(!this.aim.mode),
    }, icon("breath"), "Blow with the pointer");
    private readonly hold = make("button", { class: "wide hold", "data-testid": "hold-to-blow" }, "Hold to blow");

    constructor(private readonly aim: Aim, private readonly connection: () => Connection | null,
                private readonly tell: (text: string) => void) {
        this.hold.addEventListener("pointerdown", (event) => {
            event.preventDefault();
            this.hold.setPointerCapture(event.pointerId);
            this.aim.blow(true);
        });
        for (const end of ["pointerup", "pointercancel", "lostpointercapture"] as const) {
            this.hold.addEventListener(end, () => this.aim.blow(false));
        }
        this.hold.addEventListener("keydown", (event) => {
            if (event.key === "Enter" && !event.repeat) { // Space is the clock's
                this.aim.blow(true);
            }
        });
        this.hold.addEventListener("keyup", () => this.aim.blow(false));
        this.hold.addEventListener("contextmenu", (event) => event.preventDefault());
        void this.watchPermission();
    }

    build(): HTMLElement {
        const strength = make("input", {
            type: "range", min: 0.05, max: 1, step: 0.05, value: this.aim.strength, "aria-label": "How hard to blow",
            oninput: (event: Event) => {
                this.aim.strength = Number((event.target as HTMLInputElement).value);
            },
        });
        const fullOut = make("output", { class: "number" }, `${this.full} m/s`);
        const full = make("input", {
            type: "range", min: 0.5, max: 10, step: 0.5, value: this.full, "aria-label": "Speed of a full blow",
            "data-testid": "breath-full",
            oninput: (event: Event) => {
                this.full = Number((event.target as HTMLInputElement).value);
                fullOut.textContent = `${format(this.full)} m/s`;
                this.connection()?.send({ do: "breath", full: this.full });
            },
        });
        const kind = make("select", {
            "aria-label": "Kind of wind", onchange: (event: Event) => {
                this.aim.kind = (event.target as HTMLSelectElement).value === "cone" ? "cone" : "jet";
            },
        }, make("option", { value: "jet" }, "jet: falls as 1 / distance"),
            make("option", { value: "cone" }, "cone: falls as 1 / distance²"));
        const panel = make("div", { class: "stack" },
            this.button, this.note, this.listening, make("hr"),
            this.modeButton,
            make("p", { class: "note" }, "Aim by moving the pointer. Hold it down, or the key ",
                make("kbd", {}, keyLabel(rowOf("blow").keys[0]!).join(" ")), ", to blow."),
            this.hold, make("hr"),
            make("label", { class: "field" }, make("span", {}, "How hard"), strength),
            make("label", { class: "field" }, make("span", {}, "Full blow"), full, fullOut),
            make("label", { class: "field" }, make("span", {}, "Shape"), kind));
        for (const slider of [strength, full]) {
            showShare(slider);
            slider.addEventListener("input", () => showShare(slider));
        }
        this.show();
        return panel;
    }

    // After a reconnection the engine knows nothing of us.
    resume(): void {
        if (this.full !== 2) {
            this.connection()?.send({ do: "breath", full: this.full });
        }
        if (this.state === "on" && this.context) {
            this.connection()?.send({ do: "microphone", state: "on", rate: this.context.sampleRate });
            this.expected = true;
            this.aim.setMicrophone(true);
        }
    }

    // The connection is gone; the next engine has to be told first.
    lose(): void {
        this.expected = false;
    }

    toggle(): void {
        if (this.state === "on") {
            this.stop();
        } else if (this.state !== "asking") {
            void this.start();
        }
    }

    private async watchPermission(): Promise<void> {
        try {
            const permission = await navigator.permissions.query({ name: "microphone" as PermissionName });
            const follow = () => {
                if (permission.state === "denied" && this.state !== "on") {
                    this.set("denied");
                } else if (permission.state !== "denied" && this.state === "denied") {
                    this.set("off");
                }
            };
            permission.onchange = follow;
            follow();
        } catch {
            // Some browsers do not tell; then asking tells.
        }
    }

    private async start(): Promise<void> {
        if (!navigator.mediaDevices?.getUserMedia) {
            this.set("unavailable");
            return;
        }
        this.set("asking");
        try {
            this.stream = await navigator.mediaDevices.getUserMedia({
                audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false, channelCount: 1 },
            });
            await this.listen(this.stream);
            this.set("on");
        } catch (error) {
            this.stop();
            const name = error instanceof DOMException ? error.name : "";
            this.set(name === "NotAllowedError" ? "denied" : "missing");
            if (name === "") {
                this.tell(`The microphone cannot be used: ${String(error)}`);
            }
        }
    }

    private async listen(stream: MediaStream): Promise<void> {
        const track = stream.getAudioTracks()[0];
        const settings = (track?.getSettings() ?? {}) as Record<string, unknown>;
        this.cleaned = cleaners.filter((cleaner) => settings[cleaner] === true);
        track?.addEventListener("ended", () => this.stop());
        const context = new AudioContext({ latencyHint: "interactive" });
        this.context = context;
        await context.resume();
        await context.audioWorklet.addModule(workletUrl);
        const node = new AudioWorkletNode(context, "sinew-breath", { numberOfOutputs: 0, channelCount: 1 });
        const rate = context.sampleRate;
        this.connection()?.send({ do: "microphone", state: "on", rate });
        this.expected = true;
        node.port.onmessage = (event: MessageEvent<Float32Array>) => {
            if (this.expected && this.context === context) {
                this.connection()?.sendBinary(encodeSamples(rate, event.data));
            }
        };
        context.createMediaStreamSource(stream).connect(node);
        this.aim.setMicrophone(true);
    }

    private stop(): void {
        this.stream?.getTracks().forEach((track) => track.stop());
        void this.context?.close();
        this.stream = null;
        this.context = null;
        this.expected = false;
        this.last = null;
        this.aim.setMicrophone(false);
        this.aim.hear(0);
        this.connection()?.send({ do: "microphone", state: "off" });
        this.set("off");
    }

    private set(state: State): void {
        this.state = state;
        this.show();
    }

    hear(message: BreathMessage): void {
        if (this.state !== "on") {
            return;
        }
        if (message.clipped > (this.last?.clipped ?? 0)) {
            this.loud = performance.now();
        }
        this.last = message;
        this.aim.hear(message.speed / this.full);
        this.show();
    }

    // Also called when blow mode changes from elsewhere.
    show(): void {
        const on = this.state === "on";
        fill(this.button, icon("microphone"), on ? "Stop listening" : "Listen to the microphone");
        this.button.setAttribute("aria-pressed", String(on));
        this.button.disabled = this.state === "asking";
        this.modeButton.setAttribute("aria-pressed", String(this.aim.mode));
        this.hold.classList.toggle("active", this.aim.active);
        this.listening.hidden = !on;
        this.setNote(on ? this.advice() : explanations[this.state]);
        const last = this.last;
        const reference = Math.max(last?.full_level ?? 0, 4 * (last?.floor ?? 0), 0.02);
        const share = last ? Math.min(1, Math.sqrt(Math.max(0, last.level) / reference)) : 0;
        this.bar.style.transform = `scaleX(${share.toFixed(3)})`;
        this.floor.style.left = `${(100 * Math.min(1, Math.sqrt((last?.floor ?? 0) / reference))).toFixed(1)}%`;
        this.meter.setAttribute("aria-valuenow", share.toFixed(2));
        this.speed.textContent = `${(last?.speed ?? 0).toFixed(2)} m/s`;
    }

    private setNote(text: string): void {
        if (this.note.textContent !== text) {
            this.note.textContent = text;
        }
    }

    private advice(): string {
        const last = this.last;
        if (last?.state === "calibrating") {
            return "Listening to the silence…";
        }
        if (last?.state === "full") {
            return "Now blow as hard as you will…";
        }
        if (this.cleaned.length > 0) {
            return `This browser still uses ${this.cleaned.join(", ")}, which weakens a blow.`;
        }
        if (last && !last.calibrated) {
            return "Blow. If things move without it, let it hear the silence first.";
        }
        return performance.now() - this.loud < loudTime ? "Too loud at times: move the microphone a little away." : "Blow.";
    }
}
