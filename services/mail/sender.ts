import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'moleculer';
import { now, second } from '../../lib/clock.ts';
import { isDatabaseUnreachable } from '../../lib/database-errors.ts';
import { newId } from '../../lib/ids.ts';
import type { MessageDocument } from '../../models/mail/message.ts';
import { type Claim, claimNext, lease, renewClaim, settleClaim } from './claims.ts';
import { failed, retried, sent } from './mail-metrics.ts';
import { openBody } from './messages.ts';
import { nextAttempt } from './retry.ts';
import { DeliveryError, type OutgoingMail, type Transport } from './transports/transport.ts';
import { wakeCalls, wakeSender, wokenOrAfter } from './wake.ts';

/** The maximum of mails in flight on one node. */
const places = 5;
const pollMilliseconds = second;
const noteAttempts = 40;
const notePauseMilliseconds = 250;

export type Sender = {
  /** Starts to send due messages, up to the maximum. */
  fill: () => Promise<void>;
  /** Resolves when no mail is in flight. */
  settled: () => Promise<void>;
  /** Sends until the signal aborts, then completes what is in flight. */
  run: (signal: AbortSignal) => Promise<void>;
};

/**
 * Sends the stored messages through a transport, each at least once. Any number of senders on any number of nodes share
 * the work: a sender claims a message by a lease. When a node dies, its messages are claimed again after the lease, and
 * may arrive twice then, under the same Message-ID.
 */
export function createSender(transport: Transport, logger: Logger): Sender {
  const leaseOwner = newId('req');
  const inHand = new Map<string, Promise<void>>();

  async function fill(): Promise<void> {
    while (inHand.size < places) {
      const claim = await claimNext(leaseOwner, [...inHand.keys()]);
      if (!claim) return;
      inHand.set(
        claim._id,
        deliver(claim, transport, logger).finally(() => release(claim._id)),
      );
    }
  }

  function release(id: string): void {
    inHand.delete(id);
    wakeSender();
  }

  async function settled(): Promise<void> {
    await Promise.all(inHand.values());
  }

  async function run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const before = wakeCalls();
      await fill().catch((error) => logger.warn('Mail waits: the queue could not be read', { error }));
      await wokenOrAfter(before, pollMilliseconds, signal);
    }
    await settled();
  }

  return { fill, settled, run };
}

export type Outbox = { stop: () => Promise<void> };

/** Sends in the background: polls once a second or when woken. Stopping waits for the mails in flight. */
export function startOutbox(transport: Transport, logger: Logger): Outbox {
  const stopping = new AbortController();
  const running = createSender(transport, logger).run(stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await running;
      transport.close();
    },
  };
}

/** Never throws: an outcome that could not be stored is found by the end of the lease. */
async function deliver(claim: Claim, transport: Transport, logger: Logger): Promise<void> {
  const renewal = setInterval(() => {
    // After a failed renewal the next one may succeed.
    renewClaim(claim).catch((error) => logger.debug('A lease of a mail was not renewed', error));
  }, lease / 3).unref();
  try {
    await sendOrPostpone(claim, transport, logger);
  } catch (error) {
    logger.warn('What became of a mail could not be noted', { messageId: claim._id, error });
  } finally {
    clearInterval(renewal);
  }
}

async function sendOrPostpone(claim: Claim, transport: Transport, logger: Logger): Promise<void> {
  try {
    await transport.send(outgoing(claim));
  } catch (error) {
    await postponeOrFail(claim, error, logger);
    return;
  }
  sent.inc();
  const done = { status: 'sent' as const, sentAt: now(), lastError: null };
  await note(claim, transport.keepsBody ? done : { ...done, sealedBody: null });
}

function outgoing({ _id, from, to, subject, sealedBody }: Claim): OutgoingMail {
  if (sealedBody === null) throw new Error('The mail has no text any more.');
  const [, host = 'localhost'] = from.address.split('@');
  return { messageId: `${_id}@${host}`, from, to, subject, ...openBody(sealedBody) };
}

async function postponeOrFail(claim: Claim, error: unknown, logger: Logger): Promise<void> {
  const messageId = claim._id;
  if (!(error instanceof DeliveryError)) logger.error('A mail could not be handed over', { messageId, error });
  const failure = error instanceof DeliveryError ? error.failure : 'unreachable';
  const lastError = error instanceof DeliveryError ? error.message : 'The mail could not be prepared; see the log.';
  const nextAttemptAt = nextAttempt(failure, claim, now());
  if (nextAttemptAt) {
    retried.inc({ failure });
    await note(claim, { status: 'queued', nextAttemptAt, lastError });
    return;
  }
  failed.inc();
  logger.warn('A mail was given up', { messageId, orgId: claim.orgId, lastError });
  await note(claim, { status: 'failed', lastError, sealedBody: null });
}

/** Retries while the database is briefly unavailable: a sent mail without a stored outcome would be sent again. */
async function note(claim: Claim, outcome: Partial<MessageDocument>): Promise<void> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      await settleClaim(claim, outcome);
      return;
    } catch (error) {
      if (attempts === noteAttempts || !isDatabaseUnreachable(error)) throw error;
      await wait(notePauseMilliseconds);
    }
  }
}
