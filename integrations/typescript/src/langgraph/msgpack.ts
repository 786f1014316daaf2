// MessagePack of records: null, booleans, numbers, strings, bytes, arrays and objects. Pure.

export type Packable = null | undefined | boolean | number | string | Uint8Array | Packable[] | { [name: string]: Packable };

const TEXT = new TextEncoder();

export function pack(value: Packable): Uint8Array {
  const parts: Uint8Array[] = [];
  write(value, parts);
  return Buffer.concat(parts);
}

/** A head: a byte, and a number of `bytes` bytes. */
function head(byte: number, value = 0, bytes = 0): Uint8Array {
  const buffer = Buffer.alloc(1 + bytes);
  buffer[0] = byte;
  if (bytes === 8) buffer.writeBigInt64BE(BigInt(value), 1);
  else if (bytes) buffer.writeUIntBE(value, 1, bytes);
  return buffer;
}

/** A length: in the first byte if it is below `few`, else with 8 (of `first`, if there is one), 16 or 32 bits. */
function length(count: number, few: number, small: number, first: number, eight: boolean): Uint8Array {
  if (count < few) return head(small + count);
  if (eight && count < 0x100) return head(first, count, 1);
  const wide = first + (eight ? 1 : 0);
  return count < 0x10000 ? head(wide, count, 2) : head(wide + 1, count, 4);
}

function write(value: Packable, parts: Uint8Array[]): void {
  if (value === null || value === undefined) parts.push(head(0xc0));
  else if (typeof value === "boolean") parts.push(head(value ? 0xc3 : 0xc2));
  else if (typeof value === "number") parts.push(number(value));
  else if (typeof value === "string") {
    const bytes = TEXT.encode(value);
    parts.push(length(bytes.length, 32, 0xa0, 0xd9, true), bytes);
  } else if (value instanceof Uint8Array) parts.push(length(value.length, 0, 0, 0xc4, true), value);
  else if (Array.isArray(value)) {
    parts.push(length(value.length, 16, 0x90, 0xdc, false));
    for (const one of value) write(one, parts);
  } else {
    const pairs = Object.entries(value);
    parts.push(length(pairs.length, 16, 0x80, 0xde, false));
    for (const [name, one] of pairs) {
      write(name, parts);
      write(one, parts);
    }
  }
}

function number(value: number): Uint8Array {
  if (!Number.isSafeInteger(value)) {
    const buffer = Buffer.alloc(9);
    buffer[0] = 0xcb;
    buffer.writeDoubleBE(value, 1);
    return buffer;
  }
  if (value >= 0) {
    if (value < 0x80) return head(value);
    return value < 0x100 ? head(0xcc, value, 1) : value < 0x10000 ? head(0xcd, value, 2) : value < 2 ** 32 ? head(0xce, value, 4) : head(0xcf, value, 8);
  }
  if (value >= -32) return head(0x100 + value);
  return value >= -0x80 ? head(0xd0, value & 0xff, 1) : value >= -0x8000 ? head(0xd1, value & 0xffff, 2)
    : value >= -(2 ** 31) ? head(0xd2, value >>> 0, 4) : head(0xd3, value, 8);
}

/** Throws RangeError for what ends too early, TypeError for what pack does not write. */
export function unpack(bytes: Uint8Array): Packable {
  return new Reader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).value();
}

class Reader {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  private uint(bytes: number): number {
    this.at += bytes;
    return bytes === 8 ? Number(this.bytes.readBigUInt64BE(this.at - 8)) : this.bytes.readUIntBE(this.at - bytes, bytes);
  }

  private int(bytes: number): number {
    this.at += bytes;
    return bytes === 8 ? Number(this.bytes.readBigInt64BE(this.at - 8)) : this.bytes.readIntBE(this.at - bytes, bytes);
  }

  private double(bytes: number): number {
    this.at += bytes;
    return bytes === 4 ? this.bytes.readFloatBE(this.at - 4) : this.bytes.readDoubleBE(this.at - 8);
  }

  private slice(count: number): Buffer {
    if (this.at + count > this.bytes.length) throw new RangeError("a record ends too early");
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }

  private array(count: number): Packable[] {
    return Array.from({ length: count }, () => this.value());
  }

  private object(count: number): Packable {
    return Object.fromEntries(Array.from({ length: count }, () => [String(this.value()), this.value()]));
  }

  value(): Packable {
    const byte = this.uint(1);
    if (byte < 0x80) return byte;
    if (byte < 0x90) return this.object(byte & 0x0f);
    if (byte < 0xa0) return this.array(byte & 0x0f);
    if (byte < 0xc0) return this.slice(byte & 0x1f).toString();
    if (byte >= 0xe0) return byte - 0x100;
    if (byte === 0xc0) return null;
    if (byte === 0xc2 || byte === 0xc3) return byte === 0xc3;
    if (byte >= 0xc4 && byte <= 0xc6) return this.slice(this.uint(1 << (byte - 0xc4)));
    if (byte === 0xca || byte === 0xcb) return this.double(byte === 0xca ? 4 : 8);
    if (byte >= 0xcc && byte <= 0xcf) return this.uint(1 << (byte - 0xcc));
    if (byte >= 0xd0 && byte <= 0xd3) return this.int(1 << (byte - 0xd0));
    if (byte >= 0xd9 && byte <= 0xdb) return this.slice(this.uint(1 << (byte - 0xd9))).toString();
    if (byte === 0xdc || byte === 0xdd) return this.array(this.uint(byte === 0xdc ? 2 : 4));
    if (byte === 0xde || byte === 0xdf) return this.object(this.uint(byte === 0xde ? 2 : 4));
    throw new TypeError(`a record has an unknown byte ${byte}`);
  }
}
