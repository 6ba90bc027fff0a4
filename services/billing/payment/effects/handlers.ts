import type { EffectHandlers } from '../../subscriptions/effects.ts';
import { charge, end, read, refund } from './collecting.ts';
import { giveUp, issue, settle } from './invoicing.ts';
import { mail } from './mailing.ts';
import { reconcileEnd, reconcilePlan } from './reconciling.ts';

/** Who carries out what follows from a change of a subscription. */
export const effectHandlers: EffectHandlers = {
  issueInvoice: issue,
  settleInvoice: settle,
  giveUpInvoices: giveUp,
  charge,
  readProvider: read,
  cancelAtProvider: reconcileEnd,
  resumeAtProvider: reconcileEnd,
  changePlanAtProvider: reconcilePlan,
  endAtProvider: end,
  refundAtProvider: refund,
  mail,
};
