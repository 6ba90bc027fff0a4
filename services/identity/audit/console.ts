import { z } from 'zod';
import { recordAuditEvent } from '../../../lib/clients/audit.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { defineCommand } from '../../../lib/contract/define-command.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { normalizeEmail } from '../../../lib/format/email-address.ts';
import { type AuditRecordDocument, AuditRecordModel, platformLog } from '../../../models/identity/audit-record.ts';
import { OrganizationModel } from '../../../models/identity/organization.ts';
import { type UserDocument, UserModel } from '../../../models/identity/user.ts';

const maxShown = 20;

/**
 * `identity.console.record`, for the operator's console: records a command before it runs, in the log of the
 * organization that it names, otherwise in the platform's own.
 *
 * @throws NOT_FOUND no user has the operator's email address or id.
 */
export const recordCommand = defineAction({
  summary: 'Record a command of the console in the audit log',
  permission: 'internal',
  input: {
    body: z.strictObject({
      command: z.string().max(100),
      arguments: z.string().max(500),
      as: z.string().max(320).nullable(),
      orgId: z.string().max(100).nullable(),
    }),
  },
  output: z.void(),
  async handler({ body: { command, arguments: typed, as, orgId }, ctx }) {
    const actor = as === null ? ({ type: 'system', id: null } as const) : await operatorNamed(as);
    const isKnown = orgId !== null && (await OrganizationModel.exists({ _id: orgId })) !== null;
    const target = { type: 'command', id: command };
    const log = isKnown ? { orgId } : {};
    await recordAuditEvent(ctx, { action: 'operator.command', ...log, actor, target, after: { arguments: typed } });
  },
});

async function operatorNamed(as: string): Promise<{ type: 'user'; id: string }> {
  const named = as.includes('@') ? { email: normalizeEmail(as) } : { _id: as };
  const user = await UserModel.findOne({ ...named, status: 'active' }, { _id: 1 }).lean<Pick<UserDocument, '_id'>>();
  if (!user) throw apiError('NOT_FOUND', { message: `There is no user ${as}.` });
  return { type: 'user', id: user._id };
}

/**
 * `identity.console.audit`, for the operator's console: the newest acts of an organization or, for null, the
 * platform's.
 */
export const describeAudit = defineCommand({
  commands: [
    {
      usage: 'audit [organization]',
      description: 'The newest events in the audit log of an organization (org_…), or of the platform',
      fields: { organization: 'orgId' },
    },
  ],
  body: z.strictObject({ orgId: z.string().max(100).nullable().default(null) }),
  async handler({ body: { orgId } }) {
    const records = await AuditRecordModel.find({ orgId: orgId ?? platformLog })
      .sort({ createdAt: -1, _id: -1 })
      .limit(maxShown)
      .lean<AuditRecordDocument[]>();
    return { lines: records.length === 0 ? ['No records.'] : records.map(lineOf) };
  },
});

function lineOf({ createdAt, action, actor, target, after }: AuditRecordDocument): string {
  const typed = action === 'operator.command' ? ` ${String(after?.arguments ?? '')}` : '';
  return `${createdAt.toISOString()}  ${actor.id ?? actor.type}  ${action}  ${target.id}${typed}`;
}
