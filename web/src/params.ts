// Sliders for the scene's params, in their own units.

import type { Connection } from "./connection";
import { fill, format, make, showShare } from "./element";
import type { Param, SceneMessage } from "./protocol";

interface Control {
    param: Param;
    slider: HTMLInputElement | null;
    number: HTMLInputElement;
    row: HTMLElement;
}

// Params that span more than three decades are slid by their logarithm.
function isLogarithmic(param: Param): boolean {
    return param.min !== null && param.max !== null && param.min > 0 && param.max / param.min > 1000;
}

interface Edit {
    name: string;
    before: number;
    after: number;
    time: number; // ms
}

const oneGesture = 700; // ms: changes of one param in quick succession are undone together

export class Params {
    readonly element = make("div", { class: "stack", "data-testid": "params" });
    values: Record<string, number> = {};
    private controls = new Map<string, Control>();
    private pending = new Map<string, number>();
    private asked = false;
    private done: Edit[] = [];
    private undone: Edit[] = [];

    constructor(private readonly connection: () => Connection | null, private readonly changed: () => void) {}

    setScene(message: SceneMessage): void {
        if (!message.keeps) {
            this.done = [];
            this.undone = [];
        }
        this.controls.clear();
        this.pending.clear();
        this.values = {};
        for (const param of message.params) {
            this.values[param.name] = param.value;
            this.controls.set(param.name, this.makeControl(param));
        }
        const rows = [...this.controls.values()].map((control) => control.row);
        fill(this.element, ...(rows.length > 0
            ? [...rows, make("button", { class: "quiet", "data-testid": "params-reset", onclick: () => this.reset() }, "Reset all")]
            : [make("p", { class: "note" }, "This scene has no settings.")]));
        this.controls.forEach((control) => this.display(control));
    }

    // Those that differ from what the file says.
    get altered(): Record<string, number> {
        const altered: Record<string, number> = {};
        for (const { param } of this.controls.values()) {
            const value = this.values[param.name];
            if (value !== undefined && value !== param.start) {
                altered[param.name] = value;
            }
        }
        return altered;
    }

    // Told by the engine, whoever changed them.
    receive(values: Record<string, number>): void {
        for (const [name, value] of Object.entries(values)) {
            const control = this.controls.get(name);
            if (control && !this.pending.has(name)) {
                this.values[name] = value;
                this.display(control);
            }
        }
        this.changed();
    }

    private makeControl(param: Param): Control {
        const { min, max } = param;
        const id = `param-${param.name}`;
        let slider: HTMLInputElement | null = null;
        if (min !== null && max !== null && max > min) {
            const log = isLogarithmic(param);
            const [low, high] = log ? [Math.log(min), Math.log(max)] : [min, max];
            slider = make("input", {
                type: "range", id, min: low, max: high, step: "any", "data-testid": id, "aria-label": param.label || param.name,
            });
            const moved = slider;
            slider.addEventListener("input", () => {
                const raw = Number(moved.value);
                this.edit(param, tidy(log ? Math.exp(raw) : raw, log ? Math.exp(raw) : high - low));
            });
        }
        const number = make("input", {
            type: "number", class: "number", step: "any", "aria-label": `${param.label || param.name}, number`,
            ...(min !== null ? { min } : {}), ...(max !== null ? { max } : {}),
        });
        number.addEventListener("change", () => {
            if (number.value !== "" && Number.isFinite(number.valueAsNumber)) {
                this.edit(param, number.valueAsNumber);
            }
        });
        const back = make("button", {
            class: "dot", title: "As the scene has it", "aria-label": `Reset ${param.label || param.name}`,
            onclick: () => this.edit(param, param.start),
        });
        const row = make("div", { class: "param" },
            make("div", { class: "param-head" },
                make("label", slider ? { for: id } : {}, param.label || param.name), back,
                number, make("span", { class: "unit" }, param.unit === "1" ? "" : param.unit)),
            slider);
        return { param, slider, number, row };
    }

    private display(control: Control): void {
        const { param, slider, number, row } = control;
        const value = this.values[param.name] ?? param.value;
        if (slider) {
            slider.value = String(isLogarithmic(param) ? Math.log(value) : value);
            showShare(slider);
            slider.setAttribute("aria-valuetext", `${format(value)} ${param.unit}`);
        }
        if (document.activeElement !== number) {
            number.value = String(Number(value.toPrecision(6)));
        }
        row.classList.toggle("altered", value !== param.start);
    }

    // What the user sets, remembered to be undone.
    private edit(param: Param, value: number): void {
        const before = this.values[param.name] ?? param.value;
        const last = this.done.at(-1);
        const time = performance.now();
        if (last && last.name === param.name && time - last.time < oneGesture) {
            last.after = value;
            last.time = time;
        } else {
            this.done.push({ name: param.name, before, after: value, time });
        }
        this.undone = [];
        this.send(param, value);
    }

    undo(): void {
        const edit = this.done.pop();
        const control = edit && this.controls.get(edit.name);
        if (control) {
            this.undone.push(edit);
            this.send(control.param, edit.before);
        }
    }

    redo(): void {
        const edit = this.undone.pop();
        const control = edit && this.controls.get(edit.name);
        if (control) {
            this.done.push({ ...edit, time: -Infinity });
            this.send(control.param, edit.after);
        }
    }

    private send(param: Param, value: number): void {
        const low = param.min ?? -Infinity;
        const high = param.max ?? Infinity;
        this.values[param.name] = Math.min(high, Math.max(low, value));
        this.pending.set(param.name, this.values[param.name]!);
        this.display(this.controls.get(param.name)!);
        this.changed();
        if (!this.asked) {
            this.asked = true;
            requestAnimationFrame(() => {
                this.asked = false;
                for (const [name, newest] of this.pending) {
                    this.connection()?.send({ do: "param", name, value: newest });
                }
                this.pending.clear();
            });
        }
    }

    reset(): void {
        for (const control of this.controls.values()) {
            this.values[control.param.name] = control.param.start;
            this.display(control);
        }
        this.connection()?.send({ do: "params", reset: true });
        this.changed();
    }
}

// As many digits as the range can show: a thousandth of it.
function tidy(value: number, range: number): number {
    const unit = 10 ** Math.floor(Math.log10(Math.abs(range) / 500));
    return unit > 0 && Number.isFinite(unit) ? Number((Math.round(value / unit) * unit).toPrecision(12)) : value;
}
