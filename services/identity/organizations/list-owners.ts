import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { readUsers } from './members.ts';
import { listMemberships, type MembershipEntry } from './memberships.ts';

const queryConcurrency = 200;

/** `identity.organizations.owners`, for services: the recipients of an organization's mails, with their addresses. */
export const listOwners = defineAction({
  summary: "List an organization's owners with their addresses",
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ orgId: z.string() }) },
  output: z.strictObject({ owners: z.array(z.strictObject({ userId: z.string(), email: z.string() })) }),
  async handler({ body: { orgId }, ctx }) {
    const owners: MembershipEntry[] = [];
    for (let after: string | null = null, isWhole = false; !isWhole; ) {
      const page: MembershipEntry[] = await listMemberships(ctx, {
        orgId,
        after,
        limit: queryConcurrency,
        role: 'owner',
      });
      owners.push(...page);
      after = page.at(-1)?.userId ?? null;
      isWhole = page.length < queryConcurrency;
    }
    const users = await readUsers(owners.map(({ userId }) => userId));
    return {
      owners: owners.flatMap(({ userId }) => {
        const email = users.get(userId)?.email;
        return email ? [{ userId, email }] : [];
      }),
    };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.organizations.owners': typeof listOwners;
  }
}
