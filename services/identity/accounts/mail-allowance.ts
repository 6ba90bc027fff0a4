import { hour } from '../../../lib/clock.ts';
import type { MailedTokenKind } from '../../../models/identity/mailed-token.ts';
import { type Attempts, attemptsKey, countAttempt } from './attempts.ts';

const mailsMax = 5;
const window = hour;

/**
 * Whether one more mail of this kind may go to an address, which it then counts: five an hour, whoever asks for them.
 * Whoever asks for more is told nothing of it, for then they would know what others asked.
 */
export async function takeMailTurn(kind: MailedTokenKind, email: string): Promise<boolean> {
  const { isAllowed } = await countAttempt(attemptsKey(`mail.${kind}`, email), nextMail);
  return isAllowed;
}

function nextMail(known: Attempts, at: Date): Attempts | null {
  const instant = at.getTime();
  const lately = known.triedAt.filter((mailed) => mailed.getTime() > instant - window);
  if (lately.length >= mailsMax) return null;
  return { ...known, triedAt: [...lately, at], expiresAt: new Date(instant + window) };
}
