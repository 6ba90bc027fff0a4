import { OrgGraph } from '../../services/access/graph/org-graph.ts';
import { changesOf } from './changes-of.ts';
import type { Decide } from './engines.ts';
import type { OrganizationAccess } from './world.ts';

/** The platform's graph, as an access node holds it. */
export function graphEngine(world: OrganizationAccess[]): Decide {
  const graphs = new Map(world.map((organization) => [organization.orgId, graphOf(organization)]));
  return (orgId, userId, permission) => graphs.get(orgId)?.check(userId, permission, Date.now()) ?? false;
}

/** Builds the graph from an organization's changes. */
export function graphOf(organization: OrganizationAccess): OrgGraph {
  const graph = new OrgGraph(organization.orgId);
  for (const numbered of changesOf(organization, Date.now())) graph.apply(numbered);
  return graph;
}
