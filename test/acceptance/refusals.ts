import { expect } from '@jest/globals';
import type { Client } from '../support/client.ts';

/** Each of these bodies is refused with 400, and the field is named. */
export async function expectRefused(
  client: Client,
  method: string,
  path: string,
  bodies: [body: object, field: string][],
): Promise<void> {
  for (const [body, field] of bodies) {
    const { status, body: refusal } = await client.send(method, path, body);
    expect({ body, status, error: refusal.error }).toEqual({ body, status: 400, error: 'INPUT_INVALID' });
    expect(refusal.details?.map((detail) => detail.path)).toContain(`body.${field}`);
  }
}
