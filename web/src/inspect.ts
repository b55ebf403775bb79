// What is selected: name, mass, pose, velocity, forces and joints, as the engine tells them.

import { fill, format, make } from "./element";
import type { InspectedMessage, SceneMessage, Triple } from "./protocol";

export interface InspectActions {
    track(): void;
    centre(): void;
    plot(of: string, quantity: string): void;
    select(body: number): void;
}

export class Inspect {
    readonly element = make("div", { class: "stack", "data-testid": "inspect" });
    private readonly chooser = make("select", { "aria-label": "Body", "data-testid": "body" });
    private readonly details = make("div", { class: "stack" });
    private readonly actions = make("div", { class: "row" });
    private readonly follow: HTMLButtonElement;
    private message: SceneMessage | null = null;
    private rows = new Map<string, HTMLElement>(); // by quantity, so that buttons keep their focus
    private shown = -1;
    private structure = "";

    constructor(private readonly act: InspectActions) {
        this.follow = make("button", { "aria-pressed": "false", "data-testid": "track", onclick: () => act.track() }, "Follow");
        fill(this.actions, this.follow, make("button", { onclick: () => act.centre() }, "Look at"));
        fill(this.element, this.chooser, this.actions, this.details);
        this.chooser.addEventListener("change", () => act.select(Number(this.chooser.value)));
        this.select(-1);
    }

    setScene(message: SceneMessage): void {
        this.message = message;
        fill(this.chooser, make("option", { value: -1 }, "nothing selected"),
            ...message.bodies.map((body) => make("option", { value: body.id }, body.name || `body ${body.id}`)));
        this.select(-1);
    }

    select(body: number): void {
        this.shown = body;
        this.structure = "";
        this.chooser.value = String(body);
        this.actions.hidden = body < 0;
        if (body < 0) {
            fill(this.details, make("p", { class: "note" }, "Click on a thing to see what it weighs, where it is and what acts on it."));
        } else if (this.message?.bodies[body]?.static) {
            fill(this.details, make("p", { class: "note" }, "It stands still."));
        } else {
            fill(this.details);
        }
    }

    setFollowing(on: boolean): void {
        this.follow.setAttribute("aria-pressed", String(on));
    }

    receive(message: InspectedMessage): void {
        if (message.body !== this.shown) {
            return;
        }
        const structure = `${message.body} ${message.joints.map((joint) => joint.name).join()}`;
        if (structure !== this.structure) {
            this.structure = structure;
            this.build(message);
        }
        this.put("mass", `${format(message.mass)} kg`);
        this.put("position", triple(message.position, "m"));
        this.put("centre", triple(message.centre, "m"));
        this.put("rotation", message.rotation.map((value) => format(value, 3)).join("  "));
        this.put("velocity", triple(message.velocity, "m/s"));
        this.put("spin", triple(message.spin, "rad/s"));
        this.put("kinetic", `${format(message.kinetic)} J`);
        this.put("potential", `${format(message.potential)} J`);
        this.put("contacts", String(message.contacts));
        this.put("contact force", triple(message.contact_force, "N"));
        message.joints.forEach((joint, i) => {
            this.put(`joint ${i}`, joint.positions.map((value) => format(value, 3)).join("  ") || "–");
            this.put(`force ${i}`, triple(joint.force, "N"));
            this.put(`torque ${i}`, triple(joint.torque, "N m"));
        });
    }

    private put(row: string, text: string): void {
        const element = this.rows.get(row);
        if (element && element.textContent !== text) {
            element.textContent = text;
        }
    }

    private build(message: InspectedMessage): void {
        this.rows.clear();
        const list = make("dl", { class: "facts" });
        const add = (id: string, label: string, of?: string, quantities: string[] = []) => {
            const value = make("dd", {});
            this.rows.set(id, value);
            const buttons = quantities.map((quantity) => make("button", {
                class: "tiny", title: `Plot ${quantity}`, "aria-label": `Plot ${quantity}`,
                onclick: () => this.act.plot(of!, quantity),
            }, /^(.*\.)?(x|y|z|speed)$/.test(quantity) ? quantity.split(".").at(-1)! : "plot"));
            list.append(make("dt", {}, label, ...(buttons.length > 0 ? [make("span", { class: "tinies" }, ...buttons)] : [])), value);
        };
        const axes = (name: string) => ["x", "y", "z"].map((axis) => `${name}.${axis}`);
        const { name } = message;
        add("mass", "Mass");
        add("position", "Position", name, axes("position"));
        add("centre", "Centre of mass", name, axes("centre"));
        add("rotation", "Rotation w x y z");
        add("velocity", "Velocity", name, [...axes("velocity"), "speed"]);
        add("spin", "Angular velocity", name, axes("angular_velocity"));
        add("kinetic", "Kinetic energy", name, ["energy.kinetic"]);
        add("potential", "Potential energy", name, ["energy.potential"]);
        add("contacts", "Contacts");
        add("contact force", "Force of contacts", name, ["contact.force"]);
        message.joints.forEach((joint, i) => {
            list.append(make("dt", { class: "head" }, `${joint.name || "joint"} · ${joint.type}`), make("dd", {}));
            add(`joint ${i}`, "Position", joint.name, joint.positions.length > 0 ? ["joint.position"] : []);
            add(`force ${i}`, "Force", joint.name, ["joint.reaction_force"]);
            add(`torque ${i}`, "Torque", joint.name, ["joint.reaction_torque"]);
        });
        fill(this.details, list);
    }
}

function triple(values: Triple, unit: string): string {
    return `${values.map((value) => format(value, 3)).join("  ")} ${unit}`;
}
