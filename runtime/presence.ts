import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'moleculer';
import { connect, ErrorCode, JSONCodec, type NatsConnection, NatsError } from 'nats';
import type { Secret } from '../lib/secret.ts';
import { StartError } from '../lib/start-error.ts';
import { natsOptions } from '../mixins/nats.ts';

/** Longer than a busy process may be blocked, so that its name is not taken from it. */
const answersWithin = 800;
const pauseBetweenAttempts = 500;

type Claim = { token: string; settled: boolean };

/** The claim on this node's name in the pool, held while its connection to NATS lasts. */
export type Presence = {
  /** Whether NATS confirms that no process holds that name any more. */
  isGone: (nodeID: string) => Promise<boolean>;
  release: () => Promise<void>;
};

const codec = JSONCodec<Claim>();

/**
 * Claims the node's name in the pool, so that a second node of the same name stops with a clear error. Moleculer itself
 * would stop both. Waits until NATS answers.
 *
 * @throws StartError when another process has the name, or NATS refuses the credentials.
 */
export async function claimNodeId(
  { url, namespace, nodeID }: { url: Secret; namespace: string; nodeID: string },
  logger: Logger,
): Promise<Presence> {
  const nats = await connectPatiently(url, logger);
  const claim: Claim = { token: randomUUID(), settled: false };
  const subjectOf = (id: string) => `${namespace}.node.${id}`;
  nats.subscribe(subjectOf(nodeID), { callback: (_error, message) => void message.respond(codec.encode(claim)) });
  if (await isTaken(nats, subjectOf(nodeID), claim)) {
    await nats.close();
    throw new StartError(`A node named ${nodeID} is already in the pool. Give this one another NODE_ID.`);
  }
  claim.settled = true;
  return { isGone: (id) => hasNoHolder(nats, subjectOf(id)), release: () => nats.close() };
}

/** Of two nodes that start at once, the one with the lower token keeps the name. */
async function isTaken(nats: NatsConnection, subject: string, own: Claim): Promise<boolean> {
  for await (const answer of await nats.requestMany(subject, undefined, { maxWait: answersWithin })) {
    const { token, settled } = codec.decode(answer.data);
    if (token !== own.token && (settled || token < own.token)) return true;
  }
  return false;
}

async function hasNoHolder(nats: NatsConnection, subject: string): Promise<boolean> {
  try {
    await nats.request(subject, undefined, { timeout: answersWithin });
    return false;
  } catch (error) {
    return error instanceof NatsError && error.code === ErrorCode.NoResponders;
  }
}

async function connectPatiently(url: Secret, logger: Logger): Promise<NatsConnection> {
  const options = { ...natsOptions(url), waitOnFirstConnect: false };
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await connect(options);
    } catch (error) {
      if (error instanceof NatsError && error.isAuthError()) {
        throw new StartError('NATS refuses the user and password, or the token, in NATS_URL.');
      }
      if (attempt % 20 === 0) logger.warn('NATS does not answer at NATS_URL yet; the node waits for it.');
      await wait(pauseBetweenAttempts);
    }
  }
}
