// Small helpers to make DOM elements without markup in strings.

type Value = string | number | boolean | undefined | ((event: never) => void);
export type Child = Node | string | null | undefined;

// make("button", { class: "quiet", "aria-label": "Play", onclick: f }, icon, "Play")
export function make<K extends keyof HTMLElementTagNameMap>(
    tag: K, attributes: Record<string, Value> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function") {
            element.addEventListener(name.slice(2), value as EventListener);
        } else if (typeof value === "boolean") {
            element.toggleAttribute(name, value);
        } else if (value !== undefined) {
            element.setAttribute(name, String(value));
        }
    }
    element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined));
    return element;
}

// Replaces what is inside.
export function fill(element: Element, ...children: Child[]): void {
    element.replaceChildren(...children.filter((c): c is Node | string => c !== null && c !== undefined));
}

export function find<T extends HTMLElement = HTMLElement>(id: string): T {
    const element = document.getElementById(id);
    if (!element) {
        throw new Error(`the page has no element #${id}`);
    }
    return element as T;
}

// Numbers as a person reads them: so many significant digits, no needless zeros, a true minus sign.
export function format(value: number, digits = 4): string {
    if (!Number.isFinite(value)) {
        return "–";
    }
    const size = Math.abs(value);
    const text = size !== 0 && (size < 1e-4 || size >= 1e6)
        ? value.toExponential(Math.max(0, digits - 2)).replace(/\.?0+e/, "e").replace("e+", "e")
        : String(Number(value.toPrecision(digits)));
    return text.replaceAll("-", "−");
}

export function offerDownload(name: string, blob: Blob): void {
    const url = URL.createObjectURL(blob);
    const anchor = make("a", { href: url, download: name });
    document.body.append(anchor);
    anchor.click();
    anchor.remove();
    window.setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// Sliders show how far they are by a filled track, which CSS alone cannot do.
export function showShare(slider: HTMLInputElement): void {
    const low = Number(slider.min);
    const share = (Number(slider.value) - low) / (Number(slider.max) - low || 1);
    slider.style.setProperty("--share", `${(100 * Math.min(1, Math.max(0, share))).toFixed(2)}%`);
}
