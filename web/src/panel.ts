// The rail of tabs at the side and the one panel that it opens.

import { fill, find, make } from "./element";
import { icon } from "./icons";
import type { IconName } from "./icons";

export interface Tab {
    id: string;
    title: string;
    icon: IconName;
    content: HTMLElement;
    shown?: (visible: boolean) => void;
}

export class Panel {
    private readonly rail = find("rail");
    private readonly panel = find("panel");
    private readonly buttons = new Map<string, HTMLButtonElement>();
    private last: string;
    current: string | null = null;

    constructor(private readonly tabs: Tab[]) {
        this.last = tabs[0]?.id ?? "";
        for (const tab of tabs) {
            this.buttons.set(tab.id, make("button", {
                class: "rail-button", role: "tab", id: `tab-${tab.id}`, "aria-selected": "false", "aria-controls": "panel",
                title: tab.title, "data-testid": `tab-${tab.id}`, onclick: () => this.toggle(tab.id),
            }, icon(tab.icon), make("span", { class: "rail-text" }, tab.title)));
        }
        fill(this.rail, ...this.buttons.values());
        this.rail.addEventListener("keydown", (event) => this.arrows(event));
        this.close();
    }

    // Up and down go from tab to tab, as tab lists do; left and right are the clock's.
    private arrows(event: KeyboardEvent): void {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        const buttons = [...this.buttons.values()];
        const at = buttons.findIndex((button) => button === document.activeElement);
        if (step !== undefined && at >= 0) {
            event.preventDefault();
            buttons[(at + step + buttons.length) % buttons.length]?.focus();
        }
    }

    // A count on a tab; 0: none.
    setBadge(id: string, count: number): void {
        const button = this.buttons.get(id);
        button?.querySelector(".badge")?.remove();
        if (count > 0) {
            button?.append(make("span", { class: "badge", "data-testid": `badge-${id}`, "aria-label": `${count} new` }, count > 99 ? "99+" : String(count)));
        }
    }

    toggle(id?: string): void {
        if (this.current === (id ?? this.current) && this.current !== null) {
            this.close();
        } else {
            this.open(id ?? this.last);
        }
    }

    open(id: string): void {
        const tab = this.tabs.find((candidate) => candidate.id === id);
        if (!tab) {
            return;
        }
        if (this.current !== id) {
            this.tell(this.current, false);
        }
        this.current = this.last = id;
        fill(this.panel,
            make("div", { class: "panel-head" }, make("h2", {}, tab.title),
                make("button", { class: "round", "aria-label": "Close the panel", onclick: () => this.close() }, icon("close"))),
            make("div", { class: "panel-body" }, tab.content));
        this.panel.hidden = false;
        this.panel.setAttribute("aria-labelledby", `tab-${id}`);
        this.mark();
        this.tell(id, true);
    }

    close(): void {
        this.panel.hidden = true;
        this.tell(this.current, false);
        this.current = null;
        this.mark();
    }

    private tell(id: string | null, visible: boolean): void {
        this.tabs.find((tab) => tab.id === id)?.shown?.(visible);
    }

    private mark(): void {
        document.body.classList.toggle("with-panel", this.current !== null);
        for (const [id, button] of this.buttons) {
            button.setAttribute("aria-selected", String(id === this.current));
        }
    }
}
