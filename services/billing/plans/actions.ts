import { listPlans } from './list-plans.ts';

export const planActions = {
  'plans.list': listPlans,
};
