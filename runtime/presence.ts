import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger, ServiceBroker } from 'moleculer';
import { connect, ErrorCode, JSONCodec, type NatsConnection, NatsError } from 'nats';
import type { Secret } from '../lib/security/secret.ts';
import { StartError } from '../lib/settings/start-error.ts';
import { natsConnectedFor, natsOptions } from '../mixins/nats.ts';
import { differenceOf, type PoolValues } from '../mixins/pool-membership.ts';

const lookEvery = 200;
/** No node is probed for this long after a reconnection: each node needs a moment to claim its name again. */
const settlingMilliseconds = 3000;
/** The number of consecutive reports by NATS that a name has no holder, after which a node is removed. */
const looksUntilGone = 2;
/**
 * The number of looks for which a probe may be unanswered: longer than a busy process is blocked. Looks are counted
 * instead of time, so that a pause of this process does not count.
 */
const looksUntilHung = 15;

type Pending = { transit?: { pendingRequests: Map<string, { nodeID: string }> } };
type Suspect = { isProbed: boolean; unanswered: number; gone: number };

/**
 * Detects dead and hung nodes. A missed heartbeat takes seconds to notice, but NATS knows immediately that a name has
 * no holder, and a hung process does not answer under its name. So each node that a call of this node waits for is
 * probed, and a node that is absent twice, or does not answer for 3 seconds, is removed from the registry, which
 * fails the calls to it. A node that recovers is added again with its next heartbeat. Nodes without a claimed name,
 * because another runtime started them, are not touched.
 */
export function removeAbsentNodes(broker: ServiceBroker, presence: Presence): () => void {
  const suspects = new Map<string, Suspect>();
  const look = () => {
    const awaited = natsConnectedFor(broker) > settlingMilliseconds ? awaitedNodes(broker) : new Set<string>();
    for (const nodeID of suspects.keys()) if (!awaited.has(nodeID)) suspects.delete(nodeID);
    for (const nodeID of awaited) {
      const suspect = suspects.get(nodeID) ?? { isProbed: false, unanswered: 0, gone: 0 };
      suspects.set(nodeID, suspect);
      if (!suspect.isProbed) void probe(nodeID, suspect);
      else if (++suspect.unanswered >= looksUntilHung) remove(nodeID, 'does not answer');
    }
  };
  const probe = async (nodeID: string, suspect: Suspect) => {
    suspect.isProbed = true;
    suspect.gone = (await presence.isGone(nodeID)) ? suspect.gone + 1 : 0;
    Object.assign(suspect, { isProbed: false, unanswered: 0 });
    if (suspect.gone >= looksUntilGone) remove(nodeID, 'is gone');
  };
  const remove = (nodeID: string, how: string) => {
    suspects.delete(nodeID);
    broker.logger.warn(`The node ${nodeID} ${how}: calls to it fail until it is back.`);
    broker.registry.discoverer.remoteNodeDisconnected(nodeID, true);
  };
  const timer = setInterval(look, lookEvery);
  return () => clearInterval(timer.unref());
}

function awaitedNodes(broker: ServiceBroker): Set<string> {
  const pending = [...((broker as Pending).transit?.pendingRequests.values() ?? [])];
  const holdsName = (nodeID: string) => broker.registry.nodes.get(nodeID)?.metadata?.holdsName === true;
  return new Set(pending.map(({ nodeID }) => nodeID).filter(holdsName));
}

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
