import type { EffectHandlers } from '../../subscriptions/effects.ts';
import { charge, end, read, refund } from './collecting.ts';
import { issue, settle, writeOffInvoices } from './invoicing.ts';
import { mail } from './mailing.ts';
import { reconcileEnd, reconcilePlan } from './reconciling.ts';

/** The handlers of the effects of a subscription's change. */
export const effectHandlers: EffectHandlers = {
  issueInvoice: issue,
  settleInvoice: settle,
  giveUpInvoices: writeOffInvoices,
  charge,
  readProvider: read,
  cancelAtProvider: reconcileEnd,
  resumeAtProvider: reconcileEnd,
  changePlanAtProvider: reconcilePlan,
  endAtProvider: end,
  refundAtProvider: refund,
  mail,
};
