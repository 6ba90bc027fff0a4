import type { OrganizationAccess } from './world.ts';

/** Answers whether a user holds a permission in an organization. */
export type Decide = (orgId: string, userId: string, permission: string) => boolean;

/** The engines that answer within the process that asks; `map` is the floor: one look-up of the finished answer. */
export type EngineName = 'graph' | 'map' | 'casl' | 'casbin';

/** Sets an engine up with everything it has to know. Each is loaded only where it is asked for. */
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
      const held = roles.filter((role) => roleIds.includes(role.id)).flatMap(({ permissions }) => permissions);
      for (const permission of held) allowed.set(`${orgId} ${id} ${permission}`, true);
    }
  }
  return (orgId, userId, permission) => allowed.has(`${orgId} ${userId} ${permission}`);
}
