import { Counter, Gauge } from 'prom-client';
import type { AccessStore } from './access-store.ts';

export const changesMade = new Counter({
  name: 'access_changes_total',
  help: 'Changes of access that this node made, by kind.',
  labelNames: ['kind'],
});
export const changesApplied = new Counter({
  name: 'access_changes_applied_total',
  help: 'Changes that this node applied to its graph, by source.',
  labelNames: ['source'],
});
export const conflicts = new Counter({
  name: 'access_change_conflicts_total',
  help: 'Changes that this node decided again after a conflict with another writer.',
});
export const gaps = new Counter({
  name: 'access_gaps_total',
  help: 'Events with a revision gap, after which this node read the log.',
});
export const reloads = new Counter({
  name: 'access_reloads_total',
  help: 'Organizations that this node reloaded from their snapshots.',
});
export const snapshots = new Counter({
  name: 'access_snapshots_total',
  help: 'Snapshots of an organization that this node wrote, by outcome.',
  labelNames: ['outcome'],
});
export const polls = new Counter({
  name: 'access_polls_total',
  help: 'Polls of the database for changes, by outcome.',
  labelNames: ['outcome'],
});

/** The stores that run in this process: one, but for tests. */
export const runningStores = new Set<AccessStore>();

new Gauge({
  name: 'access_revision_lag_seconds',
  help: 'Time since this node last had every change.',
  collect() {
    const lags = [...runningStores].map((store) => store.lag());
    if (lags.length > 0) this.set(Math.max(...lags) / 1000);
  },
});

new Gauge({
  name: 'access_organizations_unreadable',
  help: 'Organizations with data that this version of the platform cannot read; this node refuses to answer for them.',
  collect() {
    this.set([...runningStores].reduce((sum, store) => sum + [...store.unreadableOrgIds()].length, 0));
  },
});

type Sizes = { organizations: number; roles: number; assignments: number; revisions: number };

function gaugeOf(what: keyof Sizes, help: string): void {
  new Gauge({
    name: `access_graph_${what}`,
    help,
    collect() {
      this.set([...runningStores].reduce((sum, store) => sum + measure(store)[what], 0));
    },
  });
}

gaugeOf('organizations', 'Organizations in the graph of this node.');
gaugeOf('roles', 'Roles in the graph of this node, system roles not counted.');
gaugeOf('assignments', 'Assignments in the graph of this node.');
gaugeOf('revisions', 'Sum of the revisions of all organizations on this node; equal on nodes with equal graphs.');

function measure(store: AccessStore): Sizes {
  const sizes: Sizes = { organizations: 0, roles: 0, assignments: 0, revisions: 0 };
  for (const graph of store.orgs()) {
    const { roles, assignments } = graph.sizes();
    sizes.organizations += 1;
    sizes.roles += roles;
    sizes.assignments += assignments;
    sizes.revisions += graph.revision;
  }
  return sizes;
}
