// Ties the parts together: messages go to those they concern, actions to the engine.

import { Vector3 } from "three";
import { Aim } from "./aim";
import { Breath } from "./breath";
import { OrbitCamera, presets } from "./camera";
import type { Preset } from "./camera";
import { Capture } from "./capture";
import type { Connection, Handlers, LinkState } from "./connection";
import { CounterWatch } from "./counters";
import { Drag } from "./drag";
import { fill, find, format, make, offerDownload } from "./element";
import { EngineLine } from "./engine_line";
import { watchDrops } from "./file_drop";
import { greetNewcomer } from "./first_visit";
import { Gallery } from "./gallery";
import { Help } from "./help";
import { icon } from "./icons";
import { Inspect } from "./inspect";
import { bindKeys } from "./keys";
import type { Action } from "./keys";
import { decodeLink, encodeLink, firstScene, openCommand, packText, unpackText } from "./link";
import type { SharedLink, SharedView } from "./link";
import { Messages } from "./messages";
import { Notes } from "./notes";
import { Overlays } from "./overlays";
import type { OverlayName } from "./overlays";
import { Panel } from "./panel";
import { Params } from "./params";
import { Placard } from "./placard";
import { Plots } from "./plots";
import { Pointer } from "./pointer";
import { moved } from "./protocol";
import type { FileKind, Frame, Mesh, Message, SceneMessage, StatusMessage, Triple, WelcomeMessage } from "./protocol";
import { SceneView } from "./scene_view";
import { ShowPanel } from "./show_panel";
import { Stage } from "./stage";
import { prefersLessMotion, ThemeSwitch } from "./theme";
import { Timeline } from "./timeline";
import { TopBar } from "./top_bar";

const barsWait = 1000; // ms
const largestScene = 8 << 20; // bytes of a message
const longestLink = 16_000; // characters that browsers and chats carry

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
    private readonly counters = new CounterWatch();
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
    private readonly capture: Capture = new Capture(this.view, () => this.fileName(), this.tell, (on) => this.top.showRecording(on),
        (full) => this.stage.setFull(full));
    private readonly stage = new Stage(this.view, this.camera, () => this.panel.current !== null || this.messages.hasError,
        () => this.capture.recording);
    private readonly placard = new Placard();
    private readonly engineLine = new EngineLine();
    private readonly top = new TopBar({
        gallery: () => this.toggleGallery(),
        share: () => void this.share(),
        screenshot: () => this.capture.screenshot(),
        video: () => this.capture.toggleVideo(),
        save: (what) => void this.download(what),
        theme: () => this.theme.toggle(),
        help: () => this.help.toggle(),
    });
    private readonly show = new ShowPanel(this.camera, this.overlays, {
        look: (preset) => this.look(preset),
        fit: () => this.fit(),
        track: () => this.track(),
        set: (name, on) => this.setOverlay(name, on),
    });
    private readonly panel: Panel;
    private readonly theme: ThemeSwitch;
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
            { id: "show", title: "View", icon: "eye", content: this.show.element },
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
        find("home").addEventListener("click", () => {
            if (this.home !== null) {
                this.openNamed(this.home);
            }
        });
        bindKeys(window, (action, down) => this.act(action, down));
        document.body.classList.toggle("hardware", !this.view.isSoftware);
        this.stage.watch();
        this.watchWindow();
        watchDrops((file) => void this.openFile(file));
        greetNewcomer(this.view.canvas);
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
                this.placard.showTitle(this.serverFile); // it has a mistake, which is shown until it is mended
                this.showBars();
            }
            break;
        case "status":
            this.timeline.setStatus(message);
            this.notes.forgetAfter(message.history.to + 1e-9);
            this.reportCounters(message);
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

    private reportCounters(status: StatusMessage): void {
        for (const text of this.counters.receive(status.counters)) {
            this.notes.add("warning", text, status.time);
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
        this.counters.setScene(message);
        if (!same) {
            this.notes.clear();
        }
        if (!same || fresh || view) {
            this.camera.setScene(message.camera, message.frame, this.view.centre, this.view.radius);
            if (view) {
                this.camera.setGoal(moved(view.position, message.origin, -1), moved(view.target, message.origin, -1));
            }
            this.camera.jump();
            this.show.showPresets();
        } else {
            this.keepCamera(before, message);
        }
        this.messages.clearError();
        this.placard.show(message);
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
        if (this.engineLine.shown) {
            this.engineLine.show(this.welcome?.engine ?? "", frame, this.stage.rate);
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
            info: () => this.placard.toggle(),
            engine: () => this.engineLine.toggle(),
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
            this.show.showPresets();
        }
    }

    private look(preset: Preset): void {
        this.camera.look(preset, this.view.centre);
        this.show.showPresets();
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
        this.show.setSwitch(name, on);
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

    private toggleGallery(): void {
        this.keepPicture();
        this.gallery.toggle();
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

    private fileName(): string {
        return `${(this.scene?.name ?? "sinew").replace(/\.[a-z]+$/, "")}-${this.view.frame?.time.toFixed(2) ?? "0"}s`;
    }

    // ---- the window ----

    private watchWindow(): void {
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
    }

    // The clock of a new engine waits for this.
    private sayReady(): void {
        if (this.framed && !this.ready) {
            this.ready = true;
            this.connection.send({ do: "ready" });
        }
    }

    private tick(time: number, before: number): void {
        const seconds = (time - before) / 1000;
        this.stage.ease(prefersLessMotion() ? 1 : 1 - Math.exp(-12 * Math.min(seconds, 0.1)));
        this.camera.update(seconds);
        // A recorder hears nothing of a canvas that stands still.
        // Before the first frame there is only a sky to draw, and drawing it would keep messages waiting.
        if (this.view.frame && this.view.draw(this.capture.recording)) {
            this.overlays.placeLabels();
            this.stage.watchRate(time - before);
            this.sayReady();
        }
        requestAnimationFrame((next) => this.tick(next, time));
    }
}

// Whether a link asks for other params than the scene has now.
function differs(link: SharedLink, message: SceneMessage): boolean {
    return Object.entries(link.params).some(([name, value]) => {
        const param = message.params.find((candidate) => candidate.name === name);
        return param !== undefined && param.value !== value;
    });
}
