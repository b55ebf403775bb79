// What hands and breath do: pulling, blowing, the microphone, a phone.
import { join } from "node:path";
import { View } from "./browser.mjs";

const fishEye = [0, -2.5, 1.1];
const still = "&blow=0&at=0,-2.5,1.1,0,0,1.1"; // the Steel Fish without its own wind hangs still
const eye = [0, -4, -0.5];
const frontal = "&at=0,-4,-0.5,0,0,-0.5"; // the eye there, looking along y

// A body is taken where the mouse is, follows it on a spring that can be seen, and is let go.
export async function hands({ browser, servers, pictureFolder }, engine, check) {
    const view = await View.open(browser, servers[engine].address, { hash: "#scene=double-pendulum" });
    await view.scene("pendulum", `&start=20${frontal}`);
    await view.until("it runs", () => window.tap.frame.step > 5);
    await view.pause();
    const [x, y] = await view.graspable("bob", eye);
    const bob = () => view.get(() => {
        const { id } = window.tap.scene.bodies.find((body) => body.name === "bob");
        return { step: window.tap.frame.step, at: [...window.tap.frame.poses.slice(7 * id, 7 * id + 3)] };
    });
    const apart = (a, b) => Math.hypot(...a.at.map((value, i) => value - b.at[i]));
    const before = await bob();
    await view.page.mouse.down();
    await view.page.mouse.move(x + 40, y - 5, { steps: 4 }); // across, where it can follow wherever it has swung to
    await view.until("it is held", () => window.tap.frame.grabs.length === 1);
    await view.until("it follows while the clock stands still", ([from]) => {
        const { id } = window.tap.scene.bodies.find((body) => body.name === "bob");
        return Math.hypot(...[0, 1, 2].map((i) => window.tap.frame.poses[7 * id + i] - from[i])) > 0.1;
    }, [before.at]);
    const moved = await bob();
    check("time stands still", moved.step === before.step, { before, moved });
    check("the joint holds", Math.abs(Math.hypot(...moved.at) - Math.hypot(...before.at)) < 1e-5, { before, moved });

    // Beyond its reach, away from the nail, there is a spring between.
    const [nailX, nailY] = await view.project([0, 0, 0], eye);
    const [bobX, bobY] = await view.project(moved.at, eye);
    const far = [bobX + 0.15 * (bobX - nailX), bobY + 0.15 * (bobY - nailY)];
    await view.page.mouse.move(...far, { steps: 4 });
    await view.until("a spring is there", () => {
        const grab = window.tap.frame.grabs[0];
        return grab && Math.hypot(...grab.to.map((value, i) => value - grab.from[i])) > 0.05;
    });
    await view.sleep(300);
    await view.page.screenshot({ path: join(pictureFolder, `drag-${engine}.png`) });
    const clip = { x: far[0] - 10, y: far[1] - 10, width: 20, height: 20 };
    const accent = await view.pixelsNear([0xd2, 0x39, 0x1f], clip, 48);
    check("the hand can be seen at the pointer", accent > 20, accent);
    await view.page.mouse.up();
    await view.until("it is let go", () => window.tap.frame.grabs.length === 0);
    check("it stays where it was put", apart(await bob(), before) > 0.1);
    await view.id("back").click();
    await view.until("one step back undoes it", ([from]) => {
        const { id } = window.tap.scene.bodies.find((body) => body.name === "bob");
        return Math.hypot(...[0, 1, 2].map((i) => window.tap.frame.poses[7 * id + i] - from[i])) < 1e-6;
    }, [before.at]);
    check("at the same time", (await bob()).step === before.step);

    // While the clock runs, the spring pulls.
    await view.page.mouse.move(...await view.graspable("bob", eye));
    await view.page.mouse.down();
    await view.page.mouse.move(x + 30, y - 5, { steps: 3 });
    await view.until("it is held", () => window.tap.frame.grabs.length === 1);
    await view.page.keyboard.press(" ");
    await view.until("the clock runs", (step) => window.tap.frame.step > step + 5, before.step);
    await view.page.mouse.move(x, y, { steps: 3 });
    await view.until("the body follows", () => {
        const grab = window.tap.frame.grabs[0];
        return grab && Math.hypot(...grab.to.map((value, i) => value - grab.from[i])) < 0.3;
    });
    await view.page.mouse.up();
    await view.until("it is let go", () => window.tap.frame.grabs.length === 0);
    check("it is let go", true);

    // A click selects; beside things the mouse turns the view, and nothing of the world.
    await view.pause();
    await view.id("tab-inspect").click();
    await view.sleep(600);
    const [atX, atY] = await view.graspable("bob", eye);
    await view.page.mouse.click(atX, atY);
    await view.until("a click inspects", () => /kg/.test(document.querySelector("[data-testid=inspect] .facts")?.textContent ?? ""));
    check("nothing is in the console", view.complaints.length === 0, view.complaints);
    await view.close();
}

// From its start again, hanging still; what moves from now on is watched.
async function calm(view) {
    await view.pause(); // so that the start is seen, however seldom somebody looks
    await view.id("reset").click();
    await view.until("it is at its start", () => window.tap.frame?.step === 0);
    await view.get(() => window.tap.watchMotion(1e-5));
    await view.play();
}

async function calmFish(browser, address) {
    const view = await View.open(browser, address, { hash: "#scene=pendulum" });
    await view.scene("steel-fish", still);
    await view.running();
    await calm(view);
    return view;
}

const visible = 1e-3; // of the scene's size

const promised = 150; // ms from the microphone to motion

// Hears the sound, which is some seconds of silence and a blow over and over, through one blow. From the start of the block
// in which it begins to the first frame in which something moved there are two measures: the wall's clock between both in the
// page, and the world's, which stands still while others have the machine.
async function oneBlow(view) {
    for (;;) {
        await view.until("it is silent", () =>
            window.tap.microphone.slice(-20).every((block) => block.level < 0.005) && window.tap.breath.speed < 1e-3);
        await calm(view);
        const from = await view.get(() => {
            window.tap.motion.before = 0; // the farthest while it is silent
            return window.tap.microphone.length;
        });
        await view.until("the blow is heard", (count) => {
            const loud = window.tap.microphone.slice(count).some((block) => block.level > 0.01);
            window.tap.motion.before = loud ? window.tap.motion.before : window.tap.motion.most;
            return loud;
        }, from);
        await view.until("the blow moves it", (reach) => window.tap.motion.most > reach, visible);
        const seen = await view.get((count) => {
            const blocks = window.tap.microphone.slice(count);
            const first = blocks.findIndex((block) => block.level > 0.01);
            const { at, time, before } = window.tap.motion;
            const loud = blocks[first];
            return {
                wall: at - loud.at + 1000 * loud.seconds, world: 1000 * (time - loud.time + loud.seconds),
                silence: { most: before, seconds: blocks.slice(0, first).reduce((sum, block) => sum + block.seconds, 0) },
            };
        }, from);
        if (seen.silence.seconds > 0.5) {
            return seen; // else it began to listen too late to tell silence from the blow
        }
    }
}

// The microphone moves the mobile, silence does not; so do B and the mouse.
export async function breath(world, engine, check) {
    const { browser, servers, figures } = world;
    const view = await calmFish(browser, servers[engine].address);
    await view.id("tab-breath").click();
    await view.id("microphone").click();
    await view.until("it listens", () => window.tap.breath !== null && window.tap.microphone.length > 20);
    check("the page asks for the bare sound", !/still uses/.test(await view.id("microphone-state").innerText()));
    // A machine that does something else just then delays anything: of three blows the quickest counts.
    let delay = null;
    let silence = null;
    const quickest = (seen) => Math.min(seen.wall, seen.world);
    for (let blows = 0; blows < 3 && !(delay && quickest(delay) < promised); ++blows) {
        const next = await oneBlow(view);
        silence ??= next.silence;
        delay = delay && quickest(delay) < quickest(next) ? delay : next;
    }
    check("silence does not move it", silence.most < 1e-6 && silence.seconds > 0.5, silence);
    check("the meter shows it", await view.get(() => Number(document.querySelector("[data-testid=meter]").getAttribute("aria-valuenow"))) > 0.05);
    figures[`${engine}: microphone to motion`] = `${delay.wall.toFixed(0)} ms, ${delay.world.toFixed(0)} of the world's`;
    check("from the microphone to motion within 150 ms", quickest(delay) > 0 && quickest(delay) < promised, delay);
    await view.id("microphone").click();
    await view.until("it stops listening", () => window.tap.lastSent.microphone.state === "off");

    await view.id("tab-breath").click();
    await calm(view);
    await view.page.locator("#canvas").focus();
    await view.page.keyboard.down("b");
    await view.until("B blows", (reach) => window.tap.motion.most > reach, visible);
    await view.page.keyboard.up("b");
    await view.until("it stops", () => window.tap.lastSent.blow.strength === 0);
    check("holding B blows, out of the scene's own mouth", await view.get(() => window.tap.lastSent.wind.aimed === false));

    await calm(view);
    await view.page.locator("#canvas").focus();
    await view.page.keyboard.press("Shift+B");
    const [x, y] = await view.place("fish/eye", fishEye);
    await view.page.mouse.move(x, y);
    await view.page.mouse.down();
    await view.until("it is aimed with the pointer", () => window.tap.lastSent.wind.towards !== undefined);
    await view.until("the mouse blows", (reach) => window.tap.motion.most > reach, visible);
    const aim = await view.get(() => window.tap.lastSent.wind);
    await view.page.mouse.move(x + 60, y + 20, { steps: 3 });
    await view.until("the aim follows the mouse", (before) => JSON.stringify(window.tap.lastSent.wind.towards) !== JSON.stringify(before.towards), aim);
    await view.page.mouse.up();
    await view.until("it stops", () => window.tap.lastSent.blow.strength === 0);
    check("holding the mouse blows, and aims", true);
    // Also where nothing is: thin things are easily missed, and the scene's own mouth may point elsewhere.
    const [emptyX, emptyY] = await view.project([0.4, 0, 0.35], fishEye);
    await view.page.mouse.move(emptyX, emptyY);
    await view.page.mouse.down();
    await view.until("the mouse blows again", () => window.tap.lastSent.blow.strength > 0);
    check("it is aimed where nothing is, too", await view.get(() => window.tap.lastSent.wind.towards !== undefined));
    await view.page.mouse.up();
    check("nothing is in the console", view.complaints.length === 0, view.complaints);
    await view.close();
}

async function touch(view, points) {
    const session = await view.context.newCDPSession(view.page);
    const at = (point) => [{ x: point[0], y: point[1], id: 1 }];
    await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(points[0]) });
    for (const point of points.slice(1)) {
        await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(point) });
        await view.sleep(30);
    }
    return () => session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}

export async function phone({ browser, servers, pictureFolder }, engine, check) {
    const view = await View.open(browser, servers[engine].address, {
        hash: "#scene=double-pendulum", size: { width: 390, height: 780 }, hasTouch: true, isMobile: true,
    });
    await view.scene("pendulum", `&start=20${frontal}`);
    await view.until("it runs", () => window.tap.frame.step > 5);
    const outside = await view.get(() => [...document.querySelectorAll("#transport button, #rail button, #tools > *")]
        .filter((element) => element.checkVisibility())
        .filter((element) => {
            const box = element.getBoundingClientRect();
            return box.left < 0 || box.right > innerWidth + 0.5 || box.top < 0 || box.bottom > innerHeight + 0.5 || box.width < 24 || box.height < 24;
        }).map((element) => element.getAttribute("data-testid") ?? element.className));
    check("all buttons are on the screen, and large enough", outside.length === 0, outside);
    await view.pause();
    const [x, y] = await view.place("bob", eye);
    await view.page.screenshot({ path: join(pictureFolder, `phone-pendulum-${engine}.png`) });
    await view.get(() => window.tap.watchMotion(1e9));
    const lift = await touch(view, [[x, y], [x + 20, y - 20], [x + 40, y - 40]]);
    await view.until("a finger takes it", () => window.tap.frame.grabs.length === 1);
    await view.until("it follows the finger", () => window.tap.motion.most > 0.01); // while the clock stands still, too
    await view.page.keyboard.press(" ");
    await view.running("the clock runs with the finger on it");
    await lift();
    await view.until("it is let go", () => window.tap.frame.grabs.length === 0);
    check("a finger drags", true);

    await view.scene("steel-fish", still);
    await view.running();
    await view.get(() => window.tap.watchMotion(1e9));
    await view.id("tab-breath").tap();
    const hold = await view.id("hold-to-blow").boundingBox();
    const end = await touch(view, [[hold.x + hold.width / 2, hold.y + hold.height / 2]]);
    await view.until("holding the button blows", (reach) => window.tap.motion.most > reach, visible);
    await end();
    await view.until("it stops", () => window.tap.lastSent.blow.strength === 0);
    check("a finger blows", true);
    await view.page.screenshot({ path: join(pictureFolder, `phone-breath-${engine}.png`) });
    check("nothing is in the console", view.complaints.length === 0, view.complaints);
    await view.close();
}
