import type { ServiceBroker } from 'moleculer';
import { z } from 'zod';
import { recordAuditEvent } from '../../../lib/clients/audit.ts';
import { askNodes } from '../../../lib/contract/ask-nodes.ts';
import type { Ctx } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import type { Operation } from '../../../lib/contract/idempotency.ts';
import { pathText, timestamp } from '../../../lib/contract/input.ts';
import { registeredServices } from '../../../lib/contract/service-declarations.ts';
import { type JobState, readJobsOfPool, wakeJobInPool } from '../../../mixins/cron/cron.ts';
import { isRequestedBy, requestRun } from '../../../mixins/cron/jobs.ts';
import { listBackups } from './backups.ts';

const nodeOutput = z
  .strictObject({
    node: z.string().describe('The name of the node.'),
    isAnswering: z.boolean().describe('Whether the node answered; without an answer only its services are known.'),
    missing: z.array(z.string()).describe('What the node waits for, such as `database`; empty when it is ready.'),
    uptimeSeconds: z.int().nullable().describe('How long its process runs; null without an answer.'),
    residentMiB: z.int().nullable().describe('The memory of its process in MiB; null without an answer.'),
    runtime: z.string().nullable().describe('The version of its runtime; null without an answer.'),
    services: z
      .array(
        z
          .strictObject({ name: z.string(), version: z.string().nullable().describe('The version of its code.') })
          .meta({ id: 'PlatformNodeService' }),
      )
      .describe('The services that it runs.'),
  })
  .meta({ id: 'PlatformNode' });

type PlatformNode = z.output<typeof nodeOutput>;

/** The answer of `node.describe`. */
type NodeState = Pick<PlatformNode, 'missing'> & { uptimeSeconds: number; residentMiB: number; runtime: string };

/** GET /operator/nodes: the nodes of the pool, sorted by name. */
export const listNodes = defineAction({
  rest: 'GET /operator/nodes',
  summary: 'List the nodes of the platform',
  description:
    'Returns the nodes that this node knows, sorted by name: whether each is ready, and the services that it runs with ' +
    'the version of their code. A node that does not answer within five seconds is listed with its services.',
  permission: 'operator',
  input: {},
  output: z.strictObject({ data: z.array(nodeOutput) }).meta({ id: 'PlatformNodes' }),
  example: {
    output: {
      data: [
        {
          node: 'node-1',
          isAnswering: true,
          missing: [],
          uptimeSeconds: 86_400,
          residentMiB: 310,
          runtime: 'v24.21.0',
          services: [{ name: 'identity', version: '3f8a9c1d' }],
        },
      ],
    },
  },
  handler: async ({ ctx: { broker } }) => ({ data: await describeNodes(broker) }),
});

async function describeNodes(broker: ServiceBroker): Promise<PlatformNode[]> {
  const answers = await askNodes<NodeState>(broker, 'node.describe');
  const states = new Map(answers.map(({ nodeID, answer }) => [nodeID, answer]));
  const nodes = broker.registry.nodes.list({}) as { id: string }[];
  const services = registeredServices(broker).filter(({ name }) => name !== 'node' && !name.startsWith('$'));
  return nodes
    .map(({ id }) => {
      const state = states.get(id) ?? null;
      const own = services.filter(({ nodeID }) => nodeID === id);
      return {
        node: id,
        isAnswering: state !== null,
        missing: state?.missing ?? [],
        uptimeSeconds: state?.uptimeSeconds ?? null,
        residentMiB: state?.residentMiB ?? null,
        runtime: state?.runtime ?? null,
        services: own
          .map(({ name, metadata }) => ({ name, version: metadata.codeVersion ?? null }))
          .sort((one, other) => one.name.localeCompare(other.name)),
      };
    })
    .sort((one, other) => one.node.localeCompare(other.node));
}

const jobOutput = z
  .strictObject({
    name: z.string().describe('The name of the job.'),
    doneUpTo: timestamp.nullable().describe('The beginning of the last period whose work is done; null if never.'),
    doneAt: timestamp.nullable().describe('When that work ended; null if never.'),
    next: timestamp.nullable().describe('When the next period begins; null when one is due now.'),
    runningOn: z.string().nullable().describe('The node that does the work now; null if none does.'),
    attempts: z.int().describe('How often the work of the present period failed.'),
    lastError: z.string().nullable().describe('Why it failed the last time; null if it did not.'),
  })
  .meta({ id: 'PlatformJob' }) satisfies z.ZodType<JobState>;

/** GET /operator/jobs: the scheduled work of all services, sorted by name. */
export const listJobs = defineAction({
  rest: 'GET /operator/jobs',
  summary: 'List the scheduled jobs of the platform',
  description:
    'Returns the scheduled work of all services, sorted by name, with the last and the next run and the last failure. ' +
    '`silent` are nodes that did not answer within five seconds, whose services may have further jobs.',
  permission: 'operator',
  input: {},
  output: z
    .strictObject({
      data: z.array(jobOutput),
      silent: z.array(z.string()).describe('The names of nodes that did not answer.'),
    })
    .meta({ id: 'PlatformJobs' }),
  example: {
    output: {
      data: [
        {
          name: 'context.retention',
          doneUpTo: '2026-03-02T09:00:00.000Z',
          doneAt: '2026-03-02T09:00:04.210Z',
          next: '2026-03-02T10:00:00.000Z',
          runningOn: null,
          attempts: 0,
          lastError: null,
        },
      ],
      silent: [],
    },
  },
  async handler({ ctx: { broker } }) {
    const { jobs, silent } = await readJobsOfPool(broker);
    return { data: jobs, silent: silent.map(({ nodeID }) => nodeID) };
  },
});

const jobRun = z
  .strictObject({
    name: z.string().describe('The name of the job.'),
    status: z.literal('requested').describe('A node runs it now. The list of jobs has its end.'),
  })
  .meta({ id: 'PlatformJobRun' });

/** POST /operator/jobs/:name/run: runs scheduled work out of turn, under the lease of its regular runs. */
export const runJob = defineAction({
  rest: 'POST /operator/jobs/:name/run',
  summary: 'Run a scheduled job now',
  description:
    'Runs a job out of turn, on one node, and does not wait for its end. While the job is running, it is refused: a ' +
    'job never runs twice at the same time. The next regular run stays. It is recorded in the audit log of the ' +
    'platform.',
  permission: 'operator',
  input: {
    path: z.strictObject({
      name: pathText(/^[\w.-]+$/)
        .max(100)
        .describe('The name of the job.'),
    }),
  },
  output: jobRun,
  status: 202,
  errors: ['NOT_FOUND', 'JOB_RUNNING', 'UNAVAILABLE'],
  idempotent: {
    async resume({ path: { name }, operation, ctx }) {
      return (await isRequestedBy(name, operation.key)) ? await beginRun(ctx, operation, name) : null;
    },
  },
  example: {
    path: { name: 'context.retention' },
    output: { name: 'context.retention', status: 'requested' },
  },
  async handler({ path: { name }, operation, ctx }) {
    await requireJob(ctx.broker, name);
    if (!(await requestRun(name, operation.key))) throw apiError('JOB_RUNNING');
    return await beginRun(ctx, operation, name);
  },
});

/** Throws NOT_FOUND when no node has the job, and UNAVAILABLE when a node that may have it does not answer. */
async function requireJob(broker: ServiceBroker, name: string): Promise<void> {
  const { jobs, silent } = await readJobsOfPool(broker);
  if (jobs.some((job) => job.name === name)) return;
  throw apiError(silent.length > 0 ? 'UNAVAILABLE' : 'NOT_FOUND');
}

async function beginRun(ctx: Ctx, operation: Operation, name: string): Promise<z.output<typeof jobRun>> {
  const target = { type: 'job', id: name };
  await recordAuditEvent(ctx, { id: operation.newId('aud'), action: 'job.requested', target });
  await wakeJobInPool(ctx.broker, name);
  return { name, status: 'requested' };
}

export const platformActions = {
  'operator.backups.list': listBackups,
  'operator.nodes.list': listNodes,
  'operator.jobs.list': listJobs,
  'operator.jobs.run': runJob,
};
