export { withOrganization } from '../../../web/organization-page.ts';

export const billingPath = '/console/billing';
export const cancelPath = '/console/billing/cancel';
