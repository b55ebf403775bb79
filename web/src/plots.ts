// Plots over time: energies, the scene's probes, and any quantity of a body that the user asks for.

import type uPlot from "uplot";
import type { Connection } from "./connection";
import { fill, format, make } from "./element";
import { EnergyStart, plotRange, withoutRoundOff } from "./energy";
import type { Frame, Quantity, SceneMessage } from "./protocol";
import { Samples } from "./samples";

interface Watched {
    quantity: Quantity;
    label: string;
    unit: string;
    shown: boolean;
}

const energyNames = ["kinetic", "of gravity", "otherwise stored", "total"]; // from the start
const redrawPeriod = 90; // ms
const startShown = 3;

export class Plots {
    readonly element = make("div", { class: "stack plots", "data-testid": "plots" });
    private readonly chips = make("div", { class: "chips", role: "group", "aria-label": "Probes" });
    private readonly charts = make("div", { class: "charts" });
    private energies = new Samples(4);
    private start = new EnergyStart();
    private probes = new Samples(0);
    private watched: Watched[] = [];
    private layout: Watched[] = []; // what frames carry now
    private plots: { plot: uPlot; samples: Samples; columns: number[] }[] = [];
    private lastDraw = 0;
    private visible = false;
    private draw: typeof uPlot | null = null; // loaded when there is something to draw
    private past: number | null = null;
    private version = 0;

    constructor(private readonly connection: () => Connection | null, private readonly tell: (text: string) => void) {
        fill(this.element, this.charts, this.chips);
        new ResizeObserver(() => this.fitWidth()).observe(this.charts);
    }

    setScene(message: SceneMessage): void {
        if (!message.keeps) {
            this.energies = new Samples(4);
            this.start = new EnergyStart(message.energies);
        }
        const extras = message.keeps ? this.watched.filter((entry) => typeof entry.quantity !== "string") : [];
        this.watched = message.probes.map((probe, i) => ({
            quantity: probe.name, label: probe.name, unit: probe.unit, shown: i < startShown,
        }));
        this.watched.push(...extras);
        this.past = null;
        void this.watch();
    }

    // Tells the engine what to send. Frames that came before its answer have the old probes.
    async watch(): Promise<void> {
        const connection = this.connection();
        if (!connection) {
            return;
        }
        const version = ++this.version;
        const wanted = this.watched.filter((entry) => entry.shown);
        this.layout = [];
        try {
            const reply = await connection.request({ do: "watch", probes: wanted.map((entry) => entry.quantity) });
            if (version !== this.version) {
                return;
            }
            const units = (reply as { units?: unknown }).units;
            wanted.forEach((entry, i) => {
                const unit: unknown = Array.isArray(units) ? units[i] : undefined;
                entry.unit = typeof unit === "string" ? unit : entry.unit;
            });
        } catch (error) {
            // When another scene has come meanwhile, it has asked anew.
            if (version === this.version && this.watched.some((entry) => typeof entry.quantity !== "string")) {
                this.watched = this.watched.filter((entry) => typeof entry.quantity === "string");
                this.tell(`That cannot be plotted: ${(error as Error).message}`);
                void this.watch();
            }
            return;
        }
        connection.forgetFrame();
        this.layout = wanted;
        this.probes = new Samples(wanted.length);
        this.rebuild();
    }

    // Adds a quantity of a body, and shows it.
    plot(of: string, quantity: string): void {
        const label = `${of} ${quantity}`;
        const there = this.watched.find((entry) => entry.label === label);
        if (there) {
            there.shown = true;
        } else {
            this.watched.push({ quantity: { of, quantity }, label, unit: "", shown: true });
        }
        void this.watch();
    }

    setVisible(visible: boolean): void {
        this.visible = visible;
        if (visible) {
            this.rebuild();
            void this.load();
        }
    }

    private async load(): Promise<void> {
        if (!this.draw) {
            this.draw = (await import("uplot")).default;
            this.rebuild();
        }
    }

    // Colours have changed.
    setTheme(): void {
        this.rebuild();
    }

    setFrame(frame: Frame): void {
        if (frame.past) {
            this.past = frame.time;
        } else {
            this.past = null;
            this.energies.add(frame.time, this.start.count(frame.energies));
            if (frame.probes.length === this.layout.length) {
                this.probes.add(frame.time, frame.probes);
            }
        }
        const now = performance.now();
        if (this.visible && now - this.lastDraw > redrawPeriod) {
            this.lastDraw = now;
            this.redraw();
        }
    }

    private shown(samples: Samples, columns: number[]): [number[], ...number[][]] {
        return [samples.times, ...withoutRoundOff(columns.map((column) => samples.columns[column] ?? []),
            samples === this.energies ? this.start.noise : 0)];
    }

    private redraw(): void {
        for (const { plot, samples, columns } of this.plots) {
            plot.setData(this.shown(samples, columns));
            if (plot.cursor.idx == null && samples.times.length > 0) {
                plot.setLegend({ idx: samples.times.length - 1 }); // the newest values, while nobody points at others
            }
        }
    }

    private rebuild(): void {
        this.plots.forEach(({ plot }) => plot.destroy());
        this.plots = [];
        fill(this.charts);
        this.showChips();
        if (!this.visible || !this.draw) {
            return;
        }
        this.addPlot(this.draw, "Energy since the start", "J", this.energies, [0, 1, 2, 3], energyNames);
        const units = new Map<string, number[]>();
        this.layout.forEach((entry, i) => units.set(entry.unit, [...(units.get(entry.unit) ?? []), i]));
        for (const [unit, columns] of units) {
            const names = columns.map((column) => this.layout[column]!.label);
            this.addPlot(this.draw, names.length === 1 ? names[0]! : "Probes", unit, this.probes, columns, names);
        }
        this.redraw();
    }

    private addPlot(draw: typeof uPlot, title: string, unit: string, samples: Samples, columns: number[], names: string[]): void {
        const style = getComputedStyle(document.documentElement);
        const colour = (name: string) => style.getPropertyValue(name).trim();
        const axis = {
            stroke: colour("--muted"), grid: { stroke: colour("--hair"), width: 1 }, ticks: { show: false },
            font: "11px system-ui, sans-serif", size: 22,
        };
        const host = make("figure", { class: "plot", "aria-label": `${title} over time` },
            make("figcaption", {}, title, make("span", { class: "unit" }, unit === "1" || unit === "" ? "" : ` in ${unit}`)));
        this.charts.append(host);
        const plot = new draw({
            width: Math.max(120, this.charts.clientWidth), height: 132,
            scales: { x: { time: false }, y: { range: (_, low, high) => plotRange(low ?? NaN, high ?? NaN) } },
            legend: { show: true, live: true, markers: { width: 0, fill: (_, i) => colour(`--series-${((i - 1) % 6) + 1}`) } },
            cursor: { y: false, sync: { key: "sinew" }, points: { size: 5 } },
            axes: [
                { ...axis, values: (_, splits) => splits.map((split) => format(split, 6)) },
                { ...axis, size: 52, values: (_, splits) => splits.map((split) => format(split, 5)) },
            ],
            series: [
                { label: "time", value: (_, value) => (value === null ? "–" : `${format(value, 5)} s`) },
                ...columns.map((_, i) => ({
                    label: names[i]!, stroke: colour(`--series-${(i % 6) + 1}`), width: 1.5, points: { show: false },
                    value: (_: uPlot, value: number | null) => (value === null ? "–" : format(value, 5)),
                })),
            ],
            hooks: { draw: [(drawn) => this.drawPast(drawn, colour("--accent"))] },
        }, this.shown(samples, columns), host);
        this.plots.push({ plot, samples, columns });
    }

    // A line at the moment of the history that is shown.
    private drawPast(plot: uPlot, colour: string): void {
        if (this.past === null) {
            return;
        }
        const x = Math.round(plot.valToPos(this.past, "x", true));
        const { left, top, width, height } = plot.bbox;
        if (x < left || x > left + width) {
            return;
        }
        plot.ctx.save();
        plot.ctx.strokeStyle = colour;
        plot.ctx.beginPath();
        plot.ctx.moveTo(x, top);
        plot.ctx.lineTo(x, top + height);
        plot.ctx.stroke();
        plot.ctx.restore();
    }

    private fitWidth(): void {
        const width = Math.max(120, this.charts.clientWidth);
        for (const { plot } of this.plots) {
            if (plot.width !== width) {
                plot.setSize({ width, height: plot.height });
            }
        }
    }

    private showChips(): void {
        fill(this.chips, ...this.watched.map((entry) => make("button", {
            class: "chip", "aria-pressed": String(entry.shown), onclick: () => {
                entry.shown = !entry.shown;
                void this.watch();
            },
        }, entry.label)));
    }
}
