// What happened, in a list: events, breaks, warnings, news. The newest stands for a moment in the time bar, those with a time
// are ticks on it. Nothing of it lies over the picture.

import { fill, make } from "./element";
import { merge } from "./note_list";
import type { Note, NoteKind } from "./note_list";

const newsTime = 6000; // ms that the newest one stands in the time bar

const kindNames: Record<NoteKind, string> = {
    event: "Event", break: "Break", warning: "Warning", error: "Error", news: "News", page: "Page",
};

export interface NoteActions {
    go(time: number): void; // to a moment of the history
    changed(notes: readonly Note[], unread: number): void;
    showNews(text: string, kind: NoteKind): void; // "": none
}

export class Notes {
    readonly element = make("div", { class: "stack notes", "data-testid": "notes" });
    private notes: readonly Note[] = [];
    private unread = 0;
    private visible = false;
    private newest = 0;

    constructor(private readonly act: NoteActions) {
        this.show();
    }

    add(kind: NoteKind, text: string, time: number | null = null): void {
        const before = this.notes;
        this.notes = merge(before, { kind, text, time, count: 1, times: time === null ? [] : [time] });
        if (this.notes === before) {
            return; // told before: somebody goes through the past once more
        }
        this.unread += this.visible || kind === "page" ? 0 : 1;
        this.show();
        this.act.showNews(text, kind);
        const mine = ++this.newest;
        // Its time begins with the first picture it is in, which a busy or hidden page draws later.
        requestAnimationFrame(() => window.setTimeout(() => {
            if (mine === this.newest) {
                this.act.showNews("", kind);
            }
        }, newsTime));
    }

    // What comes after that time has not happened: somebody went back and on from there, or to the start.
    forgetAfter(time: number): void {
        const kept = this.notes.flatMap((note) => {
            const times = note.times.filter((at) => at <= time);
            return note.time === null ? [note] : times.length === 0 ? [] : [{ ...note, times, count: times.length, time: times.at(-1)! }];
        });
        if (kept.length !== this.notes.length || kept.some((note, i) => note.count !== this.notes[i]!.count)) {
            this.notes = kept;
            this.unread = Math.min(this.unread, kept.length);
            this.show();
        }
    }

    // Another scene, of which nothing is known yet.
    clear(): void {
        this.notes = [];
        this.unread = 0;
        ++this.newest;
        this.act.showNews("", "page");
        this.show();
    }

    // The newest one alone, and not the list: it is about something that is over.
    hideNews(): void {
        ++this.newest;
        this.act.showNews("", "page");
    }

    setVisible(visible: boolean): void {
        this.visible = visible;
        if (visible) {
            this.unread = 0;
            this.show();
        }
    }

    private show(): void {
        const rows = [...this.notes].reverse().map((note) => make("li", { class: `note-row ${note.kind}`, "data-testid": "note" },
            make("span", { class: "note-mark", title: kindNames[note.kind] }),
            make("span", { class: "note-text" }, note.text, note.count > 1 ? make("span", { class: "note-count" }, ` ×${note.count}`) : null),
            note.time === null ? null : make("button", {
                class: "tiny", title: "Go to that moment", onclick: () => this.act.go(note.time!),
            }, `${note.time.toFixed(2)} s`)));
        fill(this.element, rows.length === 0
            ? make("p", { class: "note" }, "Events, breaks and warnings of this scene are listed here, and are ticks on the time bar.")
            : make("ol", { class: "note-list" }, ...rows),
        rows.length === 0 ? null : make("button", { "data-testid": "notes-clear", onclick: () => this.clear() }, "Clear"));
        this.act.changed(this.notes, this.unread);
    }
}
