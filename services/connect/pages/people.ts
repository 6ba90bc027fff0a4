import { type CallOutput, call } from '../../../lib/calls.ts';
import type { OrganizationVisit } from '../../../web/organization-page.ts';

/** A member of the organization, with the name that other members see. */
export type Person = { userId: string; name: string };

const maxMembers = 100;

/** The first hundred members of the organization. */
export async function membersOf({ ctx, orgId }: OrganizationVisit): Promise<Person[]> {
  const { organization } = await call(ctx, 'identity.organizations.describe', { body: { orgId } });
  if (!organization) return [];
  const query = { limit: String(maxMembers) };
  const { data } = await call(ctx, 'identity.members.list', { path: { slug: organization.slug }, query });
  return data.map(({ userId, displayName, email }) => ({ userId, name: displayName ?? email ?? userId }));
}

export type Agent = Person & { displayName: string | null; online: boolean };

type ListedAgent = CallOutput<'connect.agents.list'>['data'][number];

/** Reads all pages; the plan's seats limit the number of agents. */
async function allAgents({ ctx }: OrganizationVisit): Promise<ListedAgent[]> {
  const agents: ListedAgent[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { limit: '100', ...(cursor !== undefined && { cursor }) };
    const page: CallOutput<'connect.agents.list'> = await call(ctx, 'connect.agents.list', { query });
    agents.push(...page.data);
    cursor = page.nextCursor;
  }
  return agents;
}

/** The agents of the organization. */
export async function agentsOf(visit: OrganizationVisit): Promise<Agent[]> {
  const [data, members] = await Promise.all([allAgents(visit), membersOf(visit)]);
  const names = new Map(members.map(({ userId, name }) => [userId, name]));
  return data.map(({ userId, displayName, online }) => {
    return { userId, displayName, online, name: displayName ?? names.get(userId) ?? userId };
  });
}
