import type { JsonSchema } from '../lib/contract.ts';
import { jsonResponse } from './openapi-content.ts';

const names = { type: 'array', items: { type: 'string' } };
const readiness = {
  type: 'object',
  required: ['status', 'missing', 'unavailable'],
  properties: {
    status: { type: 'string', enum: ['ready', 'not ready'] },
    missing: { ...names, description: 'Why this node cannot serve, such as `database`; empty when it can.' },
    unavailable: { ...names, description: 'Services that no node can serve now; their paths answer 503.' },
  },
};

/** The paths by which load balancers and supervisors check a node. They are not rate limited. */
export const healthPaths: Record<string, JsonSchema> = {
  '/health/alive': {
    get: {
      operationId: 'health.alive',
      tags: ['health'],
      summary: 'Whether the process runs',
      security: [],
      responses: {
        200: jsonResponse('It runs', {
          type: 'object',
          required: ['status'],
          properties: { status: { type: 'string', const: 'alive' } },
        }),
      },
    },
  },
  '/health/ready': {
    get: {
      operationId: 'health.ready',
      tags: ['health'],
      summary: 'Whether the node can serve requests',
      security: [],
      responses: {
        200: jsonResponse('It can', readiness),
        503: jsonResponse('It cannot now; try another node', readiness),
      },
    },
  },
};
