import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { FormerVersion } from '../../../models/storage/object.ts';
import { addObject, type Counted, driftOf, isUncertain, newTally } from '../../../services/storage/quota/tally.ts';

const instant = 1_000_000_000;
const date = (offset: number) => new Date(instant + offset);
const charge = (key: string, charged: number) => ({ receipt: { key }, charged }) as Counted['charges'][number];

/** A version that lives from one offset to another, in milliseconds from the instant. */
type Life = { size: number; from: number; to: number | null };

/** An object with these versions, one after the other. */
function objectOf(lives: Life[], isDeleted: boolean): Counted {
  const versions = lives.map(({ size, from, to }, at) => ({
    version: `ver_${at}`,
    size,
    charges: [charge(`ver_${at}:0:${size}`, size)],
    uploadedAt: date(from),
    file: null,
    endedAt: date(to ?? 0),
    bucketId: 'one',
  }));
  const ended = isDeleted ? versions : versions.slice(0, -1);
  const former = ended.map((one): FormerVersion => ({ ...one, isReleased: true, releasedAt: one.endedAt }));
  const present = versions.at(-1)!;
  return { ...present, bucketId: isDeleted ? 'deleted' : 'one', former };
}

function tallyOf(objects: Counted[], openKeys: string[] = []) {
  const tally = newTally();
  for (const object of objects) {
    addObject(tally, object, { from: instant, to: instant, openKeys: new Set(openKeys) });
  }
  return tally;
}

describe('the tally of a recount', () => {
  test('counts what there was at its instant, whatever changed since or while it was read', () => {
    const steps = fc.array(fc.record({ size: fc.nat(1000), lasts: fc.integer({ min: 1, max: 10_000_000 }) }), {
      minLength: 1,
      maxLength: 6,
    });
    const object = fc.record({
      begins: fc.integer({ min: -20_000_000, max: 20_000_000 }),
      steps,
      isDeleted: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(object, { maxLength: 10 }), (objects) => {
        const lives = objects.map(({ begins, steps: all, isDeleted }) => {
          let at = begins;
          return all.map(({ size, lasts }, place): Life => {
            const from = at;
            at += lasts;
            return { size, from, to: place < all.length - 1 || isDeleted ? at : null };
          });
        });
        const tally = tallyOf(lives.map((all, place) => objectOf(all, objects[place]!.isDeleted)));
        const there = lives.flat().filter(({ from, to }) => from <= 0 && (to === null || to > 0));
        const bytes = there.reduce((sum, { size }) => sum + size, 0);
        expect(tally.bytes.best).toBe(bytes);
        expect(tally.bytes.least).toBeLessThanOrEqual(bytes);
        expect(tally.bytes.most).toBeGreaterThanOrEqual(bytes);
        const bucket = tally.buckets.get('one');
        expect([bucket?.objects.best ?? 0, bucket?.bytes.best ?? 0]).toEqual([there.length, bytes]);
      }),
    );
  });

  test('leaves out bytes that are in an open reservation, charged or not', () => {
    const object = objectOf([{ size: 50, from: -100_000, to: null }], false);
    const parts = { ...object, charges: [charge('ver_0:0:30', 30), charge('ver_0:30:60', 20)] };
    expect(tallyOf([parts], ['ver_0:30:60']).bytes).toEqual({ best: 30, least: 30, most: 30 });
  });

  test('is uncertain of a release that may have been under way, and then corrects only what that cannot explain', () => {
    const object = objectOf(
      [
        { size: 50, from: -100_000, to: -5 },
        { size: 7, from: -5, to: null },
      ],
      false,
    );
    const { bytes } = tallyOf([{ ...object, former: object.former.map((one) => ({ ...one, releasedAt: date(5) })) }]);
    expect(bytes).toEqual({ best: 57, least: 0, most: 57 });
    expect(isUncertain(bytes)).toBe(true);
    expect([driftOf(7, bytes), driftOf(57, bytes), driftOf(1057, bytes)]).toEqual([0, 0, -1000]);
  });

  test('counts a moved object in the bucket that it was in', () => {
    const object = objectOf([{ size: 50, from: -100_000, to: null }], false);
    const { buckets } = tallyOf([{ ...object, bucketId: 'two', moved: { from: 'one', at: date(60_000) } }]);
    expect([...buckets]).toEqual([['one', expect.objectContaining({ bytes: { best: 50, least: 50, most: 50 } })]]);
  });
});
