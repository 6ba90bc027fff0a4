import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { idPattern } from '../../../lib/ids.ts';
import { AgentModel } from '../../../models/connect/agent.ts';

/** `connect.quota.settle`, called by billing after a crash: which of the reserved seats have an agent. */
export const settleQuota = defineAction({
  summary: 'Count the agents of reserved seats',
  permission: 'internal',
  input: { body: z.strictObject({ orgId: z.string().regex(idPattern('org')), keys: z.array(z.string()) }) },
  output: z.strictObject({ done: z.array(z.strictObject({ key: z.string(), amount: z.number() })) }),
  async handler({ body: { orgId, keys } }) {
    const agents = await AgentModel.find({ orgId, seat: { $in: keys } }, { seat: 1 }).lean();
    const taken = new Set(agents.map(({ seat }) => seat));
    return { done: keys.map((key) => ({ key, amount: taken.has(key) ? 1 : 0 })) };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'connect.quota.settle': typeof settleQuota;
  }
}
