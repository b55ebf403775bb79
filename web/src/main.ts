// The start: the engine first, so that it gets ready while the page and three.js are still being read.

import { Connection, readConfig } from "./connection";
import "./style.css";

const page = import("./page");
const connection = new Connection(await readConfig());
connection.start();
const { Page } = await page;
connection.serve(new Page(connection));
