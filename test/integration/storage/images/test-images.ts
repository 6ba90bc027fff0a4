import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

export type Colour = { r: number; g: number; b: number; alpha?: number };

export const red = { r: 255, g: 0, b: 0 };
export const green = { r: 0, g: 255, b: 0 };
export const blue = { r: 0, g: 0, b: 255 };
export const white = { r: 255, g: 255, b: 255 };

export function solid(width: number, height: number, background: Colour): Sharp {
  const channels = background.alpha === undefined ? 3 : 4;
  return sharp({ create: { width, height, channels, background } });
}

/** Noise, whose bytes cannot be compressed much. */
export function noise(width: number, height: number): Sharp {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  return sharp({ create: { width, height, channels: 3, background: white, noise } });
}

/** Four quarters: red and green above, blue and white below. */
export async function quarters(width: number, height: number): Promise<Sharp> {
  const quarter = (colour: Colour) =>
    solid(width / 2, height / 2, colour)
      .png()
      .toBuffer();
  const [topRight, bottomLeft, bottomRight] = await Promise.all([green, blue, white].map(quarter));
  const whole = solid(width, height, red).composite([
    { input: topRight!, left: width / 2, top: 0 },
    { input: bottomLeft!, left: 0, top: height / 2 },
    { input: bottomRight!, left: width / 2, top: height / 2 },
  ]);
  return sharp(await whole.png().toBuffer());
}

/** A disc of opaque green in the middle of transparent pixels. */
export function disc(side: number): Promise<Buffer> {
  const svg = `<svg width="${side}" height="${side}"><circle cx="50%" cy="50%" r="40%" fill="#0f0"/></svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
}

/** Red, green and blue, one after the other. */
export async function animation(format: 'gif' | 'webp', width = 40, height = 20): Promise<Buffer> {
  const colours = [red, green, blue].map((colour) => ({ ...colour, alpha: 1 }));
  const frames = await Promise.all(colours.map((colour) => solid(width, height, colour).png().toBuffer()));
  const timing = { delay: [100, 200, 300], loop: 2 };
  const joined = sharp(frames, { join: { animated: true } });
  return await (format === 'gif' ? joined.gif(timing) : joined.webp({ ...timing, lossless: true })).toBuffer();
}

export type Pixel = [number, number, number, number];

/** The pixels of the first frame as they are in the file, with alpha. Profiles and orientation are ignored. */
export async function pixelsOf(bytes: Buffer): Promise<{ at: (x: number, y: number) => Pixel; corners: Pixel[] }> {
  const image = sharp(bytes, { ignoreIcc: true }).ensureAlpha().raw();
  const { data, info } = await image.toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number): Pixel => {
    const [r = 0, g = 0, b = 0, alpha = 0] = data.subarray((y * info.width + x) * 4);
    return [r, g, b, alpha];
  };
  const [right, bottom] = [info.width - 1, info.height - 1];
  return { at, corners: [at(0, 0), at(right, 0), at(0, bottom), at(right, bottom)] };
}

/** The name of the colour nearest to a pixel. */
export function nameOf([r, g, b]: Pixel): string {
  const distance = (colour: Colour) => Math.hypot(colour.r - r, colour.g - g, colour.b - b);
  const named = Object.entries({ red, green, blue, white });
  return named.sort(([, one], [, other]) => distance(one) - distance(other))[0]![0];
}

/** A PNG of one bit a pixel that says to be this large, and has a few bytes. */
export function pngOfSize(width: number, height: number): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const around = Buffer.alloc(8);
    around.writeUInt32BE(data.length, 0);
    around.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([around.subarray(0, 4), body, around.subarray(4)]);
  };
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const data = deflateSync(Buffer.alloc(1000));
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

/** A GIF of that many frames, in which each changes one pixel: large when it is decoded, a few bytes a frame before. */
export function gifOfFrames(frames: number, width: number, height: number): Buffer {
  const screen = Buffer.from([0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]);
  screen.writeUInt16LE(width, 0);
  screen.writeUInt16LE(height, 2);
  const control = [0x21, 0xf9, 4, 0, 10, 0, 0, 0];
  const frame = Buffer.from([...control, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]);
  const all = Array.from({ length: frames }, () => frame);
  return Buffer.concat([Buffer.from('GIF89a'), screen, ...all, Buffer.from([0x3b])]);
}
