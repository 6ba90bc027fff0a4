import type { SystemRole } from '../../../lib/contract/authorize.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import type { Operation } from '../../../lib/contract/idempotency.ts';
import type { Change, NumberedChange } from '../graph/changes.ts';
import type { OrgGraph } from '../graph/org-graph.ts';
import type { Publisher } from './synchroniser.ts';

/** A writer's decision on the newest state. `change` null: nothing is changed. */
export type Decision<T> = { change: Change | null; result: T };

/** `revision`: the organization's revision after the change, or the revision at which no change was necessary. */
export type Changed<T> = { result: T; revision: number; isChanged: boolean };

/** `extras`: the platform permissions that organization roles grant in addition to the system role. */
export type Membership = { orgId: string; role: SystemRole; extras: string[] };

/** The access of all organizations, in this process's memory, and the only way to change it. */
export type AccessStore = {
  /** The graph of an organization; undefined if it is unknown or closed. */
  org: (orgId: string) => OrgGraph | undefined;
  /**
   * The graph with every change that was made before the call, on any node.
   *
   * @throws UNAVAILABLE the database does not answer.
   */
  newest: (orgId: string) => Promise<OrgGraph | undefined>;
  orgs: () => Iterable<OrgGraph>;
  /** A user's memberships, sorted by organization, without suspended ones unless asked for. `at` in milliseconds. */
  membershipsOf: (userId: string, at: number, withSuspended?: boolean) => Membership[];
  /**
   * Makes one change, decided on the newest state. `decide` throws refusals; it may run several times, and its last
   * answer counts. When this resolves, the change is durable and in force on every reachable node. A keyed operation
   * makes one change.
   *
   * @throws NOT_FOUND the organization is unknown or closed; CONFLICT too many concurrent changes, or the operation
   *   made its change before; UNAVAILABLE the database does not answer, or the organization cannot be read.
   */
  change: <T>(
    ctx: Publisher,
    orgId: string,
    decide: (graph: OrgGraph) => Decision<T>,
    operation?: Operation,
  ) => Promise<Changed<T>>;
  /** The change that an earlier run of an operation made, once this node has it; null when it made none. */
  changeOf: (orgId: string, operation: Operation) => Promise<NumberedChange | null>;
  /** Waits at most `milliseconds` until this node has that revision of an organization; returns whether it has. */
  reach: (orgId: string, revision: number, timeoutMilliseconds: number) => Promise<boolean>;
  /** Whether this node had every change at some moment of the last five seconds. */
  isCurrent: () => boolean;
  /**
   * False for an organization with data that this version of the platform cannot read, such as a kind of change that
   * only a newer one knows. Its graph must not be used to answer or to write.
   */
  isReadable: (orgId: string) => boolean;
  unreadableOrgIds: () => Iterable<string>;
  /** False for a user who may be a member of an unreadable organization. */
  knowsMembershipsOf: (userId: string) => boolean;
  /** Milliseconds since this node last had every change. */
  lag: () => number;
  /**
   * Creates an organization with its first owner. Idempotent for the same owner.
   *
   * @throws CONFLICT it has another owner or was closed; UNAVAILABLE as above.
   */
  found: (ctx: Publisher, orgId: string, ownerId: string) => Promise<{ revision: number }>;
  /**
   * Deletes a batch of the data of a closed organization; returns whether all is deleted. Its id cannot be reused.
   */
  erase: (orgId: string) => Promise<boolean>;
  /** Stops the background work. */
  stop: () => Promise<void>;
};

/** A service with a store, which is set when it has started. */
export type StoreHolder = { store?: AccessStore };

/** The store of the service that an action belongs to. */
export function storeOf(ctx: { service: unknown }): AccessStore {
  const { store } = ctx.service as StoreHolder;
  if (!store) throw new Error('The access service has not started.');
  return store;
}

const parts = 10;

/**
 * Returns the result of a promise, or throws UNAVAILABLE after `milliseconds`; the work itself is not cancelled. The
 * wait is split into parts, between which sockets are read: after a pause of the whole process its timers fire first,
 * and a single timer would expire although the answer has already arrived.
 */
export async function withTimeout<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const cause = new Error(`Timeout after ${milliseconds} ms.`);
    const wait = (remaining: number): void => {
      timer = setTimeout(
        () => (remaining > 1 ? wait(remaining - 1) : reject(apiError('UNAVAILABLE', { cause }))),
        milliseconds / parts,
      );
    };
    wait(parts);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
