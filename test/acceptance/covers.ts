import { test } from '@jest/globals';
import { withinOneDay } from '../support/within-one-day.ts';
import { ledger, type RowId } from './ledger.ts';
import { type Platform, platform } from './platform.ts';

/** The test of one row of the ledger; the row's sentence is its name. */
export function covers(id: RowId, check: (platform: Platform) => Promise<void>): void {
  test(`${id}: ${ledger[id].says}`, async () => check(await platform()));
}

/** The same for what is counted by days. */
export function coversWithinOneDay(id: RowId, check: (platform: Platform) => Promise<void>): void {
  covers(id, (platform) => withinOneDay(() => check(platform)));
}
