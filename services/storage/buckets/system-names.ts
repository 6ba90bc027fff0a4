/** The services that keep files of organizations in a private bucket, which no tenant can address. */
export const systemOwners = ['connect'] as const;

/** The place of a service's bucket, which no limit of the plan counts. */
export const systemPlace = (owner: string): string => `system:${owner}`;
export const systemPlaces = systemOwners.map(systemPlace);

/** The name of a service's bucket of an organization. Tenants cannot choose it, because it has underscores. */
export const systemBucketName = (orgId: string, owner: string): string => `${orgId}_${owner}`;

export const isSystemPlace = (place: string): boolean => systemPlaces.includes(place);
