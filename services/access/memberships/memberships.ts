import { z } from 'zod';
import { timestamp } from '../../../lib/instant.ts';
import { systemRoles } from '../../../lib/roles.ts';
import type { Membership } from '../graph/org-graph.ts';

export const idInput = z.string().min(1).max(256);
export const roleSchema = z.enum(systemRoles);

/** A membership as identity gets it; times are ISO 8601 UTC. */
export const membershipOutput = z.strictObject({ role: roleSchema, createdAt: timestamp, updatedAt: timestamp });

export function toMembershipResponse({ role, assignment }: Membership): z.output<typeof membershipOutput> {
  const { createdAt, updatedAt } = assignment;
  return { role, createdAt: new Date(createdAt).toISOString(), updatedAt: new Date(updatedAt).toISOString() };
}
