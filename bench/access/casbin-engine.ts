import { newEnforcer, newModelFromString } from 'casbin';
import type { Decide } from './engines.ts';
import type { OrganizationAccess } from './world.ts';

/** Roles with domains; the matcher compares cheap fields before it looks up a role, which is twice as fast. */
const model = `
[request_definition]
r = sub, dom, act

[policy_definition]
p = sub, dom, act

[role_definition]
g = _, _, _

[policy_effect]
e = some(where (p.eft == allow))

[matchers]
m = r.dom == p.dom && r.act == p.act && g(r.sub, p.sub, r.dom)
`;

/** casbin with `enforceSync`, the faster of its two calls. */
export async function casbinEngine(world: OrganizationAccess[]): Promise<Decide> {
  const enforcer = await newEnforcer(newModelFromString(model));
  for (const { orgId, roles, users } of world) {
    await enforcer.addPolicies(roles.flatMap(({ id, permissions }) => permissions.map((key) => [id, orgId, key])));
    await enforcer.addGroupingPolicies(
      users.flatMap(({ id, roleIds }) => roleIds.map((roleId) => [id, roleId, orgId])),
    );
  }
  return (orgId, userId, permission) => enforcer.enforceSync(userId, orgId, permission);
}
