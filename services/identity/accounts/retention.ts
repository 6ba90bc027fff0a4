import { sweepAttempts } from './attempts.ts';
import { sweepMailedTokens } from './mailed-tokens.ts';

/** Removes the mailed links and counted attempts that have expired; for the scheduled sweep. */
export async function sweepAccounts(signal?: AbortSignal): Promise<void> {
  await Promise.all([sweepMailedTokens(signal), sweepAttempts(signal)]);
}
