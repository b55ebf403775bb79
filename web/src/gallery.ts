// The user's own files, then all built-in scenes with their pictures, to be searched; and the way to open a file.

import { fill, find, make } from "./element";
import { icon } from "./icons";
import type { SceneListing } from "./protocol";

export function matches(scene: SceneListing, query: string): boolean {
    const text = `${scene.name} ${scene.title} ${scene.description} ${scene.group}`.toLowerCase();
    return query.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

export class Gallery {
    private readonly dialog = find<HTMLDialogElement>("gallery");
    private scenes: SceneListing[] = [];
    private files: SceneListing[] = []; // that were opened in this page
    private readonly pictures = new Map<string, string>(); // of own files, as they were last seen
    private readonly about = new Map<string, { title: string; description: string }>(); // and what they say of themselves
    private current = "";
    private readonly list = make("div", { class: "gallery-list" });
    private readonly search = make("input", {
        type: "search", placeholder: "Search", "aria-label": "Search scenes", "data-testid": "gallery-search",
    });
    private readonly chooser = make("input", { type: "file", accept: ".json,.jsonc,.urdf", hidden: true, "data-testid": "file" });

    constructor(private readonly open: (name: string) => void, openFile: (file: File) => void) {
        this.search.addEventListener("input", () => this.fillList());
        this.chooser.addEventListener("change", () => {
            const file = this.chooser.files?.[0];
            if (file) {
                openFile(file);
                this.hide();
            }
            this.chooser.value = "";
        });
        this.dialog.tabIndex = -1;
        fill(this.dialog,
            make("div", { class: "gallery-head" },
                make("h2", {}, "Gallery"), this.search,
                make("button", { class: "quiet", onclick: () => this.chooser.click() }, icon("file"), "Open a file"), this.chooser,
                make("button", { class: "round", "aria-label": "Close", "data-testid": "gallery-close", onclick: () => this.hide() }, icon("close"))),
            this.list);
        this.dialog.addEventListener("click", (event) => {
            if (event.target === this.dialog) {
                this.hide();
            }
        });
    }

    setScenes(scenes: SceneListing[]): void {
        this.scenes = scenes;
        this.refresh();
    }

    setCurrent(name: string): void {
        this.current = name;
        this.refresh();
    }

    // Files opened in this page stand beside the server's own.
    setFiles(files: SceneListing[]): void {
        this.files = files;
        this.refresh();
    }

    describe(name: string, title: string, description: string): void {
        this.about.set(name, { title, description });
        this.refresh();
    }

    setPicture(name: string, address: string): void {
        this.pictures.set(name, address);
        this.refresh();
    }

    // Of the built-in scenes.
    get names(): string[] {
        return this.scenes.filter((scene) => !scene.own).map((scene) => scene.name);
    }

    private get all(): SceneListing[] {
        const own = this.scenes.filter((scene) => scene.own && !this.files.some((file) => file.name === scene.name));
        const described = [...own, ...this.files].map((scene) => {
            const about = this.about.get(scene.name);
            return { ...scene, title: about?.title || scene.title, description: [about?.description, scene.description || scene.name].filter(Boolean).join(" · ") };
        });
        return [...described, ...this.scenes.filter((scene) => !scene.own)];
    }

    toggle(): void {
        if (this.dialog.open) {
            this.hide();
        } else {
            this.fillList();
            this.dialog.showModal();
            if (matchMedia("(pointer: fine)").matches) { // a keyboard on the screen would hide half of it
                this.search.focus();
                this.search.select();
            } else {
                this.dialog.focus();
            }
        }
    }

    hide(): void {
        this.dialog.close();
    }

    // Pictures of a list that nobody looks at would be loaded all the same.
    private refresh(): void {
        if (this.dialog.open) {
            this.fillList();
        }
    }

    private fillList(): void {
        const found = this.all.filter((scene) => matches(scene, this.search.value));
        const groups = new Map<string, SceneListing[]>();
        for (const scene of found) {
            const group = scene.own ? "Your files" : scene.group || "Scenes";
            groups.set(group, [...(groups.get(group) ?? []), scene]);
        }
        fill(this.list, ...(found.length === 0 ? [make("p", { class: "note" }, "Nothing by that name.")] : []),
            ...[...groups].map(([group, scenes]) => make("section", {},
                make("h3", {}, group),
                make("div", { class: "cards" }, ...scenes.map((scene) => this.card(scene))))));
    }

    private card(scene: SceneListing): HTMLElement {
        const address = scene.own ? this.pictures.get(scene.name) : `thumbnails/${encodeURIComponent(scene.name)}.webp`;
        const picture = address === undefined ? make("span", { class: "no-picture" }, icon("file")) : make("img", {
            src: address, alt: "", width: 288, height: 180, loading: "lazy", decoding: "async",
        });
        picture.addEventListener("error", () => picture.classList.add("missing"));
        return make("button", {
            class: "card", "data-testid": `scene-${scene.name}`, "aria-current": scene.name === this.current ? "true" : "false",
            onclick: () => {
                this.hide();
                this.open(scene.name);
            },
        }, picture, make("span", { class: "card-title" }, scene.title || scene.name),
            make("span", { class: "card-text" }, scene.description));
    }
}
