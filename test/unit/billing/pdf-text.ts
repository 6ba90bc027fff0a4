import { inflateSync } from 'node:zlib';

type Objects = Map<number, { dictionary: string; stream: string }>;

/**
 * What a PDF file of ours says to programs: the text of each run in the order in which it is drawn, by the `ToUnicode`
 * of its font, or the `ActualText` it is marked with. What is written from right to left comes in the order of its
 * glyphs, the last first.
 */
export function textsOf(file: Buffer): string[] {
  const objects = objectsOf(file);
  const pages = [...objects.values()].filter(({ dictionary }) => /\/Type \/Page\b(?!s)/.test(dictionary));
  return pages.flatMap(({ dictionary }) => {
    const fonts = fontsOf(objects, dictionary);
    const content = objects.get(reference(dictionary, 'Contents'))!;
    return runsOf(content.stream, fonts);
  });
}

/** How many pages a PDF file has. */
export function pageCount(file: Buffer): number {
  return [...objectsOf(file).values()].filter(({ dictionary }) => /\/Type \/Page\b(?!s)/.test(dictionary)).length;
}

function objectsOf(file: Buffer): Objects {
  const objects: Objects = new Map();
  const text = file.toString('latin1');
  for (const match of text.matchAll(/(\d+) 0 obj\n([\s\S]*?)\nendobj/g)) {
    const [, number, body] = match as unknown as [string, string, string];
    const [dictionary = '', stream] = body.split('\nstream\n');
    const bytes = Buffer.from((stream ?? '').replace(/\nendstream$/, ''), 'latin1');
    const plain = dictionary.includes('/FlateDecode') ? inflateSync(bytes) : bytes;
    objects.set(Number(number), { dictionary, stream: plain.toString('latin1') });
  }
  return objects;
}

function reference(dictionary: string, name: string): number {
  return Number(dictionary.match(new RegExp(`/${name} (\\d+) 0 R`))?.[1]);
}

/** By a font's name on the page, what its two-byte codes mean. */
function fontsOf(objects: Objects, page: string): Map<string, Map<string, string>> {
  const resources = objects.get(reference(page, 'Resources'))?.dictionary ?? page;
  return new Map(
    [...resources.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name, number]) => {
      const font = objects.get(Number(number))!;
      const map = objects.get(reference(font.dictionary, 'ToUnicode'))!;
      return [name!, meaningsOf(map.stream)];
    }),
  );
}

function meaningsOf(map: string): Map<string, string> {
  const meanings = new Map<string, string>();
  for (const [, from, list] of map.matchAll(/<([0-9a-f]+)> <[0-9a-f]+> \[([^\]]*)\]/g)) {
    const start = Number.parseInt(from!, 16);
    for (const [place, entry] of [...list!.matchAll(/<([0-9a-f ]*)>/g)].entries()) {
      const units = entry[1]!.split(' ').filter(Boolean);
      const text = String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16)));
      meanings.set((start + place).toString(16).padStart(4, '0'), text);
    }
  }
  return meanings;
}

function runsOf(content: string, fonts: Map<string, Map<string, string>>): string[] {
  const found: string[] = [];
  let font = new Map<string, string>();
  let marked: string | null = null;
  const tokens = /\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ|\/ActualText \(((?:\\.|[^\\)])*)\)|(EMC)/gs;
  for (const [, name, glyphs, actual, end] of content.matchAll(tokens)) {
    if (name) font = fonts.get(name)!;
    if (actual !== undefined) marked = decodeText(actual);
    if (glyphs !== undefined && marked === null) found.push(decodeGlyphs(glyphs, font));
    if (end && marked !== null) {
      found.push(marked);
      marked = null;
    }
  }
  return found;
}

function decodeGlyphs(glyphs: string, font: Map<string, string>): string {
  const codes = [...glyphs.matchAll(/<([0-9a-f]*)>/g)].map(([, hex]) => hex).join('');
  return (codes.match(/.{4}/g) ?? []).map((code) => font.get(code) ?? '\ufffd').join('');
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

function decodeText(literal: string): string {
  const bytes = literal.replace(/\\(.)/gs, (_, escaped: string) => escapes[escaped] ?? escaped);
  if (!bytes.startsWith('\xfe\xff')) return bytes;
  return Buffer.from(bytes.slice(2), 'latin1').swap16().toString('utf16le');
}
