import { closeOrganization } from './close-organization.ts';
import { eraseOrganization } from './erase-organization.ts';
import { initializeOrganization } from './found-organization.ts';

export const organizationActions = {
  'organizations.close': closeOrganization,
  'organizations.erase': eraseOrganization,
  'organizations.found': initializeOrganization,
};
