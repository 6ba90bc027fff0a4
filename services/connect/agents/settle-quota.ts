import { defineAction } from '../../../lib/action.ts';
import { settlementInput, settlementOutput, settleStored } from '../../../lib/quota-settlement.ts';
import { AgentModel } from '../../../models/connect/agent.ts';

/** `connect.quota.settle`, called by billing after a crash: reports which reserved seats have an agent. */
export const settleQuota = defineAction({
  summary: 'Count the agents of reserved seats',
  permission: 'internal',
  input: settlementInput,
  output: settlementOutput,
  async handler({ body: { orgId, keys } }) {
    const agents = await AgentModel.find({ orgId, seat: { $in: keys } }, { seat: 1 }).lean();
    return settleStored(keys, new Set(agents.map(({ seat }) => seat)));
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'connect.quota.settle': typeof settleQuota;
  }
}
