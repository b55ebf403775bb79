// The start: the engine first, so that it gets ready while the page and three.js are still being read.

import { Connection, engineKind } from "./connection";
import { decodeLink, firstScene, openCommand } from "./link";
import "uplot/dist/uPlot.min.css"; // of a script that comes late: a sheet of its own would keep the page waiting
import "./style.css";

const link = decodeLink(location.hash);
const connection = new Connection(engineKind());
await connection.start(link.text === undefined ? openCommand({ ...link, scene: link.scene ?? firstScene }) : null);
const { Page } = await import("./page");
connection.serve(new Page(connection));
