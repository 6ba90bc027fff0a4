import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import { consoleOutput } from '../../../lib/said.ts';
import { OrganizationModel } from '../../../models/identity/organization.ts';

/**
 * `identity.console.trust`, for the console: whether browsers are sent to the origins of an organization's OAuth
 * clients without confirmation. It takes effect immediately on every node, because it is not cached.
 */
export const trustOrganization = defineAction({
  summary: "Trust or distrust an organization's applications",
  permission: 'internal',
  input: { body: z.strictObject({ orgId: z.string(), isTrusted: z.boolean() }) },
  output: consoleOutput,
  async handler({ body: { orgId, isTrusted }, ctx }) {
    const { matchedCount } = await OrganizationModel.updateOne(
      { _id: orgId, status: 'active' },
      { $set: { isTrusted } },
    );
    if (matchedCount === 0) return { lines: [`There is no organization ${orgId}.`] };
    // Also when nothing changed: an earlier run may have crashed before it was recorded.
    const target = { type: 'organization', id: orgId };
    await recordAuditEvent(ctx, {
      action: isTrusted ? 'organization.trusted' : 'organization.untrusted',
      orgId,
      target,
    });
    const trusted = await OrganizationModel.distinct('_id', { isTrusted: true, status: 'active' });
    return {
      lines: [
        isTrusted
          ? `${orgId} is trusted: browsers return to the origins of its OAuth clients without confirmation.`
          : `${orgId} is not trusted: users must confirm before a browser returns to its OAuth clients.`,
        `Trusted organizations: ${trusted.length === 0 ? 'none' : trusted.sort().join(', ')}.`,
      ],
    };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.console.trust': typeof trustOrganization;
  }
}
