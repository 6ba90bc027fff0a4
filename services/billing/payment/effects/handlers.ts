import type { EffectHandlers } from '../../subscriptions/effects.ts';
import { cancel, changePlan, charge, end, read, resume } from './collecting.ts';
import { giveUp, issue, settle } from './invoicing.ts';
import { mail } from './mailing.ts';

/** Who carries out what follows from a change of a subscription. */
export const effectHandlers: EffectHandlers = {
  issueInvoice: issue,
  settleInvoice: settle,
  giveUpInvoices: giveUp,
  charge,
  readProvider: read,
  cancelAtProvider: cancel,
  resumeAtProvider: resume,
  changePlanAtProvider: changePlan,
  endAtProvider: end,
  mail,
};
