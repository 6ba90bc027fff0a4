import { z } from 'zod';
import type { Entitlements } from '../../../models/billing/sold-version.ts';

const limit = z.number().min(0);
const count = z.int().min(0);

/** A group with its limits, or without any when it is not included. */
const group = <S extends z.ZodRawShape>(limits: S) =>
  z.discriminatedUnion('enabled', [
    z.strictObject({ enabled: z.literal(true), ...limits }),
    z.strictObject({ enabled: z.literal(false) }),
  ]);

/** The entitlements of a plan in API responses. */
export const entitlementsOutput = z
  .strictObject({
    context: group({ eventsPerDay: count, contextRetentionDays: count }),
    intelligence: group({ recommendationsPerDay: count }),
    connect: group({ channels: z.array(z.string()), agentSeats: count }),
    notification: group({ sendsPerMonth: count }),
    mail: group({ sendsPerMonth: count }),
    storage: group({ storageGb: limit, bandwidthGbPerMonth: limit }),
    content: group({}),
    pulse: group({}),
  })
  .meta({ id: 'Entitlements' }) satisfies z.ZodType<Entitlements>;
