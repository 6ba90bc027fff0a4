import sharp, { type Metadata, type Sharp } from 'sharp';
import { TransformError } from './transform-error.ts';
import type { OutputFormat, Transformation } from './transform-query.ts';

/** In pixels, over all frames. */
const maxPixels = 50_000_000;
/** A still AVIF file is a HEIF file; `inspect` rejects other codecs in it. */
const allowedLoaders = ['Jpeg', 'Png', 'Webp', 'Heif', 'Nsgif'];

// libvips selects loaders by the bytes, not by the declared type. All others are blocked, because they are not hardened
// against hostile files.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: allowedLoaders.map((name) => `VipsForeignLoad${name}Buffer`) });
sharp.cache(false);
sharp.concurrency(1);

/** A rendered image. `type` is the media type; `width` and `height` are of one frame, in pixels. */
export type Rendered = { bytes: Buffer; type: string; width: number; height: number };

/**
 * Transforms a JPEG, PNG, WebP, AVIF or GIF. Applies the EXIF orientation, removes all metadata, and converts colours
 * to sRGB. Alpha is kept; JPEG gets a white background. An animated GIF or WebP stays animated as WebP; other formats
 * show the first frame.
 *
 * Never enlarges the picture. With both sides, `cover` crops to the requested size, or, if the source is smaller, to
 * the largest size with the requested proportions; `fill` stretches to the requested size, each side limited to the
 * source's; `inside` and `outside` keep a smaller source's size; `contain` always returns the requested size: a smaller
 * picture is centred unscaled on a transparent background, or white in JPEG. With one side, the other follows from the
 * proportions.
 *
 * @param timeoutSeconds - an integer of at least 1.
 * @throws TransformError with any reason except `busy`.
 */
export async function render(
  source: Uint8Array,
  transformation: Transformation,
  timeoutSeconds: number,
): Promise<Rendered> {
  try {
    const { sourceFormat, metadata } = await inspect(source);
    const format = transformation.format ?? sourceFormat;
    const isAnimated = format === 'webp' && animatedFormats.has(metadata.format);
    const frames = isAnimated ? (metadata.pages ?? 1) : 1;
    requirePixels(metadata.width, metadata.height, frames);
    const image = sharp(source, { ...inputOptions, animated: frames > 1 }).timeout({ seconds: timeoutSeconds });
    // Frames cannot be rotated; browsers do not rotate animations either.
    if (frames === 1) image.autoOrient();
    const whole = frames === 1 ? metadata.autoOrient : metadata;
    resize(
      image,
      transformation.fit === 'cover' ? { ...transformation, ...coverWithin(whole, transformation) } : transformation,
      format,
      frames,
    );
    correctColours(image, metadata);
    return await encode(image, format, transformation.quality);
  } catch (error) {
    throw error instanceof TransformError ? error : failureOf(error);
  }
}

/** `error` rejects truncated files, and accepts flaws that browsers tolerate. */
const inputOptions = { failOn: 'error', limitInputPixels: maxPixels } as const;

const formatOfLoader: Partial<Record<Metadata['format'], OutputFormat>> = {
  jpeg: 'jpeg',
  png: 'png',
  webp: 'webp',
  gif: 'webp',
};

/** Only these: the pages of an AVIF are separate pictures, not frames. */
const animatedFormats = new Set<Metadata['format']>(['gif', 'webp']);

type Inspected = { sourceFormat: OutputFormat; metadata: Metadata };

/** A cache, because several images are often created from one source. */
const inspected = new WeakMap<Uint8Array, Inspected>();

async function inspect(source: Uint8Array): Promise<Inspected> {
  const cached = inspected.get(source);
  if (cached) return cached;
  if (source.length === 0) throw new TransformError('unreadable', 'The source is empty.');
  const metadata = await sharp(source, inputOptions).metadata();
  const sourceFormat = metadata.compression === 'av1' ? 'avif' : formatOfLoader[metadata.format];
  if (!sourceFormat) {
    throw new TransformError('unreadable', `The source is ${metadata.format}, ${metadata.compression ?? ''}.`);
  }
  inspected.set(source, { sourceFormat, metadata });
  return { sourceFormat, metadata };
}

function requirePixels(width: number, height: number, frames: number): void {
  if (width * height * frames <= maxPixels) return;
  throw new TransformError('too-large', `The image has ${frames} × ${width} × ${height} pixels.`);
}

type Sides = Pick<Transformation, 'width' | 'height'>;

/** The requested sides, or the largest sides with the same proportions if the source is smaller. */
function coverWithin(source: { width: number; height: number }, { width, height }: Sides): Sides {
  if (width === null || height === null) return { width, height };
  const scale = Math.min(1, source.width / width, source.height / height);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

const white = { r: 255, g: 255, b: 255 };

function resize(image: Sharp, { width, height, fit }: Transformation, format: OutputFormat, frames: number): void {
  if (format === 'jpeg') image.flatten({ background: white });
  if (width === null && height === null) return;
  // Only `contain` can have more pixels than the source, in each frame.
  if (width !== null && height !== null && fit === 'contain') requirePixels(width, height, frames);
  const background = { ...white, alpha: format === 'jpeg' ? 1 : 0 };
  const sides = { ...(width !== null && { width }), ...(height !== null && { height }) };
  image.resize({ ...sides, fit, background, withoutEnlargement: true });
}

/** Sharp converts 16-bit colours with a profile to Display P3 and removes the profile; only this undoes that. */
function correctColours(image: Sharp, { space, hasProfile }: Metadata): void {
  if (space === 'rgb16' && hasProfile) image.withIccProfile('srgb', { attach: false });
}

/** The AVIF effort, from 0 to 9. The default, 4, takes up to twenty times as long for about the same size. */
const avifEffort = 2;

async function encode(image: Sharp, format: OutputFormat, quality: number): Promise<Rendered> {
  if (format === 'png') image.png();
  else if (format === 'avif') image.avif({ quality, effort: avifEffort });
  else image.toFormat(format, { quality });
  const { data, info } = await image.toBuffer({ resolveWithObject: true });
  return { bytes: data, type: `image/${format}`, width: info.width, height: info.pageHeight ?? info.height };
}

function failureOf(error: unknown): TransformError {
  const message = error instanceof Error ? error.message : String(error);
  const reason = reasons.find(([pattern]) => pattern.test(message))?.[1] ?? 'unreadable';
  return new TransformError(reason, message);
}

/** Reasons by message, because sharp and libvips have no error codes. Any other error concerns the source. */
const reasons = [
  [/^timeout:/m, 'too-slow'],
  [/exceeds pixel limit|too large for the|security limit/i, 'too-large'],
  [/out of memory|unable to allocate|memory allocation/i, 'failed'],
] as const;
