import { z } from 'zod';
import { recordAuditEvent } from '../../../lib/clients/audit.ts';
import { defineCommand } from '../../../lib/contract/define-command.ts';
import { normalizeEmail } from '../../../lib/format/email-address.ts';
import { type UserDocument, UserModel } from '../../../models/identity/user.ts';
import { publishCredentialChange } from '../current-rights.ts';
import { changeUser } from '../users.ts';

/**
 * `identity.console.operator`, for the console: makes a user an operator, or ends that. It takes effect with the user's
 * next request on every node, because the gateways drop their cached callers. Only the console gives the role.
 */
export const assignOperator = defineCommand({
  commands: [
    {
      usage: 'identity:make-operator <email>',
      description: 'Make a user an operator, who reads and changes all organizations at /operator',
      changes: true,
      fixed: { isOperator: true },
    },
    {
      usage: 'identity:remove-operator <email>',
      description: 'End the operator role of a user; their account and their organizations stay',
      changes: true,
      fixed: { isOperator: false },
    },
  ],
  body: z.strictObject({ email: z.string().max(320), isOperator: z.boolean() }),
  async handler({ body: { email: typed, isOperator }, ctx }) {
    const email = normalizeEmail(typed);
    const user = await UserModel.findOne({ email, status: 'active' }).lean<UserDocument>();
    if (!user) return { lines: [`No user logs in with ${JSON.stringify(typed)}.`] };
    const { _id: userId, isOperator: before = false } = user;
    await changeUser(userId, () => ({ isOperator }));
    // Also when nothing changed: an earlier run may have crashed after the change.
    await publishCredentialChange(ctx, { userId });
    await recordAuditEvent(ctx, {
      action: isOperator ? 'operator.granted' : 'operator.revoked',
      target: { type: 'user', id: userId },
      before: { isOperator: before },
      after: { isOperator },
    });
    const state = isOperator ? 'an operator' : 'no operator';
    return { lines: [`${email} ${before === isOperator ? 'already was' : 'is now'} ${state}.`] };
  },
});

const maxShown = 100;

/** `identity.console.operators`, for the console: the users who are operators. */
export const listOperators = defineCommand({
  commands: [{ usage: 'identity:operators', description: 'The users who are operators' }],
  safe: true,
  body: z.strictObject({}),
  async handler() {
    const operators = await UserModel.find({ isOperator: true, status: 'active' }, { email: 1 })
      .sort({ _id: 1 })
      .limit(maxShown)
      .lean<Pick<UserDocument, '_id' | 'email'>[]>();
    return { lines: operators.length === 0 ? ['No operators.'] : operators.map(({ _id, email }) => `${_id} ${email}`) };
  },
});

export const operatorRoleActions = {
  'console.operator': assignOperator,
  'console.operators': listOperators,
};
