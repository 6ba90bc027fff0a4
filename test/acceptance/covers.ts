import { test } from '@jest/globals';
import { ledger, type RowId } from './ledger.ts';
import { type Platform, platform } from './platform.ts';

/** The test of one row of the ledger; the row's sentence is its name. */
export function covers(id: RowId, check: (platform: Platform) => Promise<void>): void {
  test(`${id}: ${ledger[id].says}`, async () => check(await platform()));
}

const today = (): string => new Date().toISOString().slice(0, 10);

/** The same for what is counted by days, which end at midnight of UTC: what a midnight came into is checked once more. */
export function coversWithinOneDay(id: RowId, check: (platform: Platform) => Promise<void>): void {
  covers(id, async (platform) => {
    const day = today();
    await check(platform).catch((error: unknown) => {
      if (today() === day) throw error;
      return check(platform);
    });
  });
}
