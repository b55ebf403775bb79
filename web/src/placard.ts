// The scene's title, and what it is about.

import { fill, find, format, make } from "./element";
import type { SceneMessage } from "./protocol";

export class Placard {
    private info = false;

    constructor() {
        find("title").addEventListener("click", () => this.toggle());
    }

    showTitle(title: string): void {
        document.title = `${title} · Sinew`;
        find("title").textContent = title;
    }

    show(message: SceneMessage): void {
        this.showTitle(message.title || message.name);
        const weight = message.bodies.reduce((sum, body) => sum + (body.static ? 0 : body.mass), 0);
        const moving = message.bodies.filter((body) => !body.static).length;
        fill(find("description"), message.description,
            make("span", { class: "placard-facts" },
                `${moving} ${moving === 1 ? "body" : "bodies"}, ${message.joints.length} joints, ${format(weight, 3)} kg · ` +
                `${message.policy}, step ${format(1000 * message.step, 3)} ms`));
    }

    toggle(): void {
        this.info = !this.info;
        document.body.classList.toggle("with-info", this.info);
        find("title").setAttribute("aria-expanded", String(this.info));
    }
}
