// Writes src/operations.js from the OpenAPI document of the server: a constant for each route, so that a call of a route
// that is no more does not build, and a parameter that a route does not have is refused. --check: exit 1 if it differs.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const folder = process.env.AGENT_MEMORY_BIN ?? new URL("../build/release/bin", import.meta.url).pathname;
const document = JSON.parse(execFileSync(`${folder}/agent-memory-server`, ["openapi"], { maxBuffer: 64 << 20 }));
const target = new URL("src/operations.js", import.meta.url);

const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
const lines = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, parameters = [] }]) => {
    const query = parameters.filter((one) => one.in === "query").map((one) => one.name);
    const name = operationId === "import" || operationId === "export" ? `${operationId}All` : camel(operationId);
    return `export const ${name} = ${JSON.stringify([method.toUpperCase(), path, query])};`;
  })).sort();
const text = `// The routes of the API: method, path, parameters of the query. Written by generate.mjs: do not edit.\n${lines.join("\n")}\n`;
if (process.argv.includes("--check")) {
  const same = readFileSync(target, "utf8") === text;
  console.log(same ? `${lines.length} routes, as the server has them` : "src/operations.js is not what the server says: run node generate.mjs");
  process.exit(same ? 0 : 1);
}
writeFileSync(target, text);
