/** The services that store files of organizations in a private bucket, which tenants cannot address. */
export const systemOwners = ['connect'] as const;

/** The slot of a service's bucket, which does not count against the plan's limit. */
export const systemPlace = (owner: string): string => `system:${owner}`;
export const systemPlaces = systemOwners.map(systemPlace);

/** The name of a service's bucket for an organization. Tenants cannot choose it, because it contains underscores. */
export const systemBucketName = (orgId: string, owner: string): string => `${orgId}_${owner}`;

export const isSystemPlace = (place: string): boolean => systemPlaces.includes(place);
