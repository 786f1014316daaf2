// Bundles the console into dist/: a script, a style and an icon with a hash of their bytes in the name, the page that
// names them, and the licences of what is inside. --check: changes nothing, exit 1 if dist/ differs.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const INSIDE = ["preact", "@preact/signals", "@preact/signals-core", "htm", "diff"];
const MOST_GZIP_BYTES = 60 << 10;
const here = (path) => new URL(path, import.meta.url);
const dist = here("dist/");

async function bundle(entry) {
  const made = await build({
    entryPoints: [here(entry).pathname], bundle: true, minify: true, write: false, format: "esm", target: "es2022",
    charset: "utf8", legalComments: "none", logLevel: "warning",
  });
  return Buffer.from(made.outputFiles[0].contents);
}

function licences() {
  return INSIDE.map((name) => {
    const { version, license } = JSON.parse(readFileSync(here(`node_modules/${name}/package.json`)));
    return `${name} ${version} (${license})\n\n${readFileSync(here(`node_modules/${name}/LICENSE`), "utf8").trim()}\n`;
  }).join(`\n${"-".repeat(80)}\n\n`);
}

const files = new Map();
function add(stem, ending, bytes) {
  const name = `${stem}.${createHash("sha256").update(bytes).digest("hex").slice(0, 12)}.${ending}`;
  files.set(name, bytes);
  return name;
}
const names = {
  SCRIPT: add("app", "js", await bundle("src/main.js")),
  STYLE: add("app", "css", await bundle("src/style.css")),
  ICON: add("icon", "svg", readFileSync(here("src/icon.svg"))),
  LICENCES: add("licences", "txt", Buffer.from(licences())),
};
const page = readFileSync(here("src/index.html"), "utf8").replace(/\$(\w+)/g, (_, key) => names[key]);
files.set("index.html", Buffer.from(page));

const gzipped = [...files.values()].reduce((sum, bytes) => sum + gzipSync(bytes, { level: 9 }).length, 0);
console.log(`${files.size} files, ${gzipped} bytes gzipped, the limit is ${MOST_GZIP_BYTES}`);
if (gzipped > MOST_GZIP_BYTES) process.exit(1);
if (process.argv.includes("--check")) {
  const there = readdirSync(dist).sort().join();
  const same = there === [...files.keys()].sort().join() &&
    [...files].every(([name, bytes]) => bytes.equals(readFileSync(new URL(name, dist))));
  if (!same) console.log("dist/ is not what the sources make: run node build.mjs");
  process.exit(same ? 0 : 1);
}
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
for (const [name, bytes] of files) writeFileSync(new URL(name, dist), bytes);
