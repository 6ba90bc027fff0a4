import { describeLimits } from './limits.ts';
import { listPlans } from './list-plans.ts';

export const planActions = {
  'plans.list': listPlans,
  'limits.describe': describeLimits,
};
