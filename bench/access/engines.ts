import type { OrganizationAccess } from './world.ts';

/** Decides whether a user holds a permission in an organization. */
export type Decide = (orgId: string, userId: string, permission: string) => boolean;

/** In-process engines; `map` is the lower bound: one lookup of the precomputed answer. */
export type EngineName = 'graph' | 'map' | 'casl' | 'casbin';

/** Sets up an engine with all its data. Each engine is loaded on demand. */
export const engines: Record<EngineName, (world: OrganizationAccess[]) => Promise<Decide>> = {
  graph: async (world) => (await import('./graph-engine.ts')).graphEngine(world),
  map: (world) => Promise.resolve(mapEngine(world)),
  casl: async (world) => (await import('./casl-engine.ts')).caslEngine(world),
  casbin: async (world) => (await import('./casbin-engine.ts')).casbinEngine(world),
};

function mapEngine(world: OrganizationAccess[]): Decide {
  const allowed = new Map<string, true>();
  for (const { orgId, roles, users } of world) {
    for (const { id, roleIds } of users) {
      const granted = roles.filter((role) => roleIds.includes(role.id)).flatMap(({ permissions }) => permissions);
      for (const permission of granted) allowed.set(`${orgId} ${id} ${permission}`, true);
    }
  }
  return (orgId, userId, permission) => allowed.has(`${orgId} ${userId} ${permission}`);
}
