import { type CallOutput, call } from '../../../lib/contract/context.ts';
import { orNull } from '../../../lib/contract/errors.ts';
import { readAllPages } from '../../../web/list-query.ts';
import { type OrganizationVisit, pathOf } from '../../../web/organization-page.ts';
import { permissionWords } from '../../../web/scope-words.ts';
import type { Crumbs } from '../../../web/shell.ts';
import { isApplication } from '../subjects.ts';
import { texts } from './texts.ts';

export type Role = CallOutput<'access.roles.read'>;
export type Permission = CallOutput<'access.permissions.list'>['data'][number];
export type Assignment = CallOutput<'access.assignments.list-of-role'>['data'][number];

/** The kind of the tokens of the forms about roles. */
export const rolesForm = 'roles';

/** The links from the matrix to a page below it. */
export function crumbs(visit: OrganizationVisit): Crumbs {
  return [[pathOf(visit, 'roles'), texts().title]];
}

/** The name of a role; the platform's own are called as on all pages. */
export function nameOfRole({ id, name }: Pick<Role, 'id' | 'name'>): string {
  const known: Record<string, string | undefined> = texts().systemNames;
  return Object.hasOwn(known, id) ? (known[id] ?? name) : name;
}

/** The description of a role, of the platform's own in the language of the page. */
export function descriptionOfRole({ id, description }: Pick<Role, 'id' | 'description'>): string {
  const known: Record<string, string | undefined> = texts().systemDescriptions;
  return Object.hasOwn(known, id) ? (known[id] ?? description) : description;
}

export function readRoles({ ctx }: OrganizationVisit): Promise<Role[]> {
  return readAllPages((query) => call(ctx, 'access.roles.list', { query }));
}

/** The permissions of the organization, described in the language of the page. */
export async function readPermissions({ ctx }: OrganizationVisit): Promise<Permission[]> {
  const permissions = await readAllPages((query) => call(ctx, 'access.permissions.list', { query }));
  return permissions.map((one) => ({ ...one, description: permissionWords(one.key, one.description) }));
}

/** Members and applications to choose from. */
export type Subject = { id: string; name: string };

const maxListed = '100';

/** The newest members and applications that the visitor may read. */
export async function readSubjects({
  ctx,
  organization,
}: OrganizationVisit): Promise<{ subjects: Subject[]; isAll: boolean }> {
  const query = { limit: maxListed };
  const [members, applications] = await Promise.all([
    ifAllowed(call(ctx, 'identity.members.list', { path: { slug: organization.slug }, query })),
    ifAllowed(call(ctx, 'identity.applications.list', { query })),
  ]);
  const people = members?.data.map(({ userId, displayName, email }) => ({
    id: userId,
    name: displayName ?? email ?? userId,
  }));
  const programs = applications?.data.map(({ id, name }) => ({ id, name: texts().applicationName(name) }));
  return {
    subjects: [...(people ?? []), ...(programs ?? [])],
    isAll: (members?.nextCursor ?? null) === null && (applications?.nextCursor ?? null) === null,
  };
}

/**
 * The names of members and applications by id. One that the visitor may not see has its id as name. `known`: those whose
 * names have been read already.
 */
export async function namesOf(
  { ctx }: OrganizationVisit,
  ids: readonly string[],
  known: readonly Subject[],
): Promise<Map<string, string>> {
  const names = new Map(known.map(({ id, name }) => [id, name]));
  const missing = ids.filter((id) => !names.has(id) && !isApplication(id));
  const read = await Promise.all(
    missing.map(async (userId) => ({
      userId,
      user: await ifAllowed(call(ctx, 'identity.users.read', { path: { userId }, query: {} })),
    })),
  );
  for (const { userId, user } of read) if (user) names.set(userId, user.displayName ?? user.email);
  return new Map(ids.map((id) => [id, names.get(id) ?? id]));
}

/** Null where the visitor lacks the permission, or nothing has this id. */
const ifAllowed = <T>(work: Promise<T>): Promise<T | null> => orNull(work, 'PERMISSION_DENIED', 'NOT_FOUND');

export function subjectOfAssignment({ userId, applicationId }: Assignment): string {
  return userId ?? applicationId ?? '';
}
