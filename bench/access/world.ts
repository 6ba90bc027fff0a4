/** An organization's access: its roles, and who has which of them. Members without a role among these have none. */
export type OrganizationAccess = {
  orgId: string;
  permissions: string[];
  roles: { id: string; permissions: string[] }[];
  users: { id: string; roleIds: string[] }[];
};

export type WorldSize = {
  organizations: number;
  /** The following are those of each organization. */
  users: number;
  roles: number;
  permissions: number;
  permissionsOfRole: number;
  rolesOfUser: number;
};

/** Whether a user holds a permission in their organization. */
export type Question = { orgId: string; userId: string; roleIds: string[]; permission: string; allowed: boolean };

/** What is asked of every engine: 1,000 users in 10 organizations with 20 roles over 50 permissions. */
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

/** The same world for the same size in every process, so that all engines are asked the same. */
export function makeWorld(size: WorldSize): OrganizationAccess[] {
  const random = randomNumbers(size.users);
  return Array.from({ length: size.organizations }, () => makeOrganization(size, random));
}

/** Questions about users of all organizations in turns, the one half allowed and the other denied. */
export function askWorld(world: OrganizationAccess[], count: number): Question[] {
  const random = randomNumbers(count);
  return Array.from({ length: count }, (_, place) => {
    const organization = at(world, place);
    const { id: userId, roleIds } = pick(organization.users, random);
    const held = new Set(
      organization.roles.filter(({ id }) => roleIds.includes(id)).flatMap((role) => role.permissions),
    );
    const allowed = Math.floor(place / world.length) % 2 === 0;
    const permission = pick(
      organization.permissions.filter((key) => held.has(key) === allowed),
      random,
    );
    return { orgId: organization.orgId, userId, roleIds, permission, allowed };
  });
}

type Random = (below: number) => number;

function makeOrganization(size: WorldSize, random: Random): OrganizationAccess {
  const permissions = Array.from({ length: size.permissions }, (_, place) => `shop.area-${place % 7}.action-${place}`);
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

function at<T>(items: T[], place: number): T {
  const item = items[place % items.length];
  if (item === undefined) throw new Error('There is nothing to choose from.');
  return item;
}
