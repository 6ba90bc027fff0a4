import { z } from 'zod';
import { integerIn } from '../../../lib/contract/json-schema.ts';

export const fits = ['cover', 'contain', 'fill', 'inside', 'outside'] as const;
export type Fit = (typeof fits)[number];

export const outputFormats = ['webp', 'avif', 'jpeg', 'png'] as const;
export type OutputFormat = (typeof outputFormats)[number];

const maxSide = 4096;
const defaultQuality = 80;
/**
 * Part of each key. Increment it when an equal query produces a different image, so that old derivatives are not used.
 */
const revision = 2;

/** Aborts the validation, so that one mistake has one message. */
const refusal = (error: string) => ({ error, abort: true });
const sideRefusal = refusal(`Must be a whole number from 1 to ${maxSide}.`);
const side = z
  .string()
  .regex(/^[1-9]\d{0,3}$/, sideRefusal)
  .meta(integerIn(1, maxSide))
  .transform(Number)
  .refine((pixels) => pixels <= maxSide, sideRefusal);

/**
 * The query parameters of a transformation, all optional: `w` and `h` in pixels, multiplied by `dpr` (1 to 3, at most
 * two decimals); `fit` (default cover); `q`, the quality from 1 to 100 (default 80); `f`, the format. A schema with
 * these also needs {@link rejectLargeSides}.
 */
export const transformQuery = {
  w: side.optional().describe('The width in pixels, 1 to 4,096 after multiplication by `dpr`.'),
  h: side.optional().describe('The height in pixels, 1 to 4,096 after multiplication by `dpr`.'),
  fit: z.enum(fits).optional().describe('How the image fills width and height; by default `cover`.'),
  q: z
    .string()
    .regex(/^(?:[1-9]\d?|100)$/, refusal('Must be a whole number from 1 to 100.'))
    .meta({ ...integerIn(1, 100), default: defaultQuality })
    .transform(Number)
    .optional()
    .describe('The quality of JPEG, WebP and AVIF.'),
  f: z
    .enum([...outputFormats, 'auto'])
    .optional()
    .describe(
      'The format; `auto` chooses by the Accept header. By default the format of the object; a GIF becomes WebP.',
    ),
  dpr: z
    .string()
    .regex(/^(?:[12](?:\.\d{1,2})?|3(?:\.00?)?)$/, refusal('Must be a number from 1 to 3 with at most two decimals.'))
    .meta({ type: 'number', minimum: 1, maximum: 3, multipleOf: 0.01, default: 1 })
    .transform(Number)
    .optional()
    .describe('The device pixel ratio, which multiplies width and height.'),
};

export type TransformQuery = z.output<z.ZodObject<typeof transformQuery>>;

/** For `superRefine`: rejects a side larger than 4096 pixels after `dpr`. */
export function rejectLargeSides(query: TransformQuery, issues: z.RefinementCtx): void {
  for (const name of ['w', 'h'] as const) {
    const pixels = timesDpr(query[name], query.dpr);
    if (pixels === null || pixels <= maxSide) continue;
    issues.addIssue({
      code: 'custom',
      path: [name],
      message: `Must be at most ${maxSide} pixels after multiplication by dpr.`,
    });
  }
}

/** The names of the transformation parameters in a query. */
export function transformParameters(query: Record<string, unknown>): string[] {
  return Object.keys(transformQuery).filter((name) => query[name] !== undefined);
}

/** Whether a query has at least one transformation parameter. */
export function asksForTransform(query: Record<string, unknown>): boolean {
  return transformParameters(query).length > 0;
}

/**
 * For `superRefine` of a loose object: rejects unknown parameters next to transformation parameters, because one may be
 * misspelled. Without those, unknown parameters are ignored: other sites add theirs to links, such as `fbclid` and
 * `utm_source`.
 *
 * @param known the allowed parameters in addition to the transformation parameters.
 */
export function rejectUnknownBeside(...known: string[]) {
  return (query: Record<string, unknown>, issues: z.RefinementCtx): void => {
    if (!asksForTransform(query)) return;
    const keys = Object.keys(query).filter((name) => !(Object.hasOwn(transformQuery, name) || known.includes(name)));
    if (keys.length > 0) issues.addIssue({ code: 'unrecognized_keys', keys, input: query });
  };
}

/** Whether the response depends on the Accept header, and so needs `Vary: Accept`. */
export function variesByAccept(query: TransformQuery): boolean {
  return query.f === 'auto';
}

/**
 * A transformation with all defaults applied. Sides are in pixels; a null side follows from the other side or the
 * source.
 */
export type Transformation = {
  width: number | null;
  height: number | null;
  fit: Fit;
  /** From 1 to 100; ignored for PNG. */
  quality: number;
  /** Null if the source type is unknown: the source decides. */
  format: OutputFormat | null;
};

/** `key` is equal for queries with equal results. It consists of lower-case letters, digits and underscores. */
export type CanonicalTransformation = Transformation & { key: string };

/**
 * The canonical form of a query. Parameters without effect get their defaults: `fit` without both sides, `q` for PNG.
 *
 * @param accept - the Accept header, used only by `f=auto`.
 * @param sourceType - the media type of the source's bytes.
 */
export function canonical(
  query: TransformQuery,
  accept: string | undefined,
  sourceType: string,
): CanonicalTransformation {
  const width = timesDpr(query.w, query.dpr);
  const height = timesDpr(query.h, query.dpr);
  const fit = width !== null && height !== null ? (query.fit ?? 'cover') : 'cover';
  const format = chooseFormat(query.f, accept, sourceType);
  const quality = format === 'png' ? defaultQuality : (query.q ?? defaultQuality);
  const key = `r${revision}_${width ?? 0}x${height ?? 0}_${fit}_${quality}_${format ?? 'source'}`;
  return { width, height, fit, quality, format, key };
}

/** Calculated in hundredths, because 1.15 has no exact binary fraction. */
function timesDpr(pixels: number | undefined, dpr = 1): number | null {
  return pixels === undefined ? null : Math.round((pixels * Math.round(dpr * 100)) / 100);
}

/** GIF becomes WebP, which supports animation too. */
const formatOfType = new Map<string, OutputFormat>([
  ['image/jpeg', 'jpeg'],
  ['image/png', 'png'],
  ['image/webp', 'webp'],
  ['image/avif', 'avif'],
  ['image/gif', 'webp'],
]);

/** Whether images of a media type can be transformed. */
export const isTransformable = (mimeType: string): boolean => formatOfType.has(mimeType);

/** Types that may be animated; as AVIF they would lose all frames but the first. */
const animatedTypes = new Set(['image/gif', 'image/webp']);

function chooseFormat(
  requestedFormat: TransformQuery['f'],
  accept: string | undefined,
  sourceType: string,
): OutputFormat | null {
  if (requestedFormat !== undefined && requestedFormat !== 'auto') return requestedFormat;
  const formatOfSource = formatOfType.get(sourceType) ?? null;
  if (requestedFormat === undefined) return formatOfSource;
  const accepted = acceptedTypes(accept ?? '');
  const preferred = animatedTypes.has(sourceType) ? (['webp', 'avif'] as const) : (['avif', 'webp'] as const);
  return preferred.find((format) => accepted.has(`image/${format}`)) ?? formatOfSource;
}

/**
 * The media types in an Accept header, except those with `q=0`. Wildcards do not count: browsers without AVIF and WebP
 * support send them too.
 */
function acceptedTypes(accept: string): Set<string> {
  const accepted = new Set<string>();
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const isRefused = parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter));
    if (!isRefused) accepted.add(type);
  }
  return accepted;
}
