import { commitTakes } from './commit-takes.ts';
import { correctGauge, readGauge } from './correct-gauge.ts';
import { refundUnits } from './give-back.ts';
import { readQuota } from './read-quota.ts';
import { refundTakes } from './refund-takes.ts';
import { releaseGaugeAction, releaseGaugeMany } from './release-gauge.ts';
import { renewTakes } from './renew-takes.ts';
import { setGaugeAction } from './set-gauge.ts';
import { takeQuota } from './take-quota.ts';
import { takeQuotas } from './take-quotas.ts';

export const quotaActions = {
  'quota.take': takeQuota,
  'quota.take-many': takeQuotas,
  'quota.commit': commitTakes,
  'quota.refund': refundTakes,
  'quota.give-back': refundUnits,
  'quota.renew': renewTakes,
  'quota.read': readQuota,
  'quota.read-gauge': readGauge,
  'quota.correct-gauge': correctGauge,
  'quota.set-gauge': setGaugeAction,
  'quota.release': releaseGaugeAction,
  'quota.release-many': releaseGaugeMany,
};
