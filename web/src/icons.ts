// Line icons on a grid of 24, drawn for this page.

const paths = {
    play: "M8 5.5v13l10.5-6.5z",
    pause: "M8.5 5.5v13M15.5 5.5v13",
    forward: "M6 6v12l8-6zM17.5 6v12",
    back: "M18 6v12l-8-6zM6.5 6v12",
    reset: "M5 12a7 7 0 1 0 2.2-5.1M5 4.5V8.5h4",
    gallery: "M4.5 4.5h6v6h-6zM13.5 4.5h6v6h-6zM4.5 13.5h6v6h-6zM13.5 13.5h6v6h-6z",
    share: "M12 15V4.5M8.5 7.5 12 4l3.5 3.5M6 11.5v7.5h12v-7.5",
    save: "M12 4v10.5M8.5 11.5 12 15l3.5-3.5M5 18.5h14",
    help: "M9.2 9.3a2.9 2.9 0 1 1 4.3 2.6c-1 .6-1.5 1.1-1.5 2.3M12 17.3v.4",
    theme: "M12 4.5a7.5 7.5 0 1 0 7.5 7.5 5.6 5.6 0 0 1-7.5-7.5z",
    sliders: "M5 7.5h7M16 7.5h3M5 16.5h3M12 16.5h7M14 5.5v4M10 14.5v4",
    breath: "M4 9.5h9.5a2.5 2.5 0 1 0-2.4-3.2M4 13h13a2.6 2.6 0 1 1-2.5 3.4M4 16.5h6.5",
    plot: "M4.5 5v14.5h15M7.5 15.5l3.5-5 3 3 4.5-6.5",
    eye: "M3.5 12s3-5.5 8.5-5.5 8.5 5.5 8.5 5.5-3 5.5-8.5 5.5S3.5 12 3.5 12zM12 9.7a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.6z",
    inspect: "M10.5 4.5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM15 15l4.5 4.5",
    close: "M6.5 6.5l11 11M17.5 6.5l-11 11",
    camera: "M4.5 8h3l1.5-2.5h6L16.5 8h3v10.5h-15zM12 10.2a2.9 2.9 0 1 0 0 5.8 2.9 2.9 0 0 0 0-5.8z",
    video: "M4.5 7.5h10v9h-10zM14.5 11l5-2.5v7l-5-2.5",
    microphone: "M12 4a2.6 2.6 0 0 0-2.6 2.6v4.8a2.6 2.6 0 0 0 5.2 0V6.6A2.6 2.6 0 0 0 12 4zM6.5 11a5.5 5.5 0 0 0 11 0M12 16.5V20",
    fit: "M4.5 9V4.5H9M15 4.5h4.5V9M19.5 15v4.5H15M9 19.5H4.5V15",
    notes: "M5 6.5h14M5 12h14M5 17.5h8",
    home: "M10.5 6.5 5 12l5.5 5.5M5.5 12H19",
    file: "M7 4.5h6.5L17 8v11.5H7zM13 4.5V8.5h4",
} as const;

export type IconName = keyof typeof paths;

export function icon(name: IconName): SVGSVGElement {
    const space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("class", "icon");
    svg.setAttribute("aria-hidden", "true");
    const path = document.createElementNS(space, "path");
    path.setAttribute("d", paths[name]);
    svg.append(path);
    return svg;
}
