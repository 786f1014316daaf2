// JSON in which a Date stays one: {"@date": milliseconds}. Objects that look so get a further @. Pure.

const LOOKS = /^@+date$/;

export function written(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(marked(value)));
}

export function read(content: Uint8Array): unknown {
  return JSON.parse(Buffer.from(content).toString(), (_, value: unknown) => {
    const [key, inner] = onlyEntry(value);
    if (!LOOKS.test(key)) return value;
    return key === "@date" ? new Date((inner as number | null) ?? Number.NaN) : { [key.slice(1)]: inner };
  });
}

function marked(value: unknown): unknown {
  if (value instanceof Date) return { "@date": value.getTime() };
  if (Array.isArray(value)) return value.map(marked);
  if (typeof value !== "object" || value === null || "toJSON" in value) return value;
  const [key, inner] = onlyEntry(value);
  if (LOOKS.test(key)) return { ["@" + key]: marked(inner) };
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, marked(each)]));
}

/** The entry of an object that has one. */
function onlyEntry(value: unknown): [string, unknown] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return ["", undefined];
  const entries = Object.entries(value);
  return (entries.length === 1 && entries[0]) || ["", undefined];
}
