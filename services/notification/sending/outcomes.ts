import { setTimeout as wait } from 'node:timers/promises';
import { NotificationModel } from '../../../models/notification/notification.ts';

/** Requests of this process that wait for the outcome of an attempt, by notification. */
const waiting = new Map<string, () => void>();

/** The maximum of waiting requests; further requests are answered immediately. */
const maxWaiting = 64;
/** Another node may make the attempt, so the database is polled too; the pause doubles after each poll. */
const firstPause = 100;

/** Continues the request that waits for a notification, once the outcome of an attempt is stored. */
export function announceOutcome(notificationId: string): void {
  waiting.get(notificationId)?.();
}

type Notification = { orgId: string; _id: string };

/**
 * Accepts a notification and returns its status after the first attempt, or after `milliseconds`. The wait only makes
 * the answer of a request more precise; correctness does not depend on it.
 */
export async function statusAfterAttempt(
  notification: Notification,
  milliseconds: number,
  accept: () => Promise<void>,
): Promise<string> {
  const { _id } = notification;
  const attempt = Promise.withResolvers<void>();
  const deadline = performance.now() + milliseconds;
  const isWaiting = waiting.size < maxWaiting;
  if (isWaiting) waiting.set(_id, attempt.resolve);
  try {
    await accept();
    for (let pause = firstPause; ; pause *= 2) {
      const remaining = deadline - performance.now();
      if (isWaiting && remaining > 0) await Promise.race([attempt.promise, wait(Math.min(pause, remaining))]);
      const status = await statusOf(notification);
      if (!isWaiting || remaining <= 0 || (status !== 'queued' && status !== 'sending')) return status;
    }
  } finally {
    waiting.delete(_id);
  }
}

async function statusOf({ orgId, _id }: Notification): Promise<string> {
  const found = await NotificationModel.findOne({ orgId, _id }, { status: 1 }).lean();
  return found?.status ?? 'queued';
}
