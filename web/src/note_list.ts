// The list behind the notes. Nothing here knows of the DOM.

export type NoteKind = "event" | "break" | "warning" | "error" | "news" | "page";

export interface Note {
    kind: NoteKind;
    text: string; // of the newest, where several are alike
    time: number | null; // of the world; null: of the page alone
    count: number;
    times: number[]; // of all that are alike
}

export interface Tick {
    share: number; // of the time bar
    time: number;
    kind: NoteKind;
    text: string;
}

const mostNotes = 100;
const mostTimes = 200; // of one note

// Events that happen again and again differ in their numbers only.
function pattern(note: Note): string {
    return `${note.kind} ${note.text.replace(/[\d.]+/g, "#")}`;
}

// The list with one more note, the newest last; the same list where it is in it already.
export function merge(notes: readonly Note[], note: Note): readonly Note[] {
    const at = notes.findIndex((other) => pattern(other) === pattern(note));
    if (at < 0) {
        return [...notes, note].slice(-mostNotes);
    }
    const other = notes[at]!;
    if (note.time !== null && other.times.includes(note.time)) {
        return notes;
    }
    const joined: Note = note.time === null
        ? { ...note, count: 1 }
        : { ...note, count: other.count + 1, times: [...other.times, note.time].slice(-mostTimes) };
    return [...notes.slice(0, at), ...notes.slice(at + 1), joined];
}

const weight: Record<NoteKind, number> = { error: 5, warning: 4, break: 3, event: 2, news: 1, page: 0 };

// Ticks for what lies within a history; those that would stand on each other are one, of the gravest kind.
export function ticksOf(notes: readonly Note[], from: number, to: number, least = 0.004): Tick[] {
    const all = notes.flatMap((note) => note.times.map((time) => ({ time, kind: note.kind, text: note.text })))
        .filter(({ time }) => to > from && time >= from && time <= to).sort((a, b) => a.time - b.time);
    const ticks: Tick[] = [];
    for (const { time, kind, text } of all) {
        const share = (time - from) / (to - from);
        const last = ticks.at(-1);
        if (last && share - last.share < least) {
            if (weight[kind] > weight[last.kind]) {
                ticks[ticks.length - 1] = { ...last, kind, text };
            }
        } else {
            ticks.push({ share, time, kind, text });
        }
    }
    return ticks;
}
