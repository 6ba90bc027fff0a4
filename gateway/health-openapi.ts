import type { JsonSchema } from '../lib/contract/contract.ts';
import { errorResponse, jsonResponse } from './openapi-content.ts';

const names = { type: 'array', items: { type: 'string' } };
const liveness = { $ref: '#/components/schemas/Liveness' };
const readiness = { $ref: '#/components/schemas/Readiness' };

const readinessSchema: JsonSchema = {
  type: 'object',
  required: ['status', 'missing', 'unavailable'],
  properties: {
    status: { type: 'string', enum: ['ready', 'not ready'], description: 'Whether requests should be sent here.' },
    missing: { ...names, description: 'Why this node cannot serve, such as `database`; empty when it can.' },
    unavailable: { ...names, description: 'Services that no node can serve now; their paths answer 503.' },
  },
};

const livenessSchema: JsonSchema = {
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'string', const: 'alive', description: 'Always `alive`: the process answers.' } },
};

export const healthSchemas: Record<string, JsonSchema> = { Liveness: livenessSchema, Readiness: readinessSchema };

/** The health probes of load balancers and supervisors. They are not rate limited. */
export const healthPaths: Record<string, Record<string, JsonSchema>> = {
  '/health/alive': {
    get: {
      operationId: 'health.alive',
      tags: ['health'],
      summary: 'Whether the process runs',
      description:
        'Answers as long as the process runs, also while it cannot serve requests. A supervisor restarts a process ' +
        'that does not answer. Takes no credential, and is not rate limited.',
      security: [],
      responses: {
        200: jsonResponse('It runs', liveness),
        431: errorResponse('HEADERS_TOO_LARGE'),
      },
    },
  },
  '/health/ready': {
    get: {
      operationId: 'health.ready',
      tags: ['health'],
      summary: 'Whether the node can serve requests',
      description:
        'Answers `200` while the node can serve requests, and `503` while it starts, stops or lacks the database. A ' +
        'load balancer sends requests only to nodes that are ready. Takes no credential, and is not rate limited.',
      security: [],
      responses: {
        200: jsonResponse('It can', readiness),
        431: errorResponse('HEADERS_TOO_LARGE'),
        503: jsonResponse('It cannot now; try another node', readiness),
      },
    },
  },
};
