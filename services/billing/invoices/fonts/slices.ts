import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** A file of a font family, and the code point ranges that it covers. */
export type Slice = { family: string; file: string; ranges: [from: number, to: number][] };

/**
 * The font families in lookup order: the first covers most of Europe and Devanagari, each of the others one script. Han
 * fonts come last; their order depends on the text.
 */
const families = [
  'noto-sans',
  'noto-sans-arabic',
  'noto-sans-hebrew',
  'noto-sans-thai',
  'noto-sans-armenian',
  'noto-sans-bengali',
  'noto-sans-ethiopic',
  'noto-sans-georgian',
  'noto-sans-gujarati',
  'noto-sans-gurmukhi',
  'noto-sans-kannada',
  'noto-sans-khmer',
  'noto-sans-lao',
  'noto-sans-malayalam',
  'noto-sans-myanmar',
  'noto-sans-sinhala',
  'noto-sans-tamil',
  'noto-sans-telugu',
];
const chinese = ['noto-sans-sc', 'noto-sans-tc'];
const japanese = 'noto-sans-jp';
const korean = 'noto-sans-kr';

const { resolve } = createRequire(import.meta.url);
const slicesByFamily = new Map<string, Slice[]>();

/**
 * The slices for a character, best first; `text` is its context. Only the file says whether a slice has the character.
 */
export function slicesFor(codePoint: number, text: string): Slice[] {
  return [...families, ...hanFamilies(text)].flatMap((family) =>
    slicesOf(family).filter(({ ranges }) => ranges.some(([from, to]) => codePoint >= from && codePoint <= to)),
  );
}

/**
 * Chinese, Japanese and Korean share characters and write some of them differently; other letters indicate the
 * language.
 */
function hanFamilies(text: string): string[] {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return [japanese, ...chinese, korean];
  if (/\p{Script=Hangul}/u.test(text)) return [korean, japanese, ...chinese];
  return [...chinese, japanese, korean];
}

function slicesOf(family: string): Slice[] {
  const slices = slicesByFamily.get(family) ?? readSlices(family);
  slicesByFamily.set(family, slices);
  return slices;
}

function readSlices(family: string): Slice[] {
  const index = readFileSync(resolve(`@fontsource-variable/${family}/unicode.json`), 'utf8');
  return Object.entries(JSON.parse(index) as Record<string, string>).map(([name, ranges]) => {
    const file = `@fontsource-variable/${family}/files/${family}-${name.replace(/[[\]]/g, '')}-wght-normal.woff2`;
    return { family, file, ranges: ranges.split(',').map(parseRange) };
  });
}

/** `U+0E01-0E5B` or `U+25CC`, as a style sheet's `unicode-range` has it. */
function parseRange(range: string): [number, number] {
  const [from = '', to = from] = range.replace(/^U\+/i, '').split('-');
  return [Number.parseInt(from, 16), Number.parseInt(to, 16)];
}

/** The bytes of a slice's file, WOFF2. */
export function readSlice({ file }: Slice): Buffer {
  return readFileSync(resolve(file));
}
