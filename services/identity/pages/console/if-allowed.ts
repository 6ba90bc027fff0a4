import { orNull } from '../../../../lib/contract/errors.ts';

/** Null where the member lacks the permission, or the part of the platform is away: the page shows the rest. */
export const ifAllowed = <T>(work: Promise<T>): Promise<T | null> =>
  orNull(work, 'PERMISSION_DENIED', 'UNAVAILABLE', 'SERVICE_NOT_INCLUDED');
