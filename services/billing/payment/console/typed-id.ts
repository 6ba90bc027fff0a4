import { z } from 'zod';

export const typedId = z.strictObject({ id: z.string().max(100) });
