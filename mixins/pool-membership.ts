import { type Context, Errors, type Logger, type Middleware, type Service, type ServiceBroker } from 'moleculer';
import { apiError } from '../lib/contract/errors.ts';
import { now } from '../lib/data/clock.ts';

/** The values that must be equal on all nodes of a pool, by name: addresses as text, other values as a hash. */
export type PoolValues = Record<string, string>;

/** The metadata of a node: its values, and when it joined, in milliseconds since 1970. */
type Published = { values: PoolValues; joinedAt: number };
type Member = { id: string; published: Published };
type State = { self: Member; isChecked: boolean; isOutside: boolean };

const states = new WeakMap<ServiceBroker, State>();

/** Why a node with these values cannot share a pool with another node, as a sentence; null when it can. */
export function differenceOf(own: PoolValues, theirs: PoolValues, nodeID: string): string | null {
  for (const [name, value] of Object.entries(own)) {
    const other = theirs[name];
    if (other !== undefined && other !== value) return sentenceOf(name, value, other, nodeID);
  }
  return null;
}

function sentenceOf(name: string, own: string, theirs: string, nodeID: string): string {
  if (name === 'database') {
    return `MONGO_URL names another database than that of the node ${nodeID}: all nodes of a pool have one database.`;
  }
  if (name === 'mail') {
    return `SMTP_URL must turn mail on or off for the whole pool: mail is ${own} here and ${theirs} on the node ${nodeID}.`;
  }
  if (name.startsWith('plan ')) {
    const [, version] = name.split(' ');
    return `The plans differ: ${version} is not the same here and on the node ${nodeID}. Stop the nodes with the other plans first, or make the change a new version.`;
  }
  return `${name} must be the same on every node of a pool: it is ${own} here and ${theirs} on the node ${nodeID}.`;
}

/** Publishes this node's pool values, and compares them with the nodes that appear later. */
export function joinPool(broker: ServiceBroker, values: PoolValues, logger: Logger): void {
  const published = { values, joinedAt: now().getTime() };
  const state: State = { self: { id: broker.nodeID, published }, isChecked: false, isOutside: false };
  states.set(broker, state);
  broker.metadata.pool = published;
  const compare = () => compareWithOthers(broker, state, logger);
  for (const event of ['connected', 'updated', 'disconnected']) broker.localBus.on(`$node.${event}`, compare);
}

/** Marks the node's database and settings as checked, and publishes the node's values. */
export async function completeJoin(broker: ServiceBroker): Promise<void> {
  const state = states.get(broker);
  if (!state) return;
  state.isChecked = true;
  if (broker.transit?.connected) await broker.registry.discoverer.sendLocalNodeInfo();
}

/** Whether this node's database or settings are not checked yet, or differ from the pool's. */
export function isOutsidePool(broker: ServiceBroker): boolean {
  const state = states.get(broker);
  return state !== undefined && (state.isOutside || !state.isChecked);
}

/**
 * Excludes the smaller part of a pool that disagrees, or of two equal parts the one that joined later. Every node
 * decides this itself, from the published values of all nodes.
 */
function compareWithOthers(broker: ServiceBroker, state: State, logger: Logger): void {
  const { self } = state;
  const others = broker.registry.nodes.toArray().flatMap(({ id, local, available, metadata }) => {
    const published = metadata?.pool as Published | undefined;
    return !local && available && published ? [{ id, published }] : [];
  });
  const differs = ({ id, published }: Member) => differenceOf(self.published.values, published.values, id);
  const opponents = others.filter((member) => differs(member) !== null);
  const allies = [self, ...others.filter((member) => differs(member) === null)];
  const isOutside =
    opponents.length > allies.length || (opponents.length === allies.length && isBefore(opponents, allies));
  if (isOutside === state.isOutside) return;
  state.isOutside = isOutside;
  const [first] = opponents;
  if (isOutside && first) logger.error(`The node does not belong to this pool and serves no call. ${differs(first)}`);
  else logger.warn('The node belongs to the pool again and serves calls.');
}

function isBefore(some: Member[], others: Member[]): boolean {
  const order = ({ id, published }: Member) => `${String(published.joinedAt).padStart(16, '0')} ${id}`;
  const first = (members: Member[]) => members.map(order).sort()[0] ?? '';
  return first(some) < first(others);
}

/**
 * Rejects the calls of a node that does not belong to the pool. A call from another node is rejected in a way that
 * makes its caller try the next node.
 */
export function poolMembership(): Middleware {
  return {
    name: 'PoolMembership',
    localAction(handler, { name = '' }) {
      if (isOfRuntime(name)) return handler;
      return function serveAsMember(this: Service, ctx: Context) {
        if (!states.get(ctx.broker)?.isOutside) return handler.call(this, ctx);
        return Promise.reject(new Errors.ServiceNotAvailableError({ action: name, nodeID: ctx.broker.nodeID }));
      };
    },
    remoteAction(handler, { name = '' }) {
      if (isOfRuntime(name)) return handler;
      return function callAsMember(this: Service, ctx: Context) {
        return states.get(ctx.broker)?.isOutside ? Promise.reject(apiError('UNAVAILABLE')) : handler.call(this, ctx);
      };
    },
  };
}

/** Whether an action reports the state of a node; an operator needs these on an excluded node too. */
const isOfRuntime = (action: string): boolean => action.startsWith('$') || action.startsWith('node.');
