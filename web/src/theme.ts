// Dark or light: the system's wish until the switch is used, then the user's, remembered.

export type Theme = "dark" | "light";

const store = "sinew.theme";

export class ThemeSwitch {
    private readonly system = matchMedia("(prefers-color-scheme: dark)");
    private chosen: Theme | null;

    constructor(private readonly changed: (theme: Theme) => void) {
        const kept = readStore(store);
        this.chosen = kept === "dark" || kept === "light" ? kept : null;
        this.system.addEventListener("change", () => this.apply());
        this.apply();
    }

    get theme(): Theme {
        return this.chosen ?? (this.system.matches ? "dark" : "light");
    }

    toggle(): void {
        this.chosen = this.theme === "dark" ? "light" : "dark";
        writeStore(store, this.chosen);
        this.apply();
    }

    private apply(): void {
        document.documentElement.dataset.theme = this.theme;
        document.querySelector('meta[name="theme-color"]')?.setAttribute(
            "content", this.theme === "dark" ? "#17181b" : "#efece5");
        this.changed(this.theme);
    }
}

// Storage may be forbidden; then nothing is remembered.
export function readStore(key: string): string | null {
    try {
        return localStorage.getItem(key);
    } catch {
        return null;
    }
}

export function writeStore(key: string, value: string): void {
    try {
        localStorage.setItem(key, value);
    } catch {
        // Not remembered.
    }
}

export function prefersLessMotion(): boolean {
    return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
