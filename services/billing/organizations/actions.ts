import { closeOrganization } from './close-organization.ts';
import { eraseOrganization } from './erase-organization.ts';

export const organizationActions = {
  'organizations.close': closeOrganization,
  'organizations.erase': eraseOrganization,
};
