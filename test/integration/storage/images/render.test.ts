import { Readable } from 'node:stream';
import { afterAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { type Fit, fits, type Transformation } from '../../../../services/storage/images/transform-query.ts';
import { createTransformer, type Transformed } from '../../../../services/storage/images/transformer.ts';
import {
  animation,
  type Colour,
  disc,
  gifOfFrames,
  nameOf,
  noise,
  type Pixel,
  pixelsOf,
  pngOfSize,
  quarters,
  solid,
  white,
} from './test-images.ts';

const transformer = createTransformer({ processes: 2, maxWaiting: 1000, timeoutMilliseconds: 25_000 });
afterAll(transformer.close);

function transform(source: Buffer, wanted: Partial<Transformation> = {}): Promise<Transformed> {
  const defaults = { width: null, height: null, fit: 'cover', quality: 80, format: null } as const;
  return transformer.transform(async () => Readable.from([source]), { ...defaults, ...wanted });
}

const sizeOf = ({ width, height }: { width: number; height: number }) => `${width}x${height}`;

/** Whether each part of a colour is near, as it is after a lossy format. */
function expectNear([r, g, b]: Pixel, colour: Colour, tolerance = 8): void {
  const distances = [r - colour.r, g - colour.g, b - colour.b].map(Math.abs);
  expect({ r, g, b, isNear: Math.max(...distances) <= tolerance }).toEqual({ r, g, b, isNear: true });
}

describe('the format of the result', () => {
  const sources = {
    jpeg: () => solid(40, 20, white).jpeg(),
    png: () => solid(40, 20, white).png(),
    webp: () => solid(40, 20, white).webp(),
    avif: () => solid(40, 20, white).avif(),
    gif: () => solid(40, 20, white).gif(),
  };

  test.each(Object.entries(sources))('is any of the four for a source that is %s', async (_name, make) => {
    const source = await make().toBuffer();
    for (const format of ['webp', 'avif', 'jpeg', 'png'] as const) {
      const { bytes, type, ...size } = await transform(source, { format, width: 10 });
      const metadata = await sharp(bytes).metadata();
      expect([type, metadata.mediaType, sizeOf(size), sizeOf(metadata)]).toEqual([
        `image/${format}`,
        `image/${format}`,
        '10x5',
        '10x5',
      ]);
    }
  });

  test.each(Object.entries(sources))('is that of the source when none is wanted: %s', async (name, make) => {
    const { type } = await transform(await make().toBuffer());
    expect(type).toBe(name === 'gif' ? 'image/webp' : `image/${name}`);
  });

  test.each(['webp', 'avif', 'jpeg'] as const)('has fewer bytes in a lower quality: %s', async (format) => {
    const source = await noise(100, 100).png().toBuffer();
    const [low, high] = await Promise.all([10, 90].map((quality) => transform(source, { format, quality })));
    expect(low!.bytes.length).toBeLessThan(high!.bytes.length / 2);
  });
});

describe('the size of the result', () => {
  const rows: [Fit, wanted: string, source: string, result: string][] = [
    ['cover', '50x50', '100x60', '50x50'],
    ['contain', '50x50', '100x60', '50x50'],
    ['fill', '50x50', '100x60', '50x50'],
    ['inside', '50x50', '100x60', '50x30'],
    ['outside', '50x50', '100x60', '83x50'],
    // One side of the source is smaller.
    ['cover', '200x30', '100x60', '100x15'],
    ['cover', '30x200', '100x60', '9x60'],
    ['cover', '4096x1', '100x60', '100x1'],
    ['contain', '200x30', '100x60', '200x30'],
    ['fill', '200x30', '100x60', '100x30'],
    ['inside', '200x30', '100x60', '50x30'],
    ['outside', '200x30', '100x60', '100x60'],
    // Both are.
    ['cover', '300x200', '100x60', '90x60'],
    ['cover', '200x200', '100x60', '60x60'],
    ['contain', '300x200', '100x60', '300x200'],
    ['fill', '300x200', '100x60', '100x60'],
    ['inside', '300x200', '100x60', '100x60'],
    ['outside', '300x200', '100x60', '100x60'],
  ];

  test.each(rows)('with %s, %s wanted of %s is %s', async (fit, wanted, source, result) => {
    const [width, height] = wanted.split('x').map(Number) as [number, number];
    const [sourceWidth, sourceHeight] = source.split('x').map(Number) as [number, number];
    const bytes = await solid(sourceWidth, sourceHeight, white).png().toBuffer();
    const transformed = await transform(bytes, { fit, width, height });
    expect([sizeOf(transformed), sizeOf(await sharp(transformed.bytes).metadata())]).toEqual([result, result]);
  });

  test.each([
    [{ width: 50 }, '50x30'],
    [{ height: 30 }, '50x30'],
    [{ width: 4096 }, '100x60'],
    [{ height: 4096 }, '100x60'],
    [{}, '100x60'],
  ])('with %j keeps the proportions of 100x60: %s', async (sides, result) => {
    const source = await solid(100, 60, white).jpeg().toBuffer();
    expect(sizeOf(await transform(source, sides))).toBe(result);
  });

  test('with contain leaves a smaller picture as it is, in the middle of nothing or, in JPEG, of white', async () => {
    const source = await solid(20, 20, { r: 0, g: 0, b: 255 }).png().toBuffer();
    const wanted = { fit: 'contain', width: 60, height: 40 } as const;
    const [png, jpeg] = await Promise.all(
      (['png', 'jpeg'] as const).map((format) => transform(source, { ...wanted, format })),
    );
    const [inPng, inJpeg] = await Promise.all([pixelsOf(png!.bytes), pixelsOf(jpeg!.bytes)]);
    expect(inPng.corners.map(([, , , alpha]) => alpha)).toEqual([0, 0, 0, 0]);
    expect([inPng.at(20, 10), inPng.at(39, 29)]).toEqual([
      [0, 0, 255, 255],
      [0, 0, 255, 255],
    ]);
    expect([inPng.at(19, 20)[3], inPng.at(40, 20)[3]]).toEqual([0, 0]);
    for (const corner of inJpeg.corners) expectNear(corner, white);
  });
});

describe('the orientation', () => {
  // In the order top left, top right, bottom left, bottom right, as a viewer shows it.
  const shown: [number, string][] = [
    [1, 'red green blue white'],
    [2, 'green red white blue'],
    [3, 'white blue green red'],
    [4, 'blue white red green'],
    [5, 'red blue green white'],
    [6, 'blue red white green'],
    [7, 'white green blue red'],
    [8, 'green white red blue'],
  ];

  test.each(shown)('%i of a JPEG is applied, and removed: %s', async (orientation, colours) => {
    const source = await (await quarters(80, 40)).withMetadata({ orientation }).jpeg().toBuffer();
    expect((await sharp(source).metadata()).orientation).toBe(orientation);
    const isTurned = orientation >= 5;
    const { bytes, ...size } = await transform(source, { width: isTurned ? 20 : 40 });
    expect(sizeOf(size)).toBe(isTurned ? '20x40' : '40x20');
    expect((await pixelsOf(bytes)).corners.map(nameOf).join(' ')).toBe(colours);
    expect((await sharp(bytes).metadata()).orientation).toBeUndefined();
  });

  test('is applied before the picture is cropped', async () => {
    const source = await (await quarters(80, 40)).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const { bytes, ...size } = await transform(source, { width: 40, height: 20 });
    expect(sizeOf(size)).toBe('40x20');
    expect((await pixelsOf(bytes)).corners.map(nameOf).join(' ')).toBe('blue red white green');
  });

  test('counts for the size of a crop that is larger than the picture', async () => {
    const source = await (await quarters(80, 40)).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    expect(sizeOf(await transform(source, { width: 100, height: 200 }))).toBe('40x80');
    expect(sizeOf(await transform(source, { width: 400, height: 200 }))).toBe('40x20');
  });

  test('of an animation is not applied', async () => {
    const source = await sharp(await animation('webp'), { animated: true })
      .withMetadata({ orientation: 6 })
      .webp()
      .toBuffer();
    expect((await sharp(source).metadata()).orientation).toBe(6);
    expect(sizeOf(await transform(source, { width: 20 }))).toBe('20x10');
    expect(sizeOf(await transform(source, { width: 200, height: 200 }))).toBe('20x20');
  });
});

describe('metadata', () => {
  test.each(['webp', 'avif', 'jpeg', 'png'] as const)('such as a place or a title is not in a %s', async (format) => {
    const source = await solid(40, 20, white)
      .withExif({
        IFD0: { Artist: 'Ada Lovelace' },
        IFD3: {
          GPSLatitudeRef: 'N',
          GPSLatitude: '52/1 31/1 0/1',
          GPSLongitudeRef: 'E',
          GPSLongitude: '13/1 24/1 0/1',
        },
      })
      .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF/></x:xmpmeta>')
      .withIccProfile('p3')
      .jpeg()
      .toBuffer();
    const before = await sharp(source).metadata();
    expect([before.exif, before.xmp, before.icc].every(Boolean)).toBe(true);
    expect(source.includes('Lovelace')).toBe(true);
    const { bytes } = await transform(source, { format });
    const after = await sharp(bytes).metadata();
    expect([after.exif, after.xmp, after.icc, after.iptc]).toEqual([undefined, undefined, undefined, undefined]);
    expect(bytes.includes('Lovelace')).toBe(false);
  });
});

describe('colours', () => {
  const brick = { r: 220, g: 60, b: 30 };
  const sources: [string, tolerance: number, () => Promise<Buffer>][] = [
    ['a JPEG in Display P3', 8, () => solid(40, 20, brick).withIccProfile('p3').jpeg({ quality: 100 }).toBuffer()],
    ['a PNG in Display P3', 8, () => solid(40, 20, brick).withIccProfile('p3').png().toBuffer()],
    [
      'a PNG of 16 bits in Display P3',
      8,
      () => solid(40, 20, brick).toColourspace('rgb16').withIccProfile('p3').png().toBuffer(),
    ],
    [
      'a PNG of 16 bits in sRGB',
      8,
      () => solid(40, 20, brick).toColourspace('rgb16').withIccProfile('srgb').png().toBuffer(),
    ],
    ['a PNG of 16 bits', 8, () => solid(40, 20, brick).toColourspace('rgb16').png().toBuffer()],
    // CMYK has not all colours of sRGB.
    ['a JPEG in CMYK', 30, () => solid(40, 20, brick).toColourspace('cmyk').jpeg({ quality: 100 }).toBuffer()],
    [
      'a JPEG in CMYK with its profile',
      30,
      () => solid(40, 20, brick).withIccProfile('cmyk').toColourspace('cmyk').jpeg({ quality: 100 }).toBuffer(),
    ],
  ];

  test.each(sources)('of %s are converted to sRGB', async (_name, tolerance, make) => {
    const source = await make();
    for (const format of ['webp', 'avif', 'jpeg', 'png'] as const) {
      const { bytes } = await transform(source, { format, width: 20, quality: 100 });
      const { space, hasProfile, depth } = await sharp(bytes).metadata();
      expect({ space, hasProfile, depth }).toEqual({ space: 'srgb', hasProfile: false, depth: 'uchar' });
      expectNear((await pixelsOf(bytes)).at(10, 5), brick, tolerance);
    }
  });

  test('of a grey JPEG stay grey', async () => {
    const source = await solid(40, 20, { r: 119, g: 119, b: 119 }).toColourspace('b-w').jpeg().toBuffer();
    expect((await sharp(source).metadata()).space).toBe('b-w');
    for (const format of ['webp', 'avif', 'jpeg', 'png'] as const) {
      const { bytes } = await transform(source, { format, width: 20 });
      expectNear((await pixelsOf(bytes)).at(10, 5), { r: 119, g: 119, b: 119 });
    }
  });
});

describe('alpha', () => {
  test.each(['webp', 'avif', 'png'] as const)('is kept in a %s', async (format) => {
    const { bytes } = await transform(await disc(100), { format, width: 50 });
    const { at, corners } = await pixelsOf(bytes);
    expect(corners.map(([, , , alpha]) => alpha)).toEqual([0, 0, 0, 0]);
    expect(at(25, 25)[3]).toBe(255);
    expectNear(at(25, 25), { r: 0, g: 255, b: 0 });
  });

  test('is white in a JPEG', async () => {
    const { bytes } = await transform(await disc(100), { format: 'jpeg', width: 50 });
    const { at, corners } = await pixelsOf(bytes);
    for (const corner of corners) expectNear(corner, white, 16);
    expectNear(at(25, 25), { r: 0, g: 255, b: 0 }, 12);
  });
});

describe('an animation', () => {
  test.each([
    ['gif', null],
    ['gif', 'webp'],
    ['webp', null],
    ['webp', 'webp'],
  ] as const)('in %s stays one in WebP when %j is wanted', async (source, format) => {
    const { bytes, type, ...size } = await transform(await animation(source), { format, width: 20 });
    const { pages, delay, loop, ...metadata } = await sharp(bytes).metadata();
    expect({ type, pages, delay, loop }).toEqual({ type: 'image/webp', pages: 3, delay: [100, 200, 300], loop: 2 });
    expect([sizeOf(size), sizeOf(metadata)]).toEqual(['20x10', '20x10']);
    const frames = await Promise.all([0, 1, 2].map((page) => sharp(bytes, { page }).png().toBuffer()));
    const colours = await Promise.all(frames.map(async (frame) => nameOf((await pixelsOf(frame)).at(10, 5))));
    expect(colours).toEqual(['red', 'green', 'blue']);
  });

  test.each(fits)('is resized in each frame with %s', async (fit) => {
    const { bytes, ...size } = await transform(await animation('gif'), { format: 'webp', fit, width: 10, height: 10 });
    const { pages, ...metadata } = await sharp(bytes).metadata();
    expect({ pages, size: sizeOf(metadata) }).toEqual({ pages: 3, size: sizeOf(size) });
    expect(sizeOf(size)).toBe({ inside: '10x5', outside: '20x10' }[fit as string] ?? '10x10');
  });

  test.each(['jpeg', 'png', 'avif'] as const)('is its first frame in a %s', async (format) => {
    const { bytes } = await transform(await animation('gif'), { format });
    expect((await sharp(bytes).metadata()).pages ?? 1).toBe(1);
    expect(nameOf((await pixelsOf(bytes)).at(10, 5))).toBe('red');
  });
});

describe('a source that is refused', () => {
  const readable = () => noise(200, 120);
  const half = async (bytes: Promise<Buffer>) => (await bytes).subarray(0, (await bytes).length / 2);
  const text = (content: string) => async () => Buffer.from(content);
  const unreadable: [string, () => Promise<Buffer>][] = [
    ['empty', text('')],
    ['one byte', text('\xff')],
    ['HTML', text('<!doctype html><html><script>alert(1)</script></html>')],
    ['SVG', text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>')],
    ['PDF', text('%PDF-1.7\n1 0 obj\n<</Type/Catalog>>\nendobj\ntrailer<</Root 1 0 R>>\n%%EOF')],
    ['TIFF', () => readable().tiff().toBuffer()],
    ['PPM', text('P6 1 1 255\n\x01\x02\x03')],
    ['an image of libvips', text('\xb6\xa6\xf2\x08')],
    ['ImageMagick’s own', text('push graphic-context\nviewbox 0 0 9 9\nimage over 0,0 0,0 "/etc/passwd"')],
    ['HTML after the signature of PNG', text('\x89PNG\r\n\x1a\n<html></html>')],
    ['half a JPEG', () => half(readable().jpeg().toBuffer())],
    ['half a progressive JPEG', () => half(readable().jpeg({ progressive: true }).toBuffer())],
    ['half a PNG', () => half(readable().png().toBuffer())],
    ['half an interlaced PNG', () => half(readable().png({ progressive: true }).toBuffer())],
    ['half a WebP', () => half(readable().webp().toBuffer())],
    ['half an AVIF', () => half(readable().avif({ effort: 0 }).toBuffer())],
    ['half a GIF', () => half(readable().gif().toBuffer())],
  ];

  test.each(unreadable)('as no image: %s', async (_name, make) => {
    const source = await make();
    for (const wanted of [{}, { width: 10 }, { format: 'webp' }] as const) {
      await expect(transform(source, wanted)).rejects.toMatchObject({ name: 'TransformError', reason: 'unreadable' });
    }
  });

  const tooLarge: [string, Partial<Transformation>, () => Buffer][] = [
    ['a PNG of 60,000 × 60,000', { width: 10 }, () => pngOfSize(60_000, 60_000)],
    ['a PNG of 50,000,001 pixels', { width: 10 }, () => pngOfSize(50_000_001 / 3, 3)],
    ['a GIF of 51,000,000 pixels in its frames', { format: 'webp' }, () => gifOfFrames(51, 1000, 1000)],
    [
      'the frames of the result together',
      { width: 4096, height: 4096, fit: 'contain', format: 'webp' },
      () => gifOfFrames(3, 1, 1),
    ],
    ['more than WebP can have', { format: 'webp' }, () => pngOfSize(20_000, 10)],
  ];

  test.each(tooLarge)('as too large: %s', async (_name, wanted, make) => {
    await expect(transform(make(), wanted)).rejects.toMatchObject({ name: 'TransformError', reason: 'too-large' });
  });

  test('does not keep the next from being transformed', async () => {
    await expect(transform(pngOfSize(60_000, 60_000))).rejects.toThrow();
    expect(sizeOf(await transform(await quarters(40, 20).then((image) => image.png().toBuffer())))).toBe('40x20');
  });
});

describe('a source that is accepted', () => {
  test('may have many frames, of which the first is wanted', async () => {
    expect(sizeOf(await transform(gifOfFrames(51, 1000, 1000), { format: 'png', width: 10 }))).toBe('10x10');
  });

  test('may be followed by HTML or an archive, of which nothing is kept', async () => {
    const jpeg = await (await quarters(40, 20)).jpeg().toBuffer();
    const source = Buffer.concat([jpeg, Buffer.from('<script>alert(1)</script>PK\x03\x04')]);
    const { bytes, type } = await transform(source);
    expect(type).toBe('image/jpeg');
    expect((await pixelsOf(bytes)).corners.map(nameOf).join(' ')).toBe('red green blue white');
    expect(bytes.includes('alert')).toBe(false);
  });

  test('may have 50,000,000 pixels', async () => {
    const source = await solid(10_000, 5_000, white).jpeg().toBuffer();
    expect(sizeOf(await transform(source, { width: 10 }))).toBe('10x5');
  });
});
