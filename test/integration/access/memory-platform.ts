import { ServiceBroker, type ServiceSchema } from 'moleculer';
import {
  type Caller,
  type CallInput,
  type CallOutput,
  type Calls,
  call,
  type RequestMeta,
} from '../../../lib/contract/context.ts';
import { now } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import type { Change } from '../../../services/access/graph/changes.ts';
import { OrgGraph } from '../../../services/access/graph/org-graph.ts';
import type { AccessStore } from '../../../services/access/store/access-store.ts';
import { limitsService } from '../../support/limits-service.ts';

/*
 * The actions of access in the test's own process over graphs in memory, without a database and without HTTP: here the
 * test turns the clock, and says whether the node knows the newest state.
 */

export type MemoryPlatform = {
  broker: ServiceBroker;
  orgId: string;
  ownerId: string;
  graph: OrgGraph;
  /** Whether the node knows the newest state, and whether a revision that is waited for comes. */
  state: { isCurrent: boolean; reaches: boolean };
  /** Makes a change as if another node had. */
  apply: (change: Change) => void;
  /** Calls an action on behalf of an application with `svc:admin`, unless another caller is given. */
  ask: <N extends keyof Calls & string>(name: N, input: CallInput<N>, caller?: Caller) => Promise<CallOutput<N>>;
  stop: () => Promise<void>;
};

export async function startMemoryPlatform(actions: ServiceSchema['actions']): Promise<MemoryPlatform> {
  const [orgId, ownerId] = [newId('org'), newId('usr')];
  const graph = new OrgGraph(orgId);
  const state = { isCurrent: true, reaches: true };
  const apply = (change: Change) => graph.apply({ revision: graph.revision + 1, at: now().getTime(), change });
  apply({ kind: 'founded', owner: { id: newId('asg'), subject: ownerId, roleId: 'role_owner', expiresAt: null } });

  const broker = new ServiceBroker({ logger: false, validator: false });
  const store = storeOver(graph, state, apply);
  Object.assign(broker.createService({ name: 'access', actions } as ServiceSchema), { store });
  broker.createService({
    name: 'identity',
    actions: { 'audit.append': () => undefined, 'applications.exists': () => ({ exists: true }) },
  });
  broker.createService(limitsService());
  await broker.start();

  const application: Caller = { type: 'application', id: newId('app'), orgId, scopes: ['svc:admin'] };
  return {
    broker,
    orgId,
    ownerId,
    graph,
    state,
    apply,
    ask(name, input, caller = application) {
      const meta: RequestMeta = { caller };
      const asker = { call: (action: string, params: object) => broker.call(action, params, { meta }) };
      return call(asker as never, name, input);
    },
    stop: () => broker.stop(),
  };
}

function storeOver(
  graph: OrgGraph,
  state: MemoryPlatform['state'],
  apply: MemoryPlatform['apply'],
): Pick<AccessStore, 'org' | 'change' | 'changeOf' | 'reach' | 'isCurrent' | 'isReadable'> {
  return {
    org: (orgId) => (orgId === graph.orgId ? graph : undefined),
    isCurrent: () => state.isCurrent,
    isReadable: () => true,
    changeOf: () => Promise.resolve(null),
    reach: () => Promise.resolve(state.reaches),
    change(_ctx, _orgId, decide) {
      const { change, result } = decide(graph);
      if (change) apply(change);
      return Promise.resolve({ result, revision: graph.revision, isChanged: change !== null });
    },
  };
}
