/** An organization's access: its roles, and their assignments. Members without a role here have none. */
export type OrganizationAccess = {
  orgId: string;
  permissions: string[];
  roles: { id: string; permissions: string[] }[];
  users: { id: string; roleIds: string[] }[];
};

export type WorldSize = {
  organizations: number;
  /** The following numbers are per organization. */
  users: number;
  roles: number;
  permissions: number;
  permissionsOfRole: number;
  rolesOfUser: number;
};

/** Whether a user holds a permission in their organization. */
export type Question = { orgId: string; userId: string; roleIds: string[]; permission: string; allowed: boolean };

/** Default size for all engines: 1,000 users in 10 organizations with 20 roles over 50 permissions. */
export const smallWorld: WorldSize = {
  organizations: 10,
  users: 100,
  roles: 20,
  permissions: 50,
  permissionsOfRole: 10,
  rolesOfUser: 2,
};

/** 100,000 users, each a member with one role: 200,000 assignments. */
export const largeWorld: WorldSize = { ...smallWorld, users: 10_000, rolesOfUser: 1 };

/** Generates the world deterministically from its size, so that every process and every engine gets the same one. */
export function makeWorld(size: WorldSize): OrganizationAccess[] {
  const random = randomNumbers(size.users);
  return Array.from({ length: size.organizations }, () => makeOrganization(size, random));
}

/** Generates questions about users of all organizations in turn; half are allowed and half are denied. */
export function askWorld(world: OrganizationAccess[], count: number): Question[] {
  const random = randomNumbers(count);
  return Array.from({ length: count }, (_, index) => {
    const organization = at(world, index);
    const { id: userId, roleIds } = pick(organization.users, random);
    const granted = new Set(
      organization.roles.filter(({ id }) => roleIds.includes(id)).flatMap((role) => role.permissions),
    );
    const allowed = Math.floor(index / world.length) % 2 === 0;
    const permission = pick(
      organization.permissions.filter((key) => granted.has(key) === allowed),
      random,
    );
    return { orgId: organization.orgId, userId, roleIds, permission, allowed };
  });
}

type Random = (below: number) => number;

function makeOrganization(size: WorldSize, random: Random): OrganizationAccess {
  const permissions = Array.from({ length: size.permissions }, (_, index) => `shop.area-${index % 7}.action-${index}`);
  const roles = Array.from({ length: size.roles }, () => ({
    id: makeId('role', random),
    permissions: sample(permissions, size.permissionsOfRole, random),
  }));
  const ids = roles.map(({ id }) => id);
  const users = Array.from({ length: size.users }, () => ({
    id: makeId('usr', random),
    roleIds: sample(ids, size.rolesOfUser, random),
  }));
  return { orgId: makeId('org', random), permissions, roles, users };
}

/** The generator of Park and Miller ("Random number generators: good ones are hard to find", 1988). */
function randomNumbers(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

const idCharacters = '0123456789abcdefghjkmnpqrstvwxyz';
const idLength = 26;

function makeId(prefix: string, random: Random): string {
  return `${prefix}_${Array.from({ length: idLength }, () => idCharacters[random(idCharacters.length)]).join('')}`;
}

function sample<T>(items: T[], count: number, random: Random): T[] {
  const chosen = new Set<T>();
  while (chosen.size < count) chosen.add(pick(items, random));
  return [...chosen];
}

const pick = <T>(items: T[], random: Random): T => at(items, random(items.length));

function at<T>(items: T[], index: number): T {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('Cannot choose from an empty list.');
  return item;
}
