import type { EffectHandlers } from '../../subscriptions/effects.ts';
import { charge, end, read, refund } from './collecting.ts';
import { giveUp, issue, settle } from './invoicing.ts';
import { mail } from './mailing.ts';
import { tellOfEnd, tellOfPlan } from './wishes.ts';

/** Who carries out what follows from a change of a subscription. */
export const effectHandlers: EffectHandlers = {
  issueInvoice: issue,
  settleInvoice: settle,
  giveUpInvoices: giveUp,
  charge,
  readProvider: read,
  cancelAtProvider: tellOfEnd,
  resumeAtProvider: tellOfEnd,
  changePlanAtProvider: tellOfPlan,
  endAtProvider: end,
  refundAtProvider: refund,
  mail,
};
