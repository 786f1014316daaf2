// What adapters have in common: they say at import if the framework's version was not tested.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

type Version = [major: number, minor: number];

/** Tested are versions from `first` and before `before`. */
export function saidIfUntested(name: string, first: Version, before: Version): void {
  const found = versionOf(name);
  const [major = 0, minor = 0] = found.split(".").map(Number);
  const isBefore = (version: Version) => major < version[0] || (major === version[0] && minor < version[1]);
  if (found && (isBefore(first) || !isBefore(before))) process.emitWarning(`agent-memory is not tested with ${name} ${found}`);
}

/** → the version of an installed package, or "". */
function versionOf(name: string): string {
  try {
    for (let folder = dirname(fileURLToPath(import.meta.resolve(name))); folder !== dirname(folder); folder = dirname(folder)) {
      try {
        const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { name?: string; version?: string };
        if (manifest.name === name) return manifest.version ?? "";
      } catch {
        // not the package's folder
      }
    }
  } catch {
    // not installed: the import of the framework says so
  }
  return "";
}
