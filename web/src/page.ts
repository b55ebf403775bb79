// Ties the parts together: messages go to those they concern, actions to the engine.

import { Vector3 } from "three";
import { Aim } from "./aim";
import { Breath } from "./breath";
import { OrbitCamera, presetNames, presets } from "./camera";
import type { Preset } from "./camera";
import { Capture } from "./capture";
import type { Connection, Handlers, LinkState } from "./connection";
import { Drag } from "./drag";
import { fill, find, format, make, offerDownload } from "./element";
import { Gallery } from "./gallery";
import { HeldWatch } from "./held";
import { Help } from "./help";
import { icon } from "./icons";
import type { IconName } from "./icons";
import { Inspect } from "./inspect";
import { bindKeys, hint, keyLabel, rowOf } from "./keys";
import type { Action } from "./keys";
import { decodeLink, encodeLink, firstScene, openCommand, packText, unpackText } from "./link";
import type { SharedLink, SharedView } from "./link";
import { Messages } from "./messages";
import { Notes } from "./notes";
import { Overlays, overlayNames } from "./overlays";
import type { OverlayName } from "./overlays";
import { Panel } from "./panel";
import { Params } from "./params";
import { Plots } from "./plots";
import { Pointer } from "./pointer";
import { moved } from "./protocol";
import type { FileKind, Frame, Mesh, Message, SceneMessage, StatusMessage, Triple, WelcomeMessage } from "./protocol";
import { SceneView } from "./scene_view";
import { prefersLessMotion, readStore, ThemeSwitch, writeStore } from "./theme";
import { Timeline } from "./timeline";

const barsWait = 1000; // ms
const largestScene = 8 << 20; // bytes of a message
const largestVideo = 4096; // pixels, that encoders take
const longestLink = 16_000; // characters that browsers and chats carry

const files: [FileKind, string][] = [
    ["state.csv", "States as CSV"], ["energy.csv", "Energies as CSV"], ["recording", "Recording"],
    ["scene", "Scene"], ["scene.now", "Scene, from this moment"],
];

export class Page implements Handlers {
    private readonly engine = () => this.connection;
    private readonly view = new SceneView(find<HTMLCanvasElement>("canvas"));
    private readonly camera = new OrbitCamera(this.view.camera, () => this.view.redraw());
    private readonly messages = new Messages();
    private readonly tell = (text: string) => this.notes.add("page", text);
    private readonly overlays = new Overlays(this.view);
    private readonly drag = new Drag(this.view, this.engine);
    private readonly aim = new Aim(this.view, this.engine, () => this.showBlowing());
    private readonly breath = new Breath(this.aim, this.engine, this.tell);
    private readonly params = new Params(this.engine, () => this.rememberLink());
    private readonly plots = new Plots(this.engine, this.tell);
    private readonly timeline = new Timeline(this.engine, () => this.panel.open("notes"));
    private readonly notes = new Notes({
        go: (time) => this.timeline.seek(time),
        changed: (notes, unread) => {
            this.timeline.setNotes(notes);
            this.panel?.setBadge("notes", unread); // none yet while the page is being built
        },
        showNews: (text, kind) => this.timeline.showNews(text, kind),
    });
    private readonly held = new HeldWatch();
    private readonly inspect = new Inspect({
        track: () => this.track(),
        centre: () => this.lookAtSelection(),
        plot: (of, quantity) => {
            this.plots.plot(of, quantity);
            this.panel.open("plots");
        },
        select: (body) => this.select(body),
    });
    private readonly gallery = new Gallery((name) => this.openNamed(name), (file) => void this.openFile(file));
    private readonly help = new Help(() => this.about());
    private readonly capture = new Capture(this.view, () => this.fileName(), this.tell, (on) => this.showRecording(on),
        (full) => this.setFull(full));
    private readonly switches = new Map<OverlayName, HTMLInputElement>();
    private readonly panel: Panel;
    private readonly theme: ThemeSwitch;
    private readonly videoButton = this.menuButton("video", "Record a video", "video", () => this.capture.toggleVideo());
    private welcome: WelcomeMessage | null = null;
    private scene: SceneMessage | null = null;
    private wish: SharedLink | null = null; // to be opened once the engine has told what it shows
    private wantedView: SharedView | null = null; // of the link that is being opened
    private revival: { link: SharedLink; own: { name: string; text: string } | null; view: SharedView; speed: number } | null = null;
    private opened: SharedLink = { params: {} }; // what the address bar says
    private sentText: { name: string; text: string } | null = null; // asked to be opened
    private ownText: { name: string; text: string } | null = null;
    private readonly texts = new Map<string, string>(); // of files that were opened in this page
    private home: string | null = null; // the own file that was seen last: there is always a way back to it
    private framed = false; // a frame has come
    private ready = false; // the engine knows that pictures are shown
    private info = false;
    private pictures = 0;
    private firstTime = Infinity; // of the frames

    constructor(private readonly connection: Connection) {
        const link = decodeLink(location.hash);
        this.wish = link.scene !== undefined || link.text !== undefined ? link : null;
        this.panel = new Panel([
            { id: "params", title: "Settings", icon: "sliders", content: this.params.element },
            { id: "breath", title: "Breath", icon: "breath", content: this.breath.build() },
            {
                id: "plots", title: "Plots", icon: "plot", content: this.plots.element,
                shown: (visible) => this.plots.setVisible(visible),
            },
            { id: "show", title: "View", icon: "eye", content: this.buildShow() },
            { id: "inspect", title: "Inspect", icon: "inspect", content: this.inspect.element },
            {
                id: "notes", title: "Notes", icon: "notes", content: this.notes.element,
                shown: (visible) => this.notes.setVisible(visible),
            },
        ]);
        this.theme = new ThemeSwitch((theme) => {
            this.view.setTheme(theme);
            this.overlays.setTheme(theme);
            this.aim.setTheme(theme);
            this.drag.setTheme(theme);
            this.plots.setTheme();
        });
        new Pointer(this.view, this.camera, this.drag, this.aim, {
            select: (body) => this.select(body),
            lookAt: (pick) => {
                this.select(pick.body);
                this.camera.lookAt(pick.world);
                this.inspect.setFollowing(false);
            },
        });
        this.buildTop();
        bindKeys(window, (action, down) => this.act(action, down));
        document.body.classList.toggle("hardware", !this.view.isSoftware);
        this.watchWindow();
        this.welcomeUser();
        requestAnimationFrame((time) => this.tick(time, time));
    }

    // ---- what the engine says ----

    mesh(mesh: Mesh): void {
        this.view.addMesh(mesh);
    }

    state(state: LinkState, reason?: string): void {
        const { canRestart } = this.connection;
        const texts: Record<LinkState, string> = {
            connecting: "Connecting…", open: "", lost: `The engine went away. Trying again… ${reason ?? ""}`,
            stuck: canRestart
                ? "The engine does not answer: it works on something long, or it hangs."
                : "The engine does not answer: it works on something long, or it hangs. The terminal where it runs tells more.",
            failed: reason ?? "The engine could not be started.",
        };
        this.messages.setLink(texts[state], canRestart && (state === "stuck" || state === "failed")
            ? { label: "Start the engine again", act: () => this.restartEngine() } : undefined);
        document.body.dataset.link = state;
        if (state !== "connecting" && state !== "open") {
            this.showBars();
        }
        if (state === "lost") {
            this.breath.lose();
        }
    }

    message(message: Message): void {
        switch (message.is) {
        case "welcome":
            this.welcome = message;
            this.ready = this.framed = false;
            this.gallery.setScenes(message.scenes);
            this.home ??= message.scenes.find((scene) => scene.own)?.name ?? null;
            this.showHome();
            break;
        case "scene":
            this.setScene(message);
            break;
        case "closed":
            this.scene = null;
            if (this.serverFile === null || this.wish || this.revival) {
                this.openFirst();
            } else {
                this.showPlacardOf(this.serverFile); // it has a mistake, which is shown until it is mended
                this.showBars();
            }
            break;
        case "status":
            this.timeline.setStatus(message);
            this.notes.forgetAfter(message.history.to + 1e-9);
            this.tellHeld(message);
            break;
        case "params":
            this.params.receive(message.values);
            break;
        case "error":
            if (message.while === "watch") {
                break; // the plots know, and whether it still matters
            }
            this.showBars();
            this.notes.hideNews();
            this.messages.showError(message, message.again ? () => this.connection?.send({ do: "reset" }) : undefined);
            if (message.while === "step") {
                this.notes.add("error", message.text, this.view.frame?.time ?? null);
            }
            break;
        case "notice":
            this.notes.add(message.kind, message.text, message.time);
            break;
        case "inspected":
            this.inspect.receive(message);
            break;
        case "breath":
            this.breath.hear(message);
            break;
        case "reply":
        case "pong":
            break;
        }
    }

    // Where the eye is, in the world's coordinates.
    private get worldView(): SharedView {
        const { position, target } = this.camera.view;
        const origin: Triple = this.scene?.origin ?? [0, 0, 0];
        return { position: moved(position, origin, 1), target: moved(target, origin, 1) };
    }

    // The scene, its settings, the view, plots and what is shown stay; the motion begins anew.
    private restartEngine(): void {
        this.revival = { link: this.opened, own: this.ownText, view: this.worldView, speed: this.timeline.speed };
        this.connection.restart();
    }

    private revive(): boolean {
        const revival = this.revival;
        this.revival = null;
        if (!revival || (revival.link.scene === undefined && !revival.own)) {
            return false;
        }
        if (revival.own) {
            this.openText(revival.own.name, revival.own.text, revival.link.params);
        } else {
            this.open(revival.link);
        }
        this.wantedView = revival.view;
        this.timeline.setSpeed(revival.speed);
        this.tell("The engine was started again: the scene begins anew, with the settings it had.");
        return true;
    }

    private openFirst(): void {
        if (this.revive()) {
            return;
        }
        const names = this.gallery.names;
        const name = names.includes(firstScene) ? firstScene : names[0];
        if (this.wish) {
            this.takeWish();
        } else if (name !== undefined) {
            this.open({ scene: name, params: {} });
        } else {
            this.showBars();
            this.gallery.toggle();
        }
    }

    private tellHeld(status: StatusMessage): void {
        const news = this.held.receive(status.held);
        if (news !== null) {
            this.notes.add("warning", news, status.time);
        }
    }

    private setScene(told: SceneMessage): void {
        // One that is not wished for is not shown, and leaves nothing behind: the next may have its name.
        if (this.wish && (this.wish.text !== undefined || this.wish.scene !== told.name || differs(this.wish, told))) {
            this.takeWish();
            return;
        }
        // The state goes on from what the engine had before, which need not be what was shown here: after a lost connection, say.
        const before = this.scene;
        const same = before?.name === told.name;
        const message = { ...told, keeps: told.keeps && same };
        const fresh = before === null;
        if (!same) {
            this.keepPicture();
        }
        this.scene = message;
        const view = this.wish?.view ?? this.wantedView;
        this.wish = null;
        this.wantedView = null;
        if (this.sentText?.name === message.name) {
            this.ownText = this.sentText;
        } else if (this.ownText?.name !== message.name) {
            this.ownText = null;
        }
        this.sentText = null;
        this.noteHome(message);
        this.view.setScene(message);
        this.overlays.setScene(message);
        this.params.setScene(message);
        this.plots.setScene(message);
        this.inspect.setScene(message);
        this.timeline.setScene();
        this.aim.forget();
        if (!message.keeps) {
            this.drag.end(); // what it holds is gone
        }
        this.held.setScene(message);
        if (!same) {
            this.notes.clear();
        }
        if (!same || fresh || view) {
            this.camera.setScene(message.camera, message.frame, this.view.centre, this.view.radius);
            if (view) {
                this.camera.setGoal(moved(view.position, message.origin, -1), moved(view.target, message.origin, -1));
            }
            this.camera.jump();
            this.showPresets();
        } else {
            this.keepCamera(before, message);
        }
        this.messages.clearError();
        this.showPlacard(message);
        this.gallery.setCurrent(message.name);
        this.resume();
        this.rememberLink();
        document.body.dataset.scene = message.name;
    }

    // Somebody edits the scene: the view stays, but for one that nobody has turned, which follows the scene's camera.
    private keepCamera(before: SceneMessage, message: SceneMessage): void {
        this.camera.shift(new Vector3(...moved(before.origin, message.origin, -1)));
        const own = (scene: SceneMessage) => [scene.camera.given, ...moved(scene.camera.position, scene.origin, 1),
            ...moved(scene.camera.target, scene.origin, 1), scene.camera.field_of_view].join();
        const changed = message.camera.given ? own(before) !== own(message) : !message.keeps;
        if (this.camera.preset === "scene" && changed) {
            this.camera.setScene(message.camera, message.frame, this.view.centre, this.view.radius);
        }
    }

    // What this client asked of the engine holds for a connection; after a new scene it is asked again.
    private resume(): void {
        this.sendShow();
        this.breath.resume();
    }

    frame(frame: Frame): void {
        if (this.scene?.generation !== frame.generation) {
            return;
        }
        this.framed = true;
        this.view.showFrame(frame);
        this.overlays.show(frame);
        this.drag.show(frame);
        this.plots.setFrame(frame);
        this.timeline.setFrame(frame);
        document.body.dataset.time = String(frame.time);
        document.body.dataset.frames = String(++this.pictures);
        if (!frame.playing || frame.time > this.firstTime) {
            this.showBarsSoon();
        }
        this.firstTime = Math.min(frame.time, this.firstTime);
        if (this.engineShown) {
            this.showEngine(frame);
        }
    }

    // ---- opening and links ----

    private takeWish(): void {
        const wish = this.wish;
        this.wish = null;
        if (!wish) {
            return;
        }
        if (wish.text !== undefined) {
            unpackText(wish.text)
                .then((text) => this.openText(wish.name ?? "shared.json", text, wish.params))
                .catch(() => this.messages.showError({ is: "error", while: "open", text: "The link is damaged." }));
        } else {
            this.open(wish);
        }
        this.wantedView = wish.view ?? null;
    }

    // ---- own files ----

    // The file that the server was started with.
    private get serverFile(): string | null {
        return this.welcome?.scenes.find((scene) => scene.own)?.name ?? null;
    }

    private openNamed(name: string): void {
        const text = this.texts.get(name);
        if (text !== undefined) {
            this.openText(name, text);
        } else {
            this.open({ scene: name, params: {} });
        }
    }

    private noteHome(message: SceneMessage): void {
        if (this.ownText) {
            this.texts.set(this.ownText.name, this.ownText.text);
        } else if (message.source !== "" && message.name === this.serverFile) {
            this.texts.delete(message.name); // the file itself, not what was once dropped here under its name
        }
        if (this.isOwn(message)) {
            this.home = message.name;
        }
        this.gallery.setFiles([...this.texts.keys()].map((name) => ({ name, title: name, description: "", group: "", own: true })));
        if (this.isOwn(message)) {
            this.gallery.describe(message.name, message.title, message.description);
        }
        this.showHome();
    }

    private isOwn(message: SceneMessage): boolean {
        return this.ownText?.name === message.name || message.name === this.serverFile;
    }

    private showHome(): void {
        const button = find("home");
        const home = this.home;
        button.hidden = home === null || this.scene === null || this.scene.name === home;
        if (home !== null) {
            fill(button, icon("home"), make("span", {}, home));
            button.title = `Back to ${home}`;
            button.setAttribute("aria-label", button.title);
        }
    }

    // A small picture of an own file for the gallery, which has none of it.
    private keepPicture(): void {
        const scene = this.scene;
        if (!scene || !this.isOwn(scene) || !this.view.frame) {
            return;
        }
        const small = make("canvas", { width: 288, height: 180 });
        const { canvas } = this.view;
        const scale = Math.max(small.width / canvas.width, small.height / canvas.height);
        const [width, height] = [small.width / scale, small.height / scale];
        this.view.draw(true); // its pixels are there until the browser shows them
        small.getContext("2d")?.drawImage(canvas, (canvas.width - width) / 2, (canvas.height - height) / 2, width, height, 0, 0, small.width, small.height);
        this.gallery.setPicture(scene.name, small.toDataURL("image/webp", 0.8));
    }

    private open(link: SharedLink): void {
        if (link.scene !== undefined) {
            this.opened = link;
            this.connection.send(openCommand({ ...link, scene: link.scene }));
        }
    }

    private openText(name: string, text: string, params: Record<string, number> = {}): void {
        this.sentText = { name, text };
        this.connection.send({ do: "open", name, text, ...(Object.keys(params).length > 0 ? { params } : {}) });
    }

    private async openFile(file: File): Promise<void> {
        if (file.size > largestScene) {
            this.messages.showError({
                is: "error", while: "open", place: file.name, text: `the file has ${format(file.size / 1e6, 3)} MB, at most 8 are taken`,
            });
            return;
        }
        this.openText(file.name, await file.text());
    }

    // The address bar tells what is shown, so that reloading the page comes back to it.
    private rememberLink(): void {
        const scene = this.scene;
        if (!scene) {
            return;
        }
        const listed = this.gallery.names.includes(scene.name);
        this.opened = { ...(listed ? { scene: scene.name } : {}), params: this.params.altered };
        const hash = listed ? encodeLink(this.opened) : "";
        if (hash !== location.hash && decodeURIComponent(hash) !== decodeURIComponent(location.hash)) {
            history.replaceState(null, "", hash === "" ? location.pathname + location.search : hash);
        }
    }

    private async share(): Promise<void> {
        const link: SharedLink = { ...this.opened, view: this.worldView };
        if (this.ownText) {
            link.name = this.ownText.name;
            link.text = await packText(this.ownText.text);
        } else if (link.scene === undefined) {
            this.tell("Built-in scenes and files dropped on the page can be shared; this one is a file of the server.");
            return;
        }
        const address = new URL(encodeLink(link), location.href);
        address.search = "";
        if (address.href.length > longestLink) {
            this.tell("This scene is too long for a link. Save it as a file instead.");
            return;
        }
        await this.copy(address.href, "The link is in the clipboard.");
    }

    private async copy(text: string, done: string): Promise<void> {
        try {
            await navigator.clipboard.writeText(text);
            this.tell(done);
        } catch {
            this.tell(`The clipboard is closed to this page: ${text.slice(0, 2000)}`);
        }
    }

    // ---- what the user does ----

    private act(action: Action, down: boolean): void {
        if (action === "blow") {
            this.aim.blow(down);
            return;
        }
        const preset = (name: Preset) => this.look(name);
        const turn = 0.12;
        const actions: Record<Exclude<Action, "blow">, () => void> = {
            play: () => this.timeline.toggle(),
            step: () => this.timeline.step(1),
            back: () => this.timeline.step(-1),
            continue: () => this.timeline.continue(),
            faster: () => this.timeline.setSpeed(2 * this.timeline.speed),
            slower: () => this.timeline.setSpeed(0.5 * this.timeline.speed),
            reset: () => this.timeline.reset(),
            reload: () => this.connection.send({ do: "reload" }),
            fit: () => this.fit(),
            track: () => this.track(),
            free: () => this.free(),
            lastCamera: () => this.cycle(-1),
            nextCamera: () => this.cycle(1),
            sceneCamera: () => preset("scene"),
            front: () => preset("front"),
            side: () => preset("side"),
            top: () => preset("top"),
            turnLeft: () => this.camera.orbit(-turn, 0),
            turnRight: () => this.camera.orbit(turn, 0),
            turnUp: () => this.camera.orbit(0, turn),
            turnDown: () => this.camera.orbit(0, -turn),
            nearer: () => this.camera.zoom(0.87),
            farther: () => this.camera.zoom(1.15),
            fullscreen: () => void (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()),
            contacts: () => this.flip("contacts"),
            forces: () => this.flip("forces"),
            centres: () => this.flip("centres"),
            joints: () => this.flip("joints"),
            wind: () => this.flip("wind"),
            transparent: () => this.flip("transparent"),
            wireframe: () => this.flip("wireframe"),
            shadow: () => this.flip("shadow"),
            frames: () => this.flip("frames"),
            labels: () => this.flip("labels"),
            blowMode: () => this.aim.setMode(!this.aim.mode),
            help: () => this.help.toggle(),
            info: () => this.toggleInfo(),
            engine: () => this.toggleEngine(),
            sensors: () => this.panel.toggle("plots"),
            panel: () => this.panel.toggle(),
            gallery: () => this.toggleGallery(),
            screenshot: () => this.capture.screenshot(),
            video: () => this.capture.toggleVideo(),
            copy: () => void this.copyState(),
            undo: () => this.params.undo(),
            redo: () => this.params.redo(),
            share: () => void this.share(),
            theme: () => this.theme.toggle(),
        };
        actions[action]();
    }

    private select(body: number): void {
        const changed = body !== this.view.selection;
        this.view.select(body);
        this.inspect.select(body);
        if (changed) {
            this.connection.send({ do: "inspect", body: body >= 0 ? body : null });
            this.camera.follow(null);
            this.inspect.setFollowing(false);
            if (body >= 0 && this.panel.current !== null) {
                this.panel.open("inspect");
            }
        }
    }

    private centreOf(body: number): Vector3 {
        const centre = this.scene?.bodies[body]?.centre ?? [0, 0, 0];
        return new Vector3(...centre).applyMatrix4(this.view.bodyMatrix(body));
    }

    private track(): void {
        const body = this.view.selection;
        if (body < 0) {
            this.tell("Select a thing first: click on it.");
            return;
        }
        this.camera.follow(this.camera.following ? null : () => this.centreOf(body));
        this.inspect.setFollowing(this.camera.following);
    }

    private lookAtSelection(): void {
        if (this.view.selection >= 0) {
            this.camera.lookAt(this.centreOf(this.view.selection));
            this.inspect.setFollowing(false);
        }
    }

    private free(): void {
        if (this.aim.mode) {
            this.aim.setMode(false);
        } else if (this.camera.following) {
            this.camera.follow(null);
            this.inspect.setFollowing(false);
        } else if (this.view.selection >= 0) {
            this.select(-1);
        } else {
            this.messages.clearError();
        }
    }

    private fit(): void {
        const bounds = this.view.bounds();
        if (bounds) {
            const centre = bounds.low.clone().add(bounds.high).multiplyScalar(0.5);
            this.camera.fit(centre, Math.max(0.5 * bounds.low.distanceTo(bounds.high), 1e-6));
            this.showPresets();
        }
    }

    private look(preset: Preset): void {
        this.camera.look(preset, this.view.centre);
        this.showPresets();
    }

    private cycle(step: number): void {
        const at = this.camera.preset === null ? (step > 0 ? -1 : 0) : presets.indexOf(this.camera.preset);
        this.look(presets[(at + step + presets.length) % presets.length]!);
    }

    private flip(name: OverlayName): void {
        this.setOverlay(name, !this.overlays.state[name]);
    }

    private setOverlay(name: OverlayName, on: boolean): void {
        this.overlays.set(name, on);
        const input = this.switches.get(name);
        if (input) {
            input.checked = on;
        }
        this.sendShow();
    }

    private sendShow(): void {
        const { contacts, forces, joints, wind } = this.overlays.state;
        this.connection.send({ do: "show", contacts: contacts || forces, joints, wind });
    }

    private async copyState(): Promise<void> {
        try {
            const file = await this.connection.requestFile("state");
            if (file) {
                await this.copy(new TextDecoder().decode(file.bytes), "The state is in the clipboard.");
            }
        } catch {
            // The error message of the engine is shown.
        }
    }

    private async download(what: FileKind): Promise<void> {
        try {
            const file = await this.connection.requestFile(what);
            if (file) {
                offerDownload(file.name, new Blob([file.bytes]));
            }
        } catch {
            // The error message of the engine is shown.
        }
    }

    // ---- the parts of the page that are nobody else's ----

    private showBars(): void {
        document.body.classList.remove("starting");
    }

    // What moves goes first. Without graphics hardware painting the bars for the first time halts the pictures for half a second
    // and more: there they wait until something has been seen to move, or somebody wants them.
    private showBarsSoon(): void {
        this.showBarsSoon = () => {};
        if (!this.view.isSoftware || !this.view.frame?.playing) {
            requestAnimationFrame(() => this.showBars()); // after this picture
            return;
        }
        window.setTimeout(() => this.showBars(), barsWait);
        for (const input of ["pointermove", "pointerdown", "keydown", "focusin"]) {
            window.addEventListener(input, () => this.showBars(), { once: true });
        }
    }

    private presetRow = make("div", { class: "segments", role: "group", "aria-label": "Camera" });

    private showPresets(): void {
        fill(this.presetRow, ...presets.map((preset) => make("button", {
            "aria-pressed": String(this.camera.preset === preset), "data-testid": `camera-${preset}`,
            onclick: () => this.look(preset),
        }, presetNames[preset])));
    }

    private buildShow(): HTMLElement {
        const keys: Partial<Record<OverlayName, string>> = {};
        for (const name of Object.keys(overlayNames) as OverlayName[]) {
            keys[name] = rowOf(name).keys[0]!.toUpperCase();
        }
        const rows = (Object.keys(overlayNames) as OverlayName[]).map((name) => {
            const input = make("input", { type: "checkbox", "data-testid": `show-${name}` });
            input.checked = this.overlays.state[name];
            input.addEventListener("change", () => this.setOverlay(name, input.checked));
            this.switches.set(name, input);
            return make("label", { class: "switch" }, input, make("span", {}, overlayNames[name]), make("kbd", {}, keys[name]!));
        });
        this.showPresets();
        return make("div", { class: "stack" }, this.presetRow,
            make("div", { class: "row" },
                make("button", { title: hint("fit"), "data-testid": "fit", onclick: () => this.fit() }, icon("fit"), "Fit"),
                make("button", { title: hint("track"), onclick: () => this.track() }, "Follow the selected")),
            make("hr"), ...rows);
    }

    private menuButton(name: IconName, text: string, id: string, act: () => void): HTMLButtonElement {
        return make("button", { class: "menu-item", "data-testid": id, onclick: act }, icon(name), make("span", {}, text));
    }

    private buildTop(): void {
        const button = (name: IconName, action: Action, id: string, act: () => void) => make("button", {
            class: "round", title: hint(action), "aria-label": hint(action), "data-testid": id, onclick: act,
        }, icon(name));
        const menu = make("details", { class: "menu" },
            make("summary", { class: "round", title: "Save", "aria-label": "Save", "data-testid": "save" }, icon("save")),
            make("div", { class: "menu-list" },
                this.menuButton("camera", "Picture", "screenshot", () => this.capture.screenshot()), this.videoButton,
                ...files.map(([what, text]) => this.menuButton("file", text, `file-${what}`, () => void this.download(what)))));
        menu.addEventListener("click", (event) => {
            if ((event.target as Element).closest(".menu-item")) {
                menu.open = false;
            }
        });
        document.addEventListener("pointerdown", (event) => {
            if (!menu.contains(event.target as Node)) {
                menu.open = false;
            }
        });
        fill(find("tools"),
            button("gallery", "gallery", "gallery-open", () => this.toggleGallery()),
            button("share", "share", "share", () => void this.share()), menu,
            button("theme", "theme", "theme", () => this.theme.toggle()),
            button("help", "help", "help-open", () => this.help.toggle()));
        find("brand").addEventListener("click", () => this.toggleGallery());
        find("home").addEventListener("click", () => {
            if (this.home !== null) {
                this.openNamed(this.home);
            }
        });
        find("title").addEventListener("click", () => this.toggleInfo());
    }

    // One sentence for those who are here for the first time, until they have touched something.
    private welcomeUser(): void {
        const store = "sinew.met";
        const line = find("hint");
        if (readStore(store) !== null) {
            return;
        }
        const blow = keyLabel(rowOf("blow").keys[0]!).join(" ");
        line.textContent = matchMedia("(pointer: coarse)").matches
            ? "Pull at things. Beside them, turn the view."
            : `Pull at things with the pointer · hold ${blow} to blow · ${rowOf("help").keys[0]!} lists the keys`;
        line.hidden = false;
        this.view.canvas.addEventListener("pointerdown", () => {
            line.hidden = true;
            writeStore(store, "yes");
        }, { once: true });
    }

    private toggleGallery(): void {
        this.keepPicture();
        this.gallery.toggle();
    }

    private showPlacardOf(title: string): void {
        document.title = `${title} · Sinew`;
        find("title").textContent = title;
    }

    private showPlacard(message: SceneMessage): void {
        this.showPlacardOf(message.title || message.name);
        const weight = message.bodies.reduce((sum, body) => sum + (body.static ? 0 : body.mass), 0);
        const moving = message.bodies.filter((body) => !body.static).length;
        fill(find("description"), message.description,
            make("span", { class: "placard-facts" },
                `${moving} ${moving === 1 ? "body" : "bodies"}, ${message.joints.length} joints, ${format(weight, 3)} kg · ` +
                `${message.policy}, step ${format(1000 * message.step, 3)} ms`));
    }

    private toggleInfo(): void {
        this.info = !this.info;
        document.body.classList.toggle("with-info", this.info);
        find("title").setAttribute("aria-expanded", String(this.info));
    }

    private engineShown = false;
    private slowest = 0;

    private toggleEngine(): void {
        this.engineShown = !this.engineShown;
        find("engine").hidden = !this.engineShown;
        this.slowest = 0;
    }

    private showEngine(frame: Frame): void {
        this.slowest = Math.max(frame.milliseconds, 0.97 * this.slowest);
        find("engine").textContent = `${this.welcome?.engine ?? ""} engine ${frame.milliseconds.toFixed(2)} ms a frame, lately at most ` +
            `${this.slowest.toFixed(2)} · ${this.rate.toFixed(0)} pictures a second · step ${frame.step}`;
    }

    private about(): string {
        const welcome = this.welcome;
        return welcome ? `Sinew ${welcome.version}, ${welcome.engine === "wasm" ? "WebAssembly" : "native"} engine.` : "";
    }

    private showBlowing(): void {
        this.breath.show();
        document.body.classList.toggle("blowing", this.aim.active);
        document.body.classList.toggle("blow-mode", this.aim.mode);
    }

    private showRecording(on: boolean): void {
        document.body.classList.toggle("recording", on);
        fill(this.videoButton, icon("video"), make("span", {}, on ? "End the video" : "Record a video"));
    }

    private fileName(): string {
        return `${(this.scene?.name ?? "sinew").replace(/\.[a-z]+$/, "")}-${this.view.frame?.time.toFixed(2) ?? "0"}s`;
    }

    // ---- the window ----

    private watchWindow(): void {
        const fit = () => {
            this.fitCanvas();
            this.camera.covered = this.coverage();
            this.camera.coveredSide = this.sideCoverage();
            if (this.camera.preset !== null) {
                this.camera.look(this.camera.preset, this.view.centre);
                this.camera.jump();
            }
            this.inset = { ...this.wantedInset() };
            this.view.setInsets(this.inset.right, this.inset.bottom);
            this.camera.update(0);
        };
        new ResizeObserver(fit).observe(this.view.canvas);
        fit();
        window.addEventListener("hashchange", () => {
            const link = decodeLink(location.hash);
            if (link.scene !== undefined || link.text !== undefined) {
                this.wish = link;
                if (this.welcome) {
                    this.takeWish();
                }
            }
        });
        // Nobody looks at a hidden page.
        document.addEventListener("visibilitychange", () => {
            this.connection.send({ do: "rate", frames: document.hidden ? 1 : 60 });
        });
        window.addEventListener("dragover", (event) => {
            event.preventDefault();
            document.body.classList.add("dropping");
        });
        window.addEventListener("dragleave", (event) => {
            if (event.relatedTarget === null) {
                document.body.classList.remove("dropping");
            }
        });
        window.addEventListener("drop", (event) => {
            event.preventDefault();
            document.body.classList.remove("dropping");
            const file = event.dataTransfer?.files[0];
            if (file) {
                void this.openFile(file);
            }
        });
    }

    private inset = { right: 0, bottom: 0 };
    private sharpness = this.view.isSoftware ? 0.75 : 1; // of the pixels that the display has
    private rate = 60;
    private slowPictures = 0;

    // What the bars and an open panel cover.
    private wantedInset(): { right: number; bottom: number } {
        const open = this.panel.current !== null || this.messages.hasError;
        const panel = open ? find("cards") : null;
        return isNarrow()
            ? { right: 0, bottom: 110 + (panel ? panel.offsetHeight : 0) }
            : { right: panel ? panel.offsetWidth : 0, bottom: 76 };
    }

    // The share of the picture's height that bars cover; on a phone panels do, too.
    private coverage(): number {
        const covered = isNarrow() ? 120 + this.wantedInset().bottom : 120;
        return Math.min(0.6, covered / Math.max(1, this.view.canvas.clientHeight));
    }

    private sideCoverage(): number {
        return Math.min(0.6, this.wantedInset().right / Math.max(1, this.view.canvas.clientWidth));
    }

    // A view that nobody has turned stands back when a panel comes before it.
    private standBack(): void {
        const covered = this.coverage();
        const side = this.sideCoverage();
        if (Math.abs(covered - this.camera.covered) + Math.abs(side - this.camera.coveredSide) > 0.01) {
            this.camera.covered = covered;
            this.camera.coveredSide = side;
            if (this.camera.preset !== null) {
                this.camera.look(this.camera.preset, this.view.centre);
            }
        }
    }

    private easeInsets(share: number): void {
        const wanted = this.wantedInset();
        const right = this.inset.right + share * (wanted.right - this.inset.right);
        const bottom = this.inset.bottom + share * (wanted.bottom - this.inset.bottom);
        if (Math.abs(wanted.right - this.inset.right) + Math.abs(wanted.bottom - this.inset.bottom) > 0.5) {
            this.inset = { right, bottom };
            this.view.setInsets(right, bottom);
            this.standBack();
        }
    }

    // A display that cannot keep up gets fewer pixels, rather than fewer pictures.
    private watchRate(milliseconds: number): void {
        this.rate += 0.05 * (1000 / Math.max(1, milliseconds) - this.rate);
        this.slowPictures = milliseconds > 40 && milliseconds < 2000 ? this.slowPictures + 1 : Math.max(0, this.slowPictures - 1);
        if (this.slowPictures > 20 && this.sharpness * devicePixelRatio > 0.5 && !this.capture.recording) {
            this.view.studio.makeCheaper();
            this.sharpness *= 0.75;
            this.slowPictures = 0;
            this.fitCanvas();
        }
    }

    // The clock of a new engine waits for this.
    private sayReady(): void {
        if (this.framed && !this.ready) {
            this.ready = true;
            this.connection.send({ do: "ready" });
        }
    }

    // A picture or video has all pixels of the display, whatever is seen meanwhile, and a video keeps their number.
    private full = false;

    private setFull(full: boolean): void {
        this.full = false;
        this.fitCanvas(full);
        this.full = full;
    }

    private fitCanvas(full = false): void {
        if (this.full) {
            return;
        }
        const width = Math.max(1, this.view.canvas.clientWidth);
        const height = Math.max(1, this.view.canvas.clientHeight);
        const all = Math.min(devicePixelRatio, largestVideo / Math.max(width, height));
        this.view.resize(width, height, full ? all : this.sharpness * Math.min(devicePixelRatio, 2), full);
    }

    private tick(time: number, before: number): void {
        const seconds = (time - before) / 1000;
        this.easeInsets(prefersLessMotion() ? 1 : 1 - Math.exp(-12 * Math.min(seconds, 0.1)));
        this.camera.update(seconds);
        // A recorder hears nothing of a canvas that stands still.
        // Before the first frame there is only a sky to draw, and drawing it would keep messages waiting.
        if (this.view.frame && this.view.draw(this.capture.recording)) {
            this.overlays.placeLabels();
            this.watchRate(time - before);
            this.sayReady();
        }
        requestAnimationFrame((next) => this.tick(next, time));
    }
}

// As in style.css: a phone held upright.
function isNarrow(): boolean {
    return matchMedia("(max-width: 640px)").matches;
}

// Whether a link asks for other params than the scene has now.
function differs(link: SharedLink, message: SceneMessage): boolean {
    return Object.entries(link.params).some(([name, value]) => {
        const param = message.params.find((candidate) => candidate.name === name);
        return param !== undefined && param.value !== value;
    });
}
