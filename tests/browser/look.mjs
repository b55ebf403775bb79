// What the page looks like: the gallery on a phone, thin wires, plots of energy, the picture of the wind. The page alone, which
// is the same for both engines.
import { View } from "./browser.mjs";

const own = (name, scene) => ({ name, mimeType: "application/json", buffer: Buffer.from(JSON.stringify({ sinew: 1, ...scene })) });

async function openOwn(view, file) {
    await view.there();
    await view.page.locator("#gallery input[type=file]").setInputFiles(file);
    await view.until("the file is shown", (name) => window.tap.scene?.name === name && window.tap.frame !== null &&
        document.body.dataset.scene === name, file.name);
}

// ---- the gallery on a phone ----

async function phoneGallery(browser, address, check) {
    const view = await View.open(browser, address, { hash: "#scene=pendulum", size: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await view.there();
    await view.until("the bars are there", () => !document.body.classList.contains("starting"));
    const open = async () => {
        await view.id("gallery-open").tap();
        await view.until("the gallery is open", () => document.getElementById("gallery").open);
    };
    const closed = (how) => view.until(`the gallery is closed ${how}`, () => !document.getElementById("gallery").open);
    await open();
    const box = await view.id("gallery-close").boundingBox();
    check("the close button is within the page", box.x >= 0 && box.x + box.width <= 390 && box.y >= 0 && box.y + box.height <= 844, box);
    check("it is large enough for a finger", Math.min(box.width, box.height) >= 40, box);
    const topmost = await view.get(([x, y]) => document.elementFromPoint(x, y)?.closest("button")?.dataset.testid, [box.x + box.width / 2, box.y + box.height / 2]);
    check("nothing covers it", topmost === "gallery-close", topmost);
    check("no keyboard comes up", await view.get(() => document.activeElement?.tagName !== "INPUT"));
    await view.id("gallery-close").tap();
    await closed("by its button");
    await open();
    await view.page.keyboard.press("Escape");
    await closed("by Escape");
    await open();
    await view.page.touchscreen.tap(195, 30);
    await closed("by a tap beside it");
    await open();
    await view.id("scene-double-pendulum").tap();
    await closed("when a scene is chosen");
    await view.until("the chosen scene is shown", () => document.body.dataset.scene === "double-pendulum");
    check("nothing is in the console", view.complaints.length === 0, view.complaints);
    await view.close();
}

// ---- wires ----

// A wire of 1 mm, nearly level, seen from 3 m: a third of a pixel.
const wire = own("wire.json", {
    gravity: [0, 0, 0],
    bodies: [{
        name: "wire", position: [0, 0, 1], rotation: { axis: [0, 1, 0], angle: "80deg" },
        shape: { type: "cylinder", radius: "0.5mm", height: 1.6, colour: "#15181a" },
    }],
    camera: { position: [0, -3, 1], target: [0, 0, 1] },
});

// The share of columns in which something stands out from what is above and below, between the ends of the wire.
async function wireShare(view) {
    const ends = await Promise.all([-0.7, 0.7].map((x) => view.project([x, 0, 1 - 0.176 * x], [0, -3, 1])));
    const [left, right] = ends.map((end) => Math.round(end[0])).sort((a, b) => a - b);
    const top = Math.round(Math.min(ends[0][1], ends[1][1])) - 12;
    const height = Math.round(Math.abs(ends[0][1] - ends[1][1])) + 24;
    const { data, width, channels } = await view.pixels({ x: left, y: top, width: right - left, height });
    let seen = 0;
    for (let x = 0; x < width; ++x) {
        const lights = Array.from({ length: height }, (_, y) => {
            const at = channels * (y * width + x);
            return (data[at] + data[at + 1] + data[at + 2]) / 3;
        });
        const middle = [...lights].sort((a, b) => a - b)[height >> 1];
        seen += Math.max(...lights.map((light) => Math.abs(light - middle))) > 40 ? 1 : 0;
    }
    return seen / width;
}

async function wires(view, check) {
    await openOwn(view, wire);
    for (const theme of ["light", "dark"]) {
        await view.get((wanted) => {
            if (document.documentElement.dataset.theme !== wanted) {
                document.querySelector("[data-testid=theme]").click();
            }
        }, theme);
        await view.sleep(400);
        const share = await wireShare(view);
        check(`a wire of a third of a pixel is seen along its length (${theme})`, share > 0.97, share);
    }
}

// ---- plots ----

// A pendulum 100 m above where heights begin: its weight alone has 981 J.
const pendulum = (name, x, z) => own(name, {
    bodies: [{ name: "bob", position: [x, 0, z], shape: { type: "sphere", radius: 0.05 }, mass: 1 }],
    joints: [{ name: "nail", type: "hinge", parent: "world", child: "bob", at: [0, 0, 100], axis: [0, 1, 0] }],
    camera: { position: [0, -3, 99.5], target: [0, 0, 99.5] },
});

// The newest numbers of the plot of energies, as they are written.
async function energies(view, moving) {
    await view.until("energies are plotted", (wanted) => {
        const values = document.querySelector("figure.plot")?.querySelectorAll(".u-legend .u-value") ?? [];
        return values.length === 5 && (wanted ? Number(values[1].textContent) > 0.5 : parseFloat(values[0].textContent) > 0.3);
    }, moving);
    await view.pause();
    return view.get(() => [...document.querySelector("figure.plot").querySelectorAll(".u-legend .u-value")]
        .slice(1).map((value) => value.textContent.replace("−", "-")));
}

async function energyPlot(view, check) {
    await openOwn(view, pendulum("high.json", 0.6, 99.2));
    await view.id("tab-plots").click();
    const moving = (await energies(view, true)).map(Number);
    check("potential energy counts from the start", Math.abs(moving[1]) < 3 && moving[1] < 0, moving);
    check("the energies add up", Math.abs(moving[0] + moving[1] + moving[2] - moving[3]) < 1e-3, moving);
    await openOwn(view, pendulum("rest.json", 0, 99));
    const still = await energies(view, false);
    check("round-off is zero", still.every((value) => value === "0"), still);
    await view.id("tab-plots").click();
}

// ---- wind ----

// Of two pictures: how many pixels are of leaves in the first, how many of those are others in the second, and of all.
function compare(calm, windy) {
    const seen = { leaves: 0, hidden: 0, drawn: 0 };
    for (let i = 0; i < calm.data.length; i += calm.channels) {
        const colours = [calm.data[i], calm.data[i + 1], calm.data[i + 2]];
        const change = Math.max(...colours.map((value, k) => Math.abs(value - windy.data[i + k])));
        const leaf = Math.max(...colours) - Math.min(...colours) > 80;
        seen.leaves += leaf ? 1 : 0;
        seen.hidden += leaf && change > 45 ? 1 : 0;
        seen.drawn += change > 25 ? 1 : 0;
    }
    return seen;
}

async function windPicture(view, check) {
    await view.scene("elastic-leaves");
    await view.until("the wind has moved them", () => window.tap.frame.time > 0.2);
    await view.pause();
    await view.sleep(600);
    const clip = { x: 0, y: 60, width: view.size.width - 80, height: view.size.height - 180 };
    const calm = await view.pixels(clip);
    await view.page.keyboard.press("n");
    await view.until("the wind is asked for", () => window.tap.lastSent.show?.wind === true);
    let seen = null;
    for (let i = 0; i < 40 && !(seen?.drawn > 150); ++i) { // frames and pictures come when they come
        await view.sleep(200);
        seen = compare(calm, await view.pixels(clip));
    }
    const { leaves, hidden, drawn } = seen;
    check("the wind is seen", drawn > 150, { drawn });
    check("it hides nothing of what it blows at", leaves > 500 && hidden < 0.005 * leaves, { leaves, hidden, drawn });
    await view.page.keyboard.press("n");
}

// ---- pictures of other sizes ----

// A canvas that gets another number of pixels is empty until it is drawn again. Looks at it whenever that has happened, after
// the page in the same frame, just before the browser shows it; `slow`: and keeps the page from drawing as fast as it wants.
async function watchCanvas(view, slow) {
    await view.get((busy) => {
        const canvas = document.getElementById("canvas");
        const small = new OffscreenCanvas(40, 25);
        const context = small.getContext("2d", { willReadFrequently: true });
        const seen = window.sizesSeen = { full: 0, empty: 0, ends: false };
        let size = `${canvas.width} ${canvas.height}`;
        const see = () => {
            if (size !== `${canvas.width} ${canvas.height}`) {
                size = `${canvas.width} ${canvas.height}`;
                context.clearRect(0, 0, small.width, small.height);
                context.drawImage(canvas, 0, 0, small.width, small.height);
                const full = context.getImageData(0, 0, small.width, small.height).data.some((value) => value > 0);
                seen[full ? "full" : "empty"] += 1;
            }
        };
        const observer = new ResizeObserver(see);
        observer.observe(canvas);
        const tick = () => {
            see();
            for (const start = performance.now(); busy && performance.now() - start < 60;);
            if (seen.ends) {
                observer.disconnect();
            } else {
                requestAnimationFrame(tick);
            }
        };
        requestAnimationFrame(tick);
    }, slow);
}

async function sizesOfPictures(browser, address, check) {
    for (const slow of [false, true]) {
        const view = await View.open(browser, address, { hash: "#scene=pendulum", size: { width: 800, height: 560 } });
        await view.running();
        await watchCanvas(view, slow);
        for (let i = 0; i < 5 && !slow; ++i) {
            await view.page.setViewportSize({ width: 800 - 30 * i, height: 560 - 20 * i });
            await view.sleep(150);
        }
        await view.until("the picture has had other sizes", () => window.sizesSeen.full + window.sizesSeen.empty > 0);
        const seen = await view.get(() => {
            window.sizesSeen.ends = true;
            return window.sizesSeen;
        });
        check(slow ? "fewer pixels, where pictures are slow, come without an empty picture" : "a window of another size is never empty",
            seen.full > 0 && seen.empty === 0, seen);
        await view.close();
    }
}

export async function look({ browser, servers }, engine, check) {
    if (engine !== "native") {
        return;
    }
    const { address } = servers[engine];
    await phoneGallery(browser, address, check);
    const view = await View.open(browser, address, { hash: "#scene=pendulum", size: { width: 800, height: 560 } });
    await wires(view, check);
    await energyPlot(view, check);
    await windPicture(view, check);
    check("nothing is in the console", view.complaints.length === 0, view.complaints);
    await view.close();
    await sizesOfPictures(browser, address, check);
}
