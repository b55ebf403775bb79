// Pictures of the main views, in light and dark, for somebody to look at, in build/browser.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NativeServer, root, View } from "./browser.mjs";

const size = { width: 1120, height: 700 };

// Scene, gallery, help and each panel of a scene with settings.
async function main(view, take) {
    await view.until("it moves", () => window.tap.frame?.time > 2.5);
    await take("steel-fish");
    await view.page.keyboard.press("g");
    await view.until("thumbnails are there", () => [...document.querySelectorAll("#gallery img")].slice(0, 6).every((image) => image.complete));
    await view.sleep(500);
    await take("gallery");
    await view.page.keyboard.press("Escape");
    await view.until("the gallery is closed", () => !document.getElementById("gallery").open);
    await view.id("help-open").click();
    await view.until("the help is open", () => document.getElementById("help").open);
    await view.sleep(500);
    await take("help");
    await view.page.keyboard.press("Escape");
    await view.until("the help is closed", () => !document.getElementById("help").open);
    await view.id("tab-plots").click();
    await view.sleep(1500);
    await take("plots");
    await view.id("tab-inspect").click();
    await view.id("body").selectOption({ label: "fish/beam" }).catch(() => view.id("body").selectOption({ index: 2 }));
    await view.sleep(1200);
    await take("inspect");
    await view.id("tab-breath").click();
    await view.sleep(600);
    await take("breath");
    await view.id("tab-show").click();
    await view.sleep(600);
    await take("show");
    await view.id("tab-show").click();
    await view.scene("pyramid");
    await view.page.keyboard.press("c");
    await view.page.keyboard.press("f");
    await view.until("there are contacts", () => window.tap.frame.contacts > 5);
    await view.sleep(1200);
    await take("contacts");
}

// A mistake in an own file.
async function error(view, take, file, text) {
    await view.until("it moves", () => window.tap.frame?.time > 1);
    writeFileSync(file, text.replace('"sinew": 1', '"sinew": 1,\n  "gravitee": 1'));
    await view.until("the mistake is shown", () => document.querySelector(".error-card") !== null);
    await view.sleep(500);
    await take("error");
}

async function phone(view, take) {
    await view.until("it moves", () => window.tap.frame?.time > 1.5);
    await take("phone");
    for (const panel of ["params", "plots", "inspect"]) {
        await view.id(`tab-${panel}`).tap();
        await view.sleep(800);
        await take(`phone-${panel}`);
    }
    await view.id("tab-inspect").tap();
    await view.id("gallery-open").tap();
    await view.sleep(800);
    await take("phone-gallery");
}

export async function pictures({ browser, servers, pictureFolder, folder }, engine, check) {
    if (engine !== "wasm") {
        return; // the page is the same
    }
    for (const theme of ["light", "dark"]) {
        const open = async (address, part, more = {}, ...rest) => {
            const view = await View.open(browser, address, { size, colorScheme: theme, ...more });
            await part(view, (name) => view.page.screenshot({ path: join(pictureFolder, `${name}-${theme}.png`) }), ...rest);
            check(`the console stays empty in ${theme}`, view.complaints.length === 0, view.complaints);
            await view.close();
        };
        await open(servers.wasm.address, main);
        await open(servers.wasm.address, phone, { size: { width: 390, height: 780 }, hasTouch: true, isMobile: true });
        const file = join(folder, `broken-${theme}.json`);
        const text = readFileSync(join(root, "scenes/first-mobile.json"), "utf8").replace(/\s*"\$schema".*\n/, "\n");
        writeFileSync(file, text);
        const server = await NativeServer.start(file, { folder });
        try {
            await open(server.address, error, {}, file, text);
        } finally {
            await server.end();
        }
    }
}
