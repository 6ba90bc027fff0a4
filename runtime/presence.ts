import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'moleculer';
import { connect, ErrorCode, JSONCodec, type NatsConnection, NatsError } from 'nats';
import type { Secret } from '../lib/secret.ts';
import { StartError } from '../lib/start-error.ts';
import { natsOptions } from '../mixins/nats.ts';
import { differenceOf, type PoolValues } from '../mixins/pool-membership.ts';

/** Longer than a busy process may be blocked, so that it keeps its name. */
const answersWithin = 800;
const probeTimeout = 5000;
const pauseBetweenAttempts = 500;

type Claim = { token: string; settled: boolean; nodeID: string; values: PoolValues };

/** The claim on this node's name in the pool, held while its connection to NATS lasts. */
export type Presence = {
  /**
   * Adds values that must be equal on all nodes of the pool.
   *
   * @throws StartError when a node that joined before has another value.
   */
  declare: (values: PoolValues) => void;
  /**
   * Whether NATS reports that no process holds that name. Resolves when the process answers, or after seconds without
   * an answer.
   */
  isGone: (nodeID: string) => Promise<boolean>;
  release: () => Promise<void>;
};

const codec = JSONCodec<Claim>();

type Candidate = { url: Secret; namespace: string; nodeID: string; values: PoolValues };

/**
 * Claims the node's name in the pool, so that a second node of the same name stops with a clear error. Moleculer would
 * stop both. Compares `values` with the values of the nodes in the pool. Waits until NATS answers.
 *
 * @throws StartError when another process has the name, a node has another value, or NATS rejects the credentials.
 */
export async function claimNodeId({ url, namespace, nodeID, values }: Candidate, logger: Logger): Promise<Presence> {
  const nats = await connectPatiently(url, logger);
  const claim: Claim = { token: randomUUID(), settled: false, nodeID, values };
  const subjectOf = (id: string) => `${namespace}.node.${id}`;
  const subjectOfAll = `${namespace}.nodes`;
  for (const subject of [subjectOf(nodeID), subjectOfAll]) {
    nats.subscribe(subject, { callback: (_error, message) => void message.respond(codec.encode(claim)) });
  }
  const [holders, members] = await Promise.all(
    [subjectOf(nodeID), subjectOfAll].map((subject) => earlierClaims(nats, subject, claim)),
  );
  const declare = (more: PoolValues) => {
    Object.assign(values, more);
    requireAgreement(values, members ?? []);
  };
  try {
    if (holders?.length) {
      throw new StartError(`A node named ${nodeID} is already in the pool. Give this one another NODE_ID.`);
    }
    declare({});
  } catch (error) {
    await nats.close();
    throw error;
  }
  claim.settled = true;
  return { declare, isGone: (id) => hasNoHolder(nats, subjectOf(id)), release: () => nats.close() };
}

/**
 * The claims that were made before a node's claim. Of two nodes that start concurrently, the one with the lower token
 * is first.
 */
async function earlierClaims(nats: NatsConnection, subject: string, own: Claim): Promise<Claim[]> {
  const claims: Claim[] = [];
  for await (const answer of await nats.requestMany(subject, undefined, { maxWait: answersWithin })) {
    const claim = codec.decode(answer.data);
    if (claim.token !== own.token && (claim.settled || claim.token < own.token)) claims.push(claim);
  }
  return claims;
}

function requireAgreement(own: PoolValues, members: Claim[]): void {
  for (const { nodeID, values } of members) {
    const difference = differenceOf(own, values, nodeID);
    if (difference !== null) throw new StartError(difference);
  }
}

async function hasNoHolder(nats: NatsConnection, subject: string): Promise<boolean> {
  try {
    await nats.request(subject, undefined, { timeout: probeTimeout });
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
        throw new StartError('NATS rejects the user and password, or the token, in NATS_URL.');
      }
      if (attempt % 20 === 0) logger.warn('NATS does not answer at NATS_URL yet; waiting for it.');
      await wait(pauseBetweenAttempts);
    }
  }
}
