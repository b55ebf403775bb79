// Errors, beside the picture until they are read or mended; and how the connection is. What merely happened is in notes.ts.

import { fill, find, make } from "./element";
import { icon } from "./icons";
import type { ErrorMessage } from "./protocol";

const titles: Record<string, string> = {
    open: "This scene cannot be read",
    reload: "The saved scene cannot be read; the one before is paused",
    step: "The simulation stopped",
};

export class Messages {
    private readonly errors = find("errors");
    private readonly link = find("link");

    // `again`, when given, is offered as a button.
    showError(message: ErrorMessage, again?: () => void): void {
        const list = message.errors && message.errors.length > 0 ? message.errors : [message];
        this.errors.hidden = false;
        fill(this.errors,
            make("div", { class: "error-card", "data-testid": "error" },
                make("div", { class: "error-head" },
                    make("strong", {}, titles[message.while ?? ""] ?? "That did not work"),
                    make("button", {
                        class: "round", "aria-label": "Dismiss", "data-testid": "error-close", onclick: () => this.clearError(),
                    }, icon("close"))),
                ...list.slice(0, 20).map(({ place, text }) => make("p", {},
                    place ? make("code", { "data-testid": "error-place" }, place) : null, place ? " " : null, text)),
                list.length > 20 ? make("p", { class: "note" }, `and ${list.length - 20} more`) : null,
                again ? make("button", {
                    "data-testid": "error-again",
                    onclick: () => {
                        this.clearError();
                        again();
                    },
                }, "Start the scene again") : null));
    }

    clearError(): void {
        fill(this.errors);
        this.errors.hidden = true;
    }

    get hasError(): boolean {
        return !this.errors.hidden;
    }

    // Text about the connection, or none; with a button, where there is something to be done.
    setLink(text: string, button?: { label: string; act: () => void }): void {
        fill(this.link, make("span", {}, text), button
            ? make("button", { class: "pill", "data-testid": "link-action", onclick: button.act }, button.label) : null);
        this.link.hidden = text === "";
    }
}
