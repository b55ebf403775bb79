// Links that carry a scene and its settings behind the #, where no server sees them:
//     #scene=steel-fish&calm=0.0002&at=1.5,-2,1,0,0,1
// Params stand under their own names, with a "_" before those that would be mistaken for ours. A scene that
// is not built in travels as its text, deflated, in base64url.

import type { Command, Triple } from "./protocol";

export const firstScene = "steel-fish"; // shown when nobody asked for any

export interface SharedView {
    position: Triple;
    target: Triple;
}

export interface SharedLink {
    scene?: string;
    name?: string; // of a file of the user's own
    text?: string; // its text, packed
    params: Record<string, number>;
    view?: SharedView;
}

const ours = ["scene", "name", "text", "at"];

function paramKey(name: string): string {
    return ours.includes(name) || name.startsWith("_") ? `_${name}` : name;
}

// Seven digits of the distance looked over are enough to stand where the other stood.
function short(value: number, distance: number): string {
    const more = Math.ceil(Math.log10(Math.max(1, Math.abs(value) / Math.max(distance, 1e-12))));
    return String(Number(value.toPrecision(Math.min(17, 7 + more))));
}

export function encodeLink(link: SharedLink): string {
    const fields = new URLSearchParams();
    for (const key of ["scene", "name", "text"] as const) {
        const value = link[key];
        if (value !== undefined) {
            fields.set(key, value);
        }
    }
    for (const [name, value] of Object.entries(link.params)) {
        fields.set(paramKey(name), String(value));
    }
    if (link.view) {
        const { position, target } = link.view;
        const distance = Math.hypot(...position.map((value, i) => value - target[i]!));
        fields.set("at", [...position, ...target].map((value) => short(value, distance)).join(","));
    }
    return `#${fields.toString()}`;
}

// What a hash says; anything that cannot be read is left out, for people edit links by hand.
export function decodeLink(hash: string): SharedLink {
    const link: SharedLink = { params: {} };
    const fields = new URLSearchParams(hash.replace(/^#/, ""));
    for (const [key, value] of fields) {
        if (key === "scene" || key === "name" || key === "text") {
            if (value !== "") {
                link[key] = value;
            }
        } else if (key === "at") {
            const numbers = value.split(",").map(Number);
            if (numbers.length === 6 && numbers.every(Number.isFinite)) {
                link.view = { position: numbers.slice(0, 3) as Triple, target: numbers.slice(3) as Triple };
            }
        } else if (value.trim() !== "" && Number.isFinite(Number(value))) {
            link.params[key.startsWith("_") ? key.slice(1) : key] = Number(value);
        }
    }
    return link;
}

// Asks the engine for the built-in scene of a link.
export function openCommand(link: SharedLink & { scene: string }): Command {
    return { do: "open", scene: link.scene, ...(Object.keys(link.params).length > 0 ? { params: link.params } : {}) };
}

async function through(bytes: Uint8Array<ArrayBuffer>, stream: GenericTransformStream): Promise<Uint8Array<ArrayBuffer>> {
    const piped = new Blob([bytes]).stream().pipeThrough(stream as ReadableWritablePair<Uint8Array, Uint8Array>);
    return new Uint8Array(await new Response(piped).arrayBuffer());
}

export async function packText(text: string): Promise<string> {
    const packed = await through(new TextEncoder().encode(text), new CompressionStream("deflate"));
    let binary = "";
    for (const byte of packed) {
        binary += String.fromCharCode(byte);
    }
    return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export async function unpackText(packed: string): Promise<string> {
    const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate")));
}
