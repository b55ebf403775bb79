// Pictures of the main views, for somebody to look at, in build/browser.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NativeServer, root, View } from "./browser.mjs";

export async function pictures({ browser, servers, pictureFolder, folder }, engine, check) {
    if (engine !== "wasm") {
        return; // the page is the same
    }
    const take = (view, name) => view.page.screenshot({ path: join(pictureFolder, `${name}.png`) });
    const view = await View.open(browser, servers.wasm.address, { size: { width: 1120, height: 700 } });
    await view.until("it moves", () => window.tap.frame?.time > 2.5);
    await take(view, "steel-fish-light");
    await view.page.keyboard.press("d");
    await view.sleep(600);
    await take(view, "steel-fish-dark");
    await view.page.keyboard.press("d");
    await view.page.keyboard.press("g");
    await view.until("thumbnails are there", () => [...document.querySelectorAll("#gallery img")].slice(0, 6).every((image) => image.complete));
    await view.sleep(500);
    await take(view, "gallery");
    await view.page.keyboard.press("Escape");
    await view.until("the gallery is closed", () => !document.getElementById("gallery").open);
    await view.id("help-open").click();
    await view.until("the help is open", () => document.getElementById("help").open);
    await view.sleep(500);
    await take(view, "help");
    await view.page.keyboard.press("Escape");
    await view.until("the help is closed", () => !document.getElementById("help").open);
    await view.id("tab-plots").click();
    await view.sleep(1500);
    await take(view, "plots");
    await view.id("tab-inspect").click();
    await view.id("body").selectOption({ label: "fish/beam" }).catch(() => view.id("body").selectOption({ index: 2 }));
    await view.sleep(1200);
    await take(view, "inspect");
    await view.id("tab-breath").click();
    await view.sleep(600);
    await take(view, "breath");
    await view.id("tab-breath").click();
    await view.scene("pyramid");
    await view.page.keyboard.press("c");
    await view.page.keyboard.press("f");
    await view.until("there are contacts", () => window.tap.frame.contacts > 5);
    await view.sleep(1200);
    await take(view, "contacts");
    check("the console stays empty", view.complaints.length === 0, view.complaints);
    await view.close();

    const file = join(folder, "broken.json");
    const text = readFileSync(join(root, "scenes/first-mobile.json"), "utf8").replace(/\s*"\$schema".*\n/, "\n");
    writeFileSync(file, text);
    const server = await NativeServer.start(file, { folder });
    try {
        const broken = await View.open(browser, server.address, { size: { width: 1120, height: 700 } });
        await broken.until("it moves", () => window.tap.frame?.time > 1);
        writeFileSync(file, text.replace('"sinew": 1', '"sinew": 1,\n  "gravitee": 1'));
        await broken.until("the mistake is shown", () => document.querySelector(".error-card") !== null);
        await broken.sleep(500);
        await take(broken, "error");
        await broken.close();
    } finally {
        await server.end();
    }
    const phone = await View.open(browser, servers.wasm.address, {
        size: { width: 390, height: 780 }, hasTouch: true, isMobile: true,
    });
    await phone.until("it moves", () => window.tap.frame?.time > 1.5);
    await take(phone, "phone");
    await phone.id("tab-params").tap();
    await phone.sleep(800);
    await take(phone, "phone-params");
    await phone.close();
}
